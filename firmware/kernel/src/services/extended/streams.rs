//! Streams of processes that lead to files of their home: output is appended, input read line by
//! line as from the console.

use testbed_definitions::ids::ProcessId;
use testbed_definitions::page::VIRTUAL_BYTES;
use testbed_definitions::syscall::{control, Error};

use crate::services::extended::input::BYTES_A_LINE;
use crate::state::call::Outcome;
use crate::state::kernel::{Index, Kernel};

impl Kernel {
    /// Leads a stream of a process that is invoked here to a file, as `control` names them.
    pub fn lead(&mut self, id: ProcessId, what: u32) -> Result<(), Error> {
        let (stream, value) = (what & control::STREAM_MASK, what >> control::FILE_SHIFT);
        match stream {
            control::INPUT if value != 0 => drop(self.files.reading(value, 0, 0)?),
            control::OUTPUT | control::ERRORS if value != 0 => drop(self.files.writing(value, 0, 0)?),
            control::INPUT | control::OUTPUT | control::ERRORS => {}
            control::SEEK => {
                self.streams.seek(id, value);
                return Ok(());
            }
            _ => return Err(Error::UnknownCall),
        }
        self.streams.lead(id, stream, value);
        Ok(())
    }

    /// Writes to the end of the file to which a thread's output leads; `None` if it leads to the
    /// console.
    #[cold]
    #[inline(never)]
    pub fn write_led(&mut self, index: Index, from: (u32, u32), errors: bool) -> Option<Result<u32, Error>> {
        let process = self.tcb_of(index).process();
        let lead = self.streams.of(process.id())?;
        let handle = if errors { lead.errors } else { lead.output };
        if handle == 0 {
            return None;
        }
        let end = self.files.writing(handle, 0, 0).map(|(file, _)| self.files.get(file).bytes);
        Some(end.and_then(|end| self.write_file(process, handle, end, from)))
    }

    /// Reads a line of the file that a thread's process reads; `None` if it reads the console.
    #[cold]
    #[inline(never)]
    pub fn read_led(&mut self, index: Index, buffer: u32, bytes: u32) -> Option<Outcome> {
        let process = self.tcb_of(index).process();
        let lead = self.streams.of(process.id())?;
        if lead.input == 0 {
            return None;
        }
        let (handle, offset) = (lead.input, lead.offset);
        if bytes == 0 || bytes > VIRTUAL_BYTES {
            return Some(Outcome::Done(Err(Error::BadLength)));
        }
        let most = self.files.reading(handle, offset, bytes.min(BYTES_A_LINE));
        let read = most.and_then(|(file, most)| {
            let byte = |at: u32| self.file_address(file, offset + at) as *const u8;
            // SAFETY: the byte is in a page of the file's.
            let newline = (0..most).find(|&at| unsafe { byte(at).read_volatile() } == b'\n');
            let count = newline.map_or(most, |at| at + 1);
            self.read_file(process, handle, offset, (buffer, count))
        });
        if let Ok(count) = read {
            self.streams.seek(process.id(), offset + count);
        }
        Some(Outcome::Done(read))
    }
}
