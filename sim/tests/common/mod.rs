//! Programs that several tests run.

use testbed_definitions::map;
use testbed_definitions::packet::{Header, BROADCAST};
use testbed_sim::engine::Image;
use testbed_sim::lockstep::encode::*;

/// Bytes of the receive ring and of a packet's payload.
const RING: u32 = map::RAM_BASE + 0x4000;
const PAYLOAD: u32 = map::RAM_BASE + 0x3000;

/// Every processor opens its receive ring, then for ever broadcasts a packet whose payload changes, empties the ring,
/// prints a byte, and, if it is a slave, emits events.
pub fn chatter() -> Image {
    let mut code = Assembly::new(map::RAM_BASE);
    let (again, master) = (code.label(), code.label());
    code.li(T0, map::CENTRENET_BASE);
    code.li(A0, RING).push(sw(A0, T0, map::centrenet::RX_BASE as i32));
    code.li(A0, 1023).push(sw(A0, T0, map::centrenet::RX_MASK as i32));
    code.push(addi(A0, ZERO, map::centrenet::CONTROL_RECEIVE as i32)).push(sw(A0, T0, map::centrenet::CONTROL as i32));
    code.push(csrr(A2, testbed_definitions::csr::MHARTID));
    code.li(T1, map::UART_BASE).li(T2, map::SMI_BASE);
    code.li(T3, PAYLOAD).li(T4, Header { destination: BROADCAST, kind: 3, length: 12, source: 0 }.pack());
    code.place(again);
    code.push(addi(A1, A1, 1)).push(sw(A1, T3, 0)).push(sw(A2, T3, 8));
    code.push(sw(T3, T0, map::centrenet::TX_ADDRESS as i32)).push(sw(T4, T0, map::centrenet::TX_COMMAND as i32));
    code.push(lw(A0, T0, map::centrenet::RX_TAIL as i32)).push(sw(A0, T0, map::centrenet::RX_HEAD as i32));
    code.push(store(0, T1, A1, 0));
    code.branch(0, A2, ZERO, master);
    code.push(store(1, T2, A1, map::smi::EVENT as i32)).push(store(1, T2, A0, map::smi::EVENT as i32));
    code.place(master).jal(ZERO, again);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}
