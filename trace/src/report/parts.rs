//! Parts of the page that are no analysis.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::analysis::latency::Service;
use crate::analysis::protocol::{Phase, Protocol};

/// Events that are missing, or whose time is not proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    pub processor: u8,
    /// When; the lower bound if `ambiguous`.
    pub cycle: u64,
    /// Events that were discarded, if it is known.
    pub discarded: Option<u32>,
    /// An event that is there, and whose time is not known.
    pub ambiguous: bool,
}

/// A class of events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Class {
    pub name: String,
    pub recorded: bool,
    pub tells: String,
}

/// Names of what the data hold by number or key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    pub doing: Vec<String>,
    pub states: Vec<String>,
    pub protocols: BTreeMap<Protocol, String>,
    pub services: BTreeMap<Service, String>,
    /// Name, and from which event to which.
    pub phases: BTreeMap<Phase, (String, String)>,
    /// What threads wait for in system calls, by the numbers of these.
    pub calls: BTreeMap<u16, String>,
    /// States of lanes that are none.
    pub nothing: u8,
    pub length_unknown: u8,
}
