//! What processes send each other at the end of a superstep: a row of items, each a header and then
//! data, padded to a multiple of [`PAD`].

use testbed_definitions::exchange::DEPOSITED;

/// Data begin and end at multiples of this.
pub const PAD: usize = 8;

/// What an item is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Data for a registered area.
    Put = 1,
    /// Part of a registered area is wanted. No data.
    Get = 2,
    /// A tag, and then a message.
    Message = 3,
    /// What a get has wanted.
    Reply = 4,
    /// As [`Kind::Get`], and nobody minds when it is read, and written.
    HpGet = 5,
}

/// The words ahead of an item's data.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Header {
    kind: Kind,
    /// The rank that has asked for this put or get.
    pub rank: u8,
    /// The number of a put's or get's registration.
    pub slot: u16,
    /// Bytes of data, or of what a get wants; of a message without its tag.
    pub bytes: u32,
    /// Where a put or get begins in its area, or how many bytes a message's tag has.
    pub offset: u32,
    /// Of a get and its reply: where the data belong. The last word: of what the kernel has put there
    /// already it is [`DEPOSITED`].
    pub to: u32,
}

pub const HEADER: usize = size_of::<Header>();
const _: () = assert!(HEADER % PAD == 0);

impl Header {
    pub fn put(rank: usize, slot: u16, offset: u32, bytes: u32) -> Header {
        Header { kind: Kind::Put, rank: rank as u8, slot, bytes, offset, to: 0 }
    }
    pub fn get(kind: Kind, rank: usize, slot: u16, offset: u32, bytes: u32, to: u32) -> Header {
        Header { kind, rank: rank as u8, slot, bytes, offset, to }
    }
    pub fn message(tag_bytes: u32, bytes: u32) -> Header {
        Header { kind: Kind::Message, rank: 0, slot: 0, bytes, offset: tag_bytes, to: 0 }
    }
    pub fn reply(to: u32, bytes: u32) -> Header {
        Header { kind: Kind::Reply, rank: 0, slot: 0, bytes, offset: 0, to }
    }

    /// Whether the data are where they belong, and not behind this.
    pub fn is_deposited(&self) -> bool {
        self.to == DEPOSITED
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Bytes of the item.
    pub fn item_bytes(&self) -> usize {
        HEADER
            + match self.kind {
                Kind::Put | Kind::Reply => (self.bytes as usize).next_multiple_of(PAD),
                Kind::Get | Kind::HpGet => 0,
                Kind::Message => message_bytes(self.offset as usize, self.bytes as usize),
            }
    }
}

/// Bytes of a tag and a message, each padded.
pub fn message_bytes(tag: usize, bytes: usize) -> usize {
    tag.next_multiple_of(PAD) + bytes.next_multiple_of(PAD)
}

/// The items that lie in a range of memory.
#[derive(Clone)]
pub struct Items {
    at: usize,
    end: usize,
}

impl Items {
    pub const NONE: Items = Items { at: 0, end: 0 };

    /// # Safety
    /// Items lie one behind the other in the range, and stay there.
    pub unsafe fn new(start: usize, end: usize) -> Items {
        Items { at: start, end }
    }
}

/// Each item: its header and where its data are.
impl Iterator for Items {
    type Item = (Header, usize);

    #[inline]
    fn next(&mut self) -> Option<(Header, usize)> {
        if self.at >= self.end {
            return None;
        }
        // SAFETY: by `new`'s contract an item begins there.
        let header = unsafe { (self.at as *const Header).read() };
        let data = self.at + HEADER;
        self.at += header.item_bytes();
        Some((header, data))
    }
}
