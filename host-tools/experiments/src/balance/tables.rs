//! The tables of the experiment, in their order.

use super::found::Found;
use super::sweep::Sweep;
use super::{by_policy, logs, table8, table9};
use crate::model::Table;

/// The tables of what was found, but for that of what classes cost.
pub fn tables(found: &Found) -> Vec<Table> {
    let mut tables = vec![table8::table(&found.metrics), table9::table(&found.programs)];
    if !found.policies.is_empty() {
        tables.push(by_policy::table(&found.programs, &found.policies));
        tables.push(by_policy::summary(&found.programs, &found.policies));
        tables.push(logs::table(&found.policies));
    }
    tables.extend(found.sweep.iter().map(Sweep::table));
    tables
}
