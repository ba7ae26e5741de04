//! What every thread does, from the RAM of all processors in one cycle.
//!
//! The kernel's ELF file says where its tables are (`testbed_kernel_core::layout`). Nothing that is
//! read is trusted: an address outside RAM, or a number out of bounds, makes that processor
//! unreadable and leaves the rest.

use object::{Object, ObjectSection, ObjectSymbol};
use testbed_definitions::file::NAME_BYTES;
use testbed_definitions::ids::Processor;
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::process;
use testbed_emulator::engine::Engine;
use testbed_kernel_core::layout::{Item, Layout, KERNEL, SECTION};
use testbed_trace::waits::{Channel, Input, Place, Process, Receiver, Sender, Snapshot, State, Thread, Token};

/// Bit 0 of a saved pc: the thread waits for a call's result.
const RESULT: u32 = 1;
/// Where register `ra` is in a saved context, in bytes.
const RA: u32 = 4;
/// No token and no processor; `testbed_definitions::ids::Processor::NOWHERE`.
const NOWHERE: u8 = Processor::NOWHERE.number();
/// Entries that a table has at most: more is none of ours.
const ENTRIES_MAX: u32 = 1 << 12;

/// The lines of a program's source.
pub trait Lines {
    /// Where a thread stands that is at `pc`, the innermost function first. If that is in the
    /// library, `caller` is the address behind the call.
    fn of_call(&self, pc: u32, caller: u32) -> Vec<Place>;
}

/// Looks at all processors of a machine that stands still, whose kernel is the ELF file `kernel`.
///
/// `lines` has the lines of a program's source, by the name of its file, which small kernels do not know.
pub fn look<L: Lines>(
    engine: &dyn Engine,
    kernel: &[u8],
    input: Input,
    lines: &dyn Fn(Option<&str>) -> Option<L>,
) -> Snapshot {
    let mut snapshot = Snapshot { cycle: engine.cycle(), input, ..Snapshot::default() };
    let mut callers = Vec::new();
    let known = Tables::of(kernel);
    for processor in 0..engine.machine().processors.len() as u8 {
        let mut part = Part::default();
        let why = match &known {
            None => "the kernel's file does not say where its tables are",
            Some(Tables { layout, address }) => match (Ram { engine, processor, layout }).tables(*address, &mut part) {
                Some(()) => {
                    snapshot.processes.append(&mut part.processes);
                    snapshot.channels.append(&mut part.channels);
                    callers.append(&mut part.threads);
                    continue;
                }
                None => "its RAM does not hold the kernel's tables",
            },
        };
        snapshot.unreadable.push((processor, why.into()));
    }
    snapshot.processes.sort_by_key(|process| process.id);
    snapshot.channels.sort_by_key(|channel| (channel.process, channel.channel, channel.processor));
    callers.sort_by_key(|(thread, _)| (thread.process, thread.number));
    let lines: Vec<_> = snapshot.processes.iter().map(|process| (process.id, lines(process.name.as_deref()))).collect();
    for (mut thread, caller) in callers {
        let known = lines.iter().find(|(id, _)| *id == thread.process).and_then(|(_, lines)| lines.as_ref());
        thread.places = known.map_or_else(Vec::new, |lines| lines.of_call(thread.pc, caller));
        snapshot.threads.push(thread);
    }
    snapshot
}

/// Where a kernel has its tables.
pub struct Tables {
    pub(crate) layout: Layout,
    /// Address of the kernel's state.
    pub(crate) address: u32,
}

impl Tables {
    /// Those of the kernel in this ELF file; `None` if it does not say where they are.
    pub fn of(kernel: &[u8]) -> Option<Tables> {
        let elf = object::File::parse(kernel).ok()?;
        let layout = Layout::parse(elf.section_by_name(SECTION)?.data().ok()?)?;
        let symbol = elf.symbols().find(|symbol| symbol.name() == Ok(KERNEL))?;
        Some(Tables { layout, address: u32::try_from(symbol.address()).ok()? })
    }

    /// The processor that gets the next line of console input, on a machine that stands still. `None`:
    /// nobody waits for one where the console is.
    pub fn reading(&self, engine: &dyn Engine) -> Option<u8> {
        let ram = Ram { engine, processor: Processor::MASTER.number(), layout: &self.layout };
        // Before the kernel has begun there is nothing to see.
        ram.word(ram.at(self.address, Item::Tcbs)?).filter(|&tcbs| tcbs != 0)?;
        let turn = ram.byte(ram.at(self.address, Item::InputTurn)?)?;
        (usize::from(turn) < engine.machine().processors.len()).then_some(turn)
    }
}

/// What one processor has. Each thread with its return address.
#[derive(Default)]
struct Part {
    processes: Vec<Process>,
    threads: Vec<(Thread, u32)>,
    channels: Vec<Channel>,
}

/// The RAM of one processor. Whatever can't be so is `None`.
pub(crate) struct Ram<'a> {
    pub(crate) engine: &'a dyn Engine,
    pub(crate) processor: u8,
    pub(crate) layout: &'a Layout,
}

impl Ram<'_> {
    pub(crate) fn bytes<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        let offset = address.checked_sub(RAM_BASE)?;
        let end = offset.checked_add(N as u32)?;
        let mut bytes = [0; N];
        if end > self.engine.machine().ram_bytes {
            return None;
        }
        self.engine.read_ram(usize::from(self.processor), address, &mut bytes);
        Some(bytes)
    }

    fn byte(&self, address: u32) -> Option<u8> {
        self.bytes::<1>(address).map(|[byte]| byte)
    }
    pub(crate) fn half(&self, address: u32) -> Option<u16> {
        self.bytes(address).map(u16::from_le_bytes)
    }
    pub(crate) fn word(&self, address: u32) -> Option<u32> {
        self.bytes(address).map(u32::from_le_bytes)
    }
    fn double(&self, address: u32) -> Option<u64> {
        self.bytes(address).map(u64::from_le_bytes)
    }

    /// Address of a field of what begins at `start`.
    pub(crate) fn at(&self, start: u32, item: Item) -> Option<u32> {
        start.checked_add(self.layout.get(item)?)
    }

    /// Addresses of a table's entries.
    pub(crate) fn entries(&self, start: u32, bytes: Item, count: u32) -> Option<impl Iterator<Item = u32>> {
        let bytes = self.layout.get(bytes)?;
        start.checked_add(bytes.checked_mul(count)?)?;
        (count <= ENTRIES_MAX).then(|| (0..count).map(move |index| start + index * bytes))
    }

    fn tables(&self, kernel: u32, part: &mut Part) -> Option<()> {
        let (tcbs, count) = (self.word(self.at(kernel, Item::Tcbs)?)?, self.word(self.at(kernel, Item::TcbCount)?)?);
        for tcb in self.entries(tcbs, Item::TcbBytes, count)? {
            let state = self.byte(self.at(tcb, Item::TcbState)?)?;
            if Some(u32::from(state)) != self.layout.get(Item::Free) {
                part.threads.push(self.thread(tcb, self.state(state))?);
            }
        }
        let records = self.at(kernel, Item::Records)?;
        for index in 0..self.layout.get(Item::RecordCount)?.min(ENTRIES_MAX) {
            let record = self.word(records + 4 * index)?;
            if record != 0 {
                self.channels(record, part)?;
                self.process(kernel, record, part)?;
            }
        }
        Some(())
    }

    fn state(&self, code: u8) -> State {
        self.code(code, State::KNOWN).unwrap_or(State::Unknown)
    }

    /// The state with this code.
    fn code<T: Copy>(&self, code: u8, all: &[(Item, T)]) -> Option<T> {
        all.iter().find(|(item, _)| self.layout.get(*item) == Some(code.into())).map(|(_, state)| *state)
    }

    /// A thread and its return address.
    fn thread(&self, tcb: u32, state: State) -> Option<(Thread, u32)> {
        let context = self.at(tcb, Item::TcbContext)?;
        let (pc, ra) = (self.word(context)?, self.word(context + RA)?);
        // A pc behind a call, unless the call or the instruction is to be made again.
        let again = matches!(state, State::Ready | State::Paging | State::Reading | State::Held);
        let deadline = self.double(self.at(tcb, Item::TcbDeadline)?)?;
        let channels = match state {
            State::Communicating | State::Transmitting => vec![self.byte(self.at(tcb, Item::TcbChannel)?)?],
            State::Alternative => self.list(tcb)?,
            _ => Vec::new(),
        };
        let timed = matches!(state, State::Alternative | State::Delayed);
        let thread = Thread {
            number: self.half(self.at(tcb, Item::TcbNumber)?)?,
            process: self.half(self.at(self.word(self.at(tcb, Item::TcbProcess)?)?, Item::RecordId)?)?,
            processor: self.processor,
            state,
            channels,
            deadline: Some(deadline).filter(|deadline| timed && *deadline != u64::MAX),
            page: if state == State::Paging { Some(self.half(self.at(tcb, Item::TcbPage)?)?) } else { None },
            parent: self.half(self.at(tcb, Item::TcbParent)?)?,
            children: self.half(self.at(tcb, Item::TcbChildren)?)?,
            pc: (pc & !RESULT).wrapping_sub(if again { 0 } else { 4 }),
            places: Vec::new(),
        };
        Some((thread, ra))
    }

    /// The channels of an alternative.
    fn list(&self, tcb: u32) -> Option<Vec<u8>> {
        let count = self.byte(self.at(tcb, Item::TcbListCount)?)?;
        let short = self.layout.get(Item::TcbListShortBytes)?;
        let start = match self.half(self.at(tcb, Item::TcbListPage)?)? {
            0 => self.at(tcb, Item::TcbListShort)?,
            page => RAM_BASE + u32::from(page) * PAGE_BYTES,
        };
        let is_short = u32::from(count) <= short;
        (0..u32::from(count)).map(|index| self.byte(start + index)).collect::<Option<Vec<u8>>>().filter(|_| {
            // A long list is in a page of its own, a short one is not.
            is_short || start & (PAGE_BYTES - 1) == 0
        })
    }

    fn channels(&self, record: u32, part: &mut Part) -> Option<()> {
        let process = self.half(self.at(record, Item::RecordId)?)?;
        let count = self.layout.get(Item::ChannelCount)?;
        let blocks = self.entries(self.at(record, Item::RecordChannels)?, Item::ChannelBytes, count)?;
        for (channel, ccb) in blocks.enumerate() {
            let token_at = self.byte(self.at(ccb, Item::ChannelTokenAt)?)?;
            let token = Token {
                at: token_at,
                sender: self.half(self.at(ccb, Item::ChannelTokenSender)?)?,
                sequence: self.word(self.at(ccb, Item::ChannelTokenSequence)?)?,
            };
            let channel = Channel {
                process,
                channel: channel as u8,
                processor: self.processor,
                sender: self.sender(self.byte(self.at(ccb, Item::ChannelSender)?)?)?,
                receiver: self.receiver(self.byte(self.at(ccb, Item::ChannelReceiver)?)?)?,
                sender_thread: self.half(self.at(ccb, Item::ChannelSenderThread)?)?,
                receiver_thread: self.half(self.at(ccb, Item::ChannelReceiverThread)?)?,
                sent: self.word(self.at(ccb, Item::ChannelSent)?)?,
                received: self.word(self.at(ccb, Item::ChannelReceived)?)?,
                token: (token_at != NOWHERE).then_some(token),
            };
            let is_used = channel.sender_thread != 0 || channel.receiver_thread != 0 || channel.token.is_some();
            if is_used {
                part.channels.push(channel);
            }
        }
        Some(())
    }

    fn sender(&self, code: u8) -> Option<Sender> {
        let codes = [
            (Item::SenderAway, Sender::Away),
            (Item::SenderIdle, Sender::Idle),
            (Item::SenderWaiting, Sender::Waiting),
            (Item::SenderTransmitting, Sender::Transmitting),
        ];
        self.code(code, &codes)
    }

    fn receiver(&self, code: u8) -> Option<Receiver> {
        let codes = [
            (Item::ReceiverAway, Receiver::Away),
            (Item::ReceiverIdle, Receiver::Idle),
            (Item::ReceiverWaiting, Receiver::Waiting),
            (Item::ReceiverAlternative, Receiver::Alternative),
            (Item::ReceiverCollecting, Receiver::Collecting),
        ];
        self.code(code, &codes)
    }

    /// What a process's home knows of it.
    fn process(&self, kernel: u32, record: u32, part: &mut Part) -> Option<()> {
        let id = self.half(self.at(record, Item::RecordId)?)?;
        if process::home(id) != self.processor {
            return Some(());
        }
        let count = self.layout.get(Item::PlaceCount)?;
        let mut places = self.entries(self.at(kernel, Item::Places)?, Item::PlaceBytes, count)?;
        let place = places.nth(usize::from(process::place(id)) & (count as usize).saturating_sub(1))?;
        let here = self.half(self.at(place, Item::PlaceId)?)? == id;
        let waiter = (
            self.half(self.at(place, Item::PlaceWaiterProcess)?)?,
            self.half(self.at(place, Item::PlaceWaiterThread)?)?,
        );
        let name = match self.layout.get(Item::PlaceName).filter(|_| here) {
            Some(offset) => Some(self.bytes::<NAME_BYTES>(place.checked_add(offset)?)?),
            None => None,
        };
        let name = name.map(|name| {
            let end = name.iter().position(|byte| *byte == 0).unwrap_or(NAME_BYTES);
            String::from_utf8_lossy(&name[..end]).into_owned()
        });
        part.processes.push(Process {
            id,
            name: name.filter(|name| !name.is_empty()),
            suspended: self.byte(self.at(record, Item::RecordSuspended)?)? != 0,
            ids: self.double(self.at(record, Item::RecordIds)?)?,
            waiter: Some(waiter).filter(|(_, thread)| here && *thread != 0),
        });
        Some(())
    }
}
