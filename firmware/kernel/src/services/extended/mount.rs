//! A file's way to a processor that lacks it: asked for by name, then sent piece by piece, each
//! when the one before has arrived.

use testbed_definitions::ids::{ProcessId, Processor};
use testbed_definitions::limits::{FILES, FILE_BYTES};
use testbed_definitions::mpc::{self, file as layout};
use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::filestore::Name;

use crate::arch::memory;
use crate::drivers::packet::Packet;
use crate::services::extended::invoke::start_processor;
use crate::state::effects::MOUNTS;
use crate::state::extended::mount::{Mount, Wanted};
use crate::state::kernel::Kernel;
use crate::state::user::read_packet;

/// The offset of a piece that means: no more of them.
const ENOUGH: u32 = u32::MAX;

impl Kernel {
    /// The file of the first process that waits for one is asked for, unless one is on its way.
    fn choose_mount(&mut self) {
        if self.mounts.coming.is_some() {
            return;
        }
        let waiting = self.places.iter().find(|place| place.is_loading());
        self.mounts.coming = waiting.map(|place| Mount {
            name: place.invoked.name,
            source: place.invoked.source,
            asked: false,
            file: None,
        });
    }

    /// Sends what there is, as far as there are data buffers.
    pub fn pump_files(&mut self) {
        self.effects.done(MOUNTS);
        self.choose_mount();
        if let Some(Mount { name, source, asked: false, .. }) = self.mounts.coming {
            let Some(packet) = self.net.free_buffer() else { return self.effects.note(MOUNTS) };
            let words = packet as *mut u32;
            // SAFETY: the buffer is the driver's, free, and has room for a packet.
            unsafe {
                words.write_volatile(mpc::operation_address(layout::WANT, ProcessId::NONE));
                words.add(layout::OFFSET).write_volatile(0);
                memory::copy(name.as_ptr() as u32, words.add(layout::NAME) as u32, name.len() as u32);
            }
            self.net.queue_buffer(source, mpc::FILE, layout::WANT_BYTES as u32);
            self.mounts.coming.iter_mut().for_each(|mount| mount.asked = true);
        }
        for processor in 0..self.mounts.wanted.len() {
            let Some(wanted) = self.mounts.wanted[processor] else { continue };
            if !self.send_piece(Processor::new(processor as u8), wanted) {
                return self.effects.note(MOUNTS);
            }
            self.mounts.wanted[processor] = None;
        }
    }

    /// `false`: there is no buffer.
    fn send_piece(&mut self, to: Processor, wanted: Wanted) -> bool {
        let Some(packet) = self.net.free_buffer() else { return false };
        let (mut permissions, mut bytes, mut handle) = (0, 0, 0);
        let size = match wanted.file {
            Ok(index) => {
                let file = self.files.get(index);
                (permissions, handle) = (file.permissions, index as u32);
                let size = file.bytes;
                bytes = file.bytes.saturating_sub(wanted.offset).min(PAGE_BYTES);
                if bytes != 0 {
                    let from = self.file_address(index, wanted.offset);
                    // SAFETY: the piece is in one page of the file's; the buffer is the driver's,
                    // free, and has room for it.
                    unsafe { memory::copy(from, packet + 4 * layout::DATA as u32, bytes) };
                }
                if wanted.offset + bytes >= size {
                    self.leave_file(index);
                }
                size
            }
            Err(error) => error.code() as u32,
        };
        let words = [mpc::operation_address(layout::PIECE, ProcessId::NONE), wanted.offset, size, permissions, handle];
        for (index, word) in words.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { (packet as *mut u32).add(index).write_volatile(word) };
        }
        self.net.queue_buffer(to, mpc::FILE, 4 * layout::DATA as u32 + bytes);
        true
    }

    /// A packet that concerns a file.
    pub fn serve_file(&mut self, packet: &Packet) {
        let (from, length) = (packet.source(), packet.header.length as usize);
        let offset = packet.word(layout::OFFSET);
        match mpc::operation(packet.word(layout::ADDRESS)) {
            layout::WANT if length == layout::WANT_BYTES => {
                let mut name = Name::default();
                read_packet(packet, layout::NAME, &mut name);
                let file = self.files.find(&name).ok_or(Error::NoFile);
                let file = file.and_then(|index| self.files.executable(index).map(|_| index));
                if let Ok(index) = file {
                    // It must not change under way.
                    self.files.add_user(index);
                }
                self.want(from, Wanted { file, offset: 0 });
            }
            layout::NEXT if length == layout::NEXT_BYTES => {
                let index = packet.word(layout::FILE) as usize % FILES;
                if self.files.get(index).is_free() {
                    return;
                }
                if offset == ENOUGH {
                    self.leave_file(index);
                } else {
                    self.want(from, Wanted { file: Ok(index), offset });
                }
            }
            layout::PIECE if length >= 4 * layout::DATA => self.serve_piece(packet, offset),
            // A kernel sends no other.
            _ => {}
        }
    }

    fn want(&mut self, from: Processor, wanted: Wanted) {
        self.mounts.wanted[from.index() % self.mounts.wanted.len()] = Some(wanted);
        self.pump_files();
    }

    fn serve_piece(&mut self, packet: &Packet, offset: u32) {
        let Some(mut mount) = self.mounts.coming.filter(|mount| mount.source == packet.source()) else { return };
        let size = packet.word(layout::SIZE);
        let error = Error::from_code(size as i32);
        if error == Some(Error::NoFile) && mount.source != start_processor() {
            // The source had a copy when it was named, and has freed it since: all copies come from
            // there.
            (mount.source, mount.asked) = (start_processor(), false);
            self.mounts.coming = Some(mount);
            return self.pump_files();
        }
        let bytes = packet.header.length as u32 - 4 * layout::DATA as u32;
        let result = match error {
            Some(error) => Err(error),
            None => self.put_piece(&mut mount, packet, (offset, bytes)),
        };
        self.mounts.coming = Some(mount);
        let last = error.is_some() || offset + bytes >= size;
        if !last {
            let next = if result.is_ok() { offset + bytes } else { ENOUGH };
            let words =
                [mpc::operation_address(layout::NEXT, ProcessId::NONE), next, 0, 0, packet.word(layout::FILE), 0];
            self.net.queue_token(mount.source, mpc::FILE, words, layout::NEXT_BYTES);
        }
        if last || result.is_err() {
            self.mounted(&mount, result);
        }
    }

    fn put_piece(&mut self, mount: &mut Mount, packet: &Packet, (offset, bytes): (u32, u32)) -> Result<(), Error> {
        let index = match mount.file {
            Some(index) => index,
            None => self.create_file(&Name::default(), packet.word(layout::PERMISSIONS))?,
        };
        mount.file = Some(index);
        if offset % PAGE_BYTES != 0 || bytes > PAGE_BYTES || offset >= FILE_BYTES as u32 {
            return Err(Error::BadProgram);
        }
        if bytes == 0 {
            return Ok(());
        }
        self.extend_file(index, offset + bytes)?;
        let mut to = self.file_address(index, offset);
        for (from, part) in packet.pieces(layout::DATA, bytes) {
            // SAFETY: the piece is in the receive ring, its place in a page of the file's.
            unsafe { memory::copy(from, to, part) };
            to += part;
        }
        Ok(())
    }

    /// All of the file is here, or nothing will be.
    fn mounted(&mut self, mount: &Mount, result: Result<(), Error>) {
        let named = match (result, mount.file) {
            (Ok(()), Some(index)) => self.files.mount(index, &mount.name),
            (Ok(()), None) => Err(Error::NoFile),
            (Err(error), _) => Err(error),
        };
        if let (Err(_), Some(index)) = (named, mount.file) {
            self.free_file(index);
        }
        self.mounts.coming = None;
        // Another file of that name may have been made here meanwhile.
        let found = self.files.find(&mount.name);
        if let Some(index) = found {
            // Kept until all that wait for it have had their chance.
            self.files.add_user(index);
        }
        self.file_came(&mount.name, found.ok_or(named.err().unwrap_or(Error::NoFile)));
        if let Some(index) = found {
            self.leave_file(index);
        }
        // Others may wait for one.
        self.effects.note(MOUNTS);
    }
}
