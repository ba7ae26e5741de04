//! The figures of the report's section 3 (ECS-CSG-3-94), from monitored events only: each from its own query over the ordered trace, fitted,
//! and put on one page beside the report's values.

pub mod answer;
pub mod effects;
mod explain;
pub mod figures;
pub mod fit;
pub mod material;
pub mod model;
pub mod multi_phase;
pub mod network;
pub mod observed;
pub mod page;
pub mod plot;
pub mod query;
pub mod report;
pub mod services;
pub mod subject;
