//! A recording on rust-hdl's own simulation of the RTL.

use super::traffic::{Access, Recording};
use rust_hdl::prelude::*;
use testbed_hdl::centrenet::node::Node;
use testbed_hdl::support::bench::settle;

/// Replays `recording` on `N` stations; panics at the first difference.
pub fn replay<const N: usize>(recording: &Recording) {
    let mut node = Node::new(N);
    node.connect_all();
    for (cycle, stations) in recording.cycles.iter().enumerate() {
        node.clock.next = false.into();
        for (station, now) in stations.iter().enumerate() {
            drive(&mut node, station, now.access);
        }
        settle(&mut node).expect("no combinational loops");
        for station in 0..N {
            let (rdata, ram_rdata) = (node.rdata[station].val().to_u32(), node.ram_rdata[station].val().to_u32());
            recording.check(cycle, station, rdata, ram_rdata, node.irq[station].val());
        }
        node.clock.next = true.into();
        settle(&mut node).expect("no combinational loops");
    }
}

fn drive(node: &mut Node, station: usize, access: Access) {
    node.select[station].next = matches!(access, Access::Load { .. } | Access::Store { .. });
    node.read[station].next = matches!(access, Access::Load { .. });
    node.write[station].next = matches!(access, Access::Store { .. });
    node.ram_write[station].next = matches!(access, Access::RamWrite { .. });
    match access {
        Access::Idle => {}
        Access::Load { offset } => node.address[station].next = u64::from(offset).into(),
        Access::Store { offset, value } => {
            node.address[station].next = u64::from(offset).into();
            node.wdata[station].next = u64::from(value).into();
        }
        Access::RamRead { word } => node.ram_address[station].next = u64::from(word).into(),
        Access::RamWrite { word, value } => {
            node.ram_address[station].next = u64::from(word).into();
            node.ram_wdata[station].next = u64::from(value).into();
        }
    }
}
