//! Every address, register, event code, packet layout and limit of the Testbed, defined once.
//!
//! HDL decode, emulator, firmware and host tools all take their numbers from here. The crate is `no_std`,
//! has no dependencies and holds no behaviour beyond packing and unpacking of the layouts it defines.
//!
//! | module | what it defines |
//! |---|---|
//! | [`map`] | physical address map and device registers |
//! | [`csr`] | CSR numbers and fields, trap causes |
//! | [`timing`] | cycles an instruction, the look-ahead between processors |
//! | [`page`] | page size, virtual layout, page-map entries, TLB geometry |
//! | [`packet`] | Centrenet packets |
//! | [`mpc`] | message protocol components and the kernel's own messages |
//! | [`monitor`] | time-stamp/datum pairs, MMI words, markers |
//! | [`link`] | frames in which pairs leave a board over a serial line |
//! | [`filter`] | the SMIs' filter: its registers, commands and totals |
//! | [`event`] | the kernel's events and their classes |
//! | [`load`] | a slave's load sample, as events |
//! | [`exchange`] | what processes tell the kernel at the end of a superstep |
//! | [`request`] | requests to move a thread |
//! | [`limits`] | the operating system's limits |
//! | [`syscall`] | system-call numbers and errors |
//! | [`process`], [`ids`] | process ids, and types for them and for threads' numbers |
//! | [`file`](mod@file) | the filestore's names and permissions, and what the host leaves for it |
//! | [`names`] | where programs find the names of processors |
//! | [`asking`] | what a shell asks of whoever types at its console |
//! | [`boot`] | the boot block that the host leaves in RAM for the kernel |
#![no_std]
#![forbid(unsafe_code)]

pub mod asking;
pub mod boot;
pub mod csr;
pub mod event;
pub mod exchange;
pub mod file;
pub mod filter;
pub mod ids;
pub mod limits;
pub mod link;
pub mod load;
pub mod map;
pub mod monitor;
pub mod mpc;
pub mod names;
pub mod packet;
pub mod page;
pub mod process;
pub mod processors;
pub mod request;
pub mod syscall;
pub mod timing;
