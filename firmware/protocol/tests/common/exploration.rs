//! What explorations of protocols share: to run one, and to hold what it has found against the
//! documents.

use std::hash::Hash;

use stateright::{Checker, Expectation, HasDiscoveries, Model};

/// What an exploration has found.
pub struct Report {
    pub states: usize,
    pub steps: usize,
    pub depth: usize,
    /// What should happen somewhere, and does.
    pub reached: Vec<&'static str>,
    /// The properties that don't hold, in their order, and the way there, a step a line.
    pub wrong: Vec<(&'static str, String)>,
}

/// Explores all that can happen, or all up to where a property does not hold. `step` tells what is
/// done in a state, `end` what there is to say of a way's last state. With `one_way` it is always the
/// same way that is found.
pub fn explore<M>(
    model: M,
    one_way: bool,
    step: impl Fn(&M::State, M::Action) -> String,
    end: impl Fn(&M::State) -> Option<String>,
) -> Report
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + PartialEq + Hash + Send + Sync + 'static,
    M::Action: Clone + PartialEq,
{
    let threads = if one_way { 1 } else { std::thread::available_parallelism().map_or(1, usize::from) };
    let properties = model.properties();
    let checker = model.checker().threads(threads).finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let mut found = checker.discoveries();
    let (mut reached, mut wrong) = (vec![], vec![]);
    for property in properties {
        let Some(path) = found.remove(property.name) else { continue };
        if property.expectation == Expectation::Sometimes {
            reached.push(property.name);
            continue;
        }
        let path = path.into_vec();
        let last = path.last().and_then(|(state, _)| end(state));
        let steps = path.into_iter().filter_map(|(state, action)| Some(step(&state, action?)));
        wrong.push((property.name, steps.chain(last).collect::<Vec<_>>().join("\n")));
    }
    let (states, steps, depth) = (checker.unique_state_count(), checker.state_count(), checker.max_depth());
    Report { states, steps, depth, reached, wrong }
}

/// What was explored, for readers.
const DOCUMENTED: &str = include_str!("../../../../docs/protocols.md");

/// A number with commas between thousands.
pub fn grouped(number: usize) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1000), number % 1000),
    }
}

/// Whether the table of that section has the row; prints it if not.
pub fn is_documented(section: &str, row: &str) -> bool {
    let is_there = DOCUMENTED.contains(row);
    if !is_there {
        println!("docs/protocols.md, \"{section}\", lacks the row\n{row}");
    }
    is_there
}
