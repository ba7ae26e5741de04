//! Where the kernel keeps its threads, channels and processes: what a look into a processor's RAM
//! from outside needs to know.
//!
//! The kernel's ELF file has a section [`SECTION`] of [`WORDS`] words that is never loaded:
//! [`MAGIC`], then the value of each [`Item`], as the compiler that laid the kernel's tables out
//! knows them. The symbol [`KERNEL`] names the kernel's state.

/// Name of the section, and of the symbol.
pub const SECTION: &str = ".layout";
pub const KERNEL: &str = "KERNEL";
/// The section's first word.
pub const MAGIC: u32 = 0x4c41_594f;
/// The value of what this kernel does not have.
pub const ABSENT: u32 = u32::MAX;

/// Calls the macro `$with` with every state that a thread's control block can be in, from code 1
/// on, each with what it means; code 0 is a block that is free. All lists of states come from this
/// one: the kernel's, that of the section's items, and the host's.
#[macro_export]
macro_rules! thread_states {
    ($with:ident) => {
        $with! {
            /// In the ready queue, or running.
            Ready,
            /// Blocked on its channel.
            Communicating,
            /// Blocked on its channel while its message leaves in fragments.
            Transmitting,
            /// Blocked on several channels at once.
            Alternative,
            /// Leaves for another processor.
            Moving,
            /// Has ended, and its channels' ends leave for its process's home.
            Returning,
            /// No thread, but ends of channels that go to where a thread is to be created again,
            /// ahead of it, or that come back from there.
            Courier,
            /// Waits for another processor to create its child.
            Creating,
            /// Waits for its children.
            Waiting,
            /// Has called `exit`, and waits for its children or for its process to end.
            Ending,
            /// Waits for another processor's answer, or for the end of a process.
            Asking,
            /// Waits for a page.
            Paging,
            /// Would be ready, were its process not suspended.
            Held,
            /// Waits for a time.
            Delayed,
            /// Has come to the end of its superstep, and waits for the other members of its group.
            Synchronizing,
            /// The same, while what it has for them leaves.
            Exchanging,
            /// Waits for console input, which the small kernel does not have.
            Reading,
        }
    };
}

macro_rules! items {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Offsets and sizes in bytes, numbers of entries, and the codes of states.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(usize)]
        pub enum Item { $($(#[$doc])* $name,)* }

        impl Item {
            /// Every item, in the section's order.
            pub const ALL: &'static [Item] = &[$(Item::$name),*];
        }
    };
}

macro_rules! items_with_states {
    ($($(#[$doc:meta])* $state:ident,)*) => {
        items! {
            /// In the kernel: address and number of the thread control blocks.
            Tcbs,
            TcbCount,
            TcbBytes,
            /// In a thread control block.
            TcbContext,
            TcbState,
            TcbDeadline,
            TcbProcess,
            TcbNumber,
            TcbParent,
            TcbChannel,
            TcbChildren,
            TcbPage,
            /// The list of an alternative: its channels if they are few, else the page that holds
            /// them, and their number.
            TcbListShort,
            TcbListShortBytes,
            TcbListPage,
            TcbListCount,
            /// In the kernel: addresses of the processes' records, and how many there are.
            Records,
            RecordCount,
            /// In a process's record.
            RecordId,
            RecordSuspended,
            /// On the process's home, as bits: thread ids in use.
            RecordIds,
            RecordChannels,
            ChannelCount,
            /// In a channel's control block.
            ChannelBytes,
            ChannelSender,
            ChannelReceiver,
            ChannelSenderThread,
            ChannelReceiverThread,
            ChannelSent,
            ChannelReceived,
            ChannelTokenAt,
            ChannelTokenSender,
            ChannelTokenSequence,
            /// In the kernel: the places of processes that were invoked there.
            Places,
            PlaceCount,
            PlaceBytes,
            PlaceId,
            PlaceWaiterProcess,
            PlaceWaiterThread,
            PlaceName,
            /// In the kernel, on the master: the processor that gets the next line of console input.
            InputTurn,
            /// In the kernel: the filestore's files, and how many there may be.
            Files,
            FileCount,
            FileRecordBytes,
            /// In a file's record: its name, its size, and the page that lists its pages; 0: it is free.
            FileName,
            FileSize,
            FileList,
            /// Codes of a channel's sending end.
            SenderAway,
            SenderIdle,
            SenderWaiting,
            SenderTransmitting,
            /// Codes of a channel's receiving end.
            ReceiverAway,
            ReceiverIdle,
            ReceiverWaiting,
            ReceiverAlternative,
            ReceiverCollecting,
            /// The code of a thread control block that is free, then those of a thread's states.
            Free,
            $($(#[$doc])* $state,)*
        }
    };
}

thread_states!(items_with_states);

/// Words of the section.
pub const WORDS: usize = Item::ALL.len() + 1;

/// The section's words; items that are in none of the `parts` are [`ABSENT`].
pub const fn words(parts: &[&[(Item, usize)]]) -> [u32; WORDS] {
    let mut words = [ABSENT; WORDS];
    words[0] = MAGIC;
    let mut part = 0;
    while part < parts.len() {
        let mut next = 0;
        while next < parts[part].len() {
            let (item, value) = parts[part][next];
            words[item as usize + 1] = value as u32;
            next += 1;
        }
        part += 1;
    }
    words
}

/// What the section says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout([u32; WORDS]);

impl Layout {
    /// Reads the section's bytes; `None` if they are not such a section.
    pub fn parse(section: &[u8]) -> Option<Layout> {
        let mut words = [0; WORDS];
        if section.len() != 4 * WORDS {
            return None;
        }
        for (word, bytes) in words.iter_mut().zip(section.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        (words[0] == MAGIC).then_some(Layout(words))
    }

    /// The value of an item; `None` if this kernel has no such thing.
    pub fn get(&self, item: Item) -> Option<u32> {
        let value = self.0[item as usize + 1];
        (value != ABSENT).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    fn section(values: &[(Item, usize)]) -> Vec<u8> {
        words(&[values]).iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let layout = Layout::parse(&section(&[(Item::TcbState, 7), (Item::ReceiverCollecting, 4)])).unwrap();
        assert_eq!(layout.get(Item::TcbState), Some(7));
        assert_eq!(layout.get(Item::ReceiverCollecting), Some(4));
        assert_eq!(layout.get(Item::TcbPage), None);
    }

    #[test]
    fn parts_are_joined() {
        let joined = words(&[&[(Item::TcbState, 7)], &[], &[(Item::Free, 0), (Item::Ready, 1)]]);
        assert_eq!(joined, words(&[&[(Item::TcbState, 7), (Item::Free, 0), (Item::Ready, 1)]]));
    }

    #[test]
    fn other_bytes_are_no_layout() {
        let mut bytes = section(&[]);
        assert!(Layout::parse(&bytes[4..]).is_none());
        bytes[0] ^= 1;
        assert!(Layout::parse(&bytes).is_none());
        assert!(Layout::parse(&[]).is_none());
    }
}
