//! The compiled model behind its C interface: loading, signals by name, running, buffers.

use std::ffi::{c_void, CString};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

use libloading::Library;

use super::shim::{Buffer, Clear, Functions, Handle, RawRetirement};
use crate::engine::{ConsoleByte, EngineError, Exit, Retirement, TraceWord};
use crate::waves::Waves;

/// A loaded shared object, from which any number of models can be made.
#[derive(Clone)]
pub struct Program(Arc<Functions>);

impl Program {
    /// Loads what [`super::compile::shared_object`] built.
    ///
    /// # Errors
    /// The file cannot be loaded or is not one of ours.
    pub fn load(path: &Path) -> Result<Self, EngineError> {
        let failed = |error: libloading::Error| {
            EngineError::Failed(format!(
                "{} cannot be loaded: {error}; delete it to have it built again",
                path.display()
            ))
        };
        // SAFETY: the object is our shim and Verilator's model; neither runs code with requirements when loaded.
        let library = unsafe { Library::new(path) }.map_err(failed)?;
        // SAFETY: every name is taken with the type that shim.cpp defines it with.
        unsafe {
            let functions = Functions::of(library).map_err(failed)?;
            Ok(Program(Arc::new(functions)))
        }
    }

    /// A fresh model in cycle 0, its memories zero.
    ///
    /// # Errors
    /// The model cannot be made (out of memory).
    pub fn model(&self, reset_vector: u32, processors: usize) -> Result<Model, EngineError> {
        // SAFETY: any arguments will do.
        let handle = unsafe { (self.0.new)(reset_vector, processors as u32) };
        let handle =
            NonNull::new(handle).ok_or_else(|| EngineError::Failed("no memory for the Verilator model".into()))?;
        Ok(Model { handle, functions: self.0.clone() })
    }
}

/// A running model.
pub struct Model {
    handle: NonNull<Handle>,
    functions: Arc<Functions>,
}

// SAFETY: a model is a plain C++ object without ties to the thread that made it; `&mut` methods have it for themselves,
// and `&` methods only read.
unsafe impl Send for Model {}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: the handle came from `new` and is not used again.
        unsafe { (self.functions.delete)(self.handle.as_ptr()) }
    }
}

/// Storage of a public signal: an array of `u8` or `u32` elements (one element for a plain signal) inside the model.
#[derive(Clone, Copy, Debug)]
pub struct Storage {
    pub data: *mut u8,
    /// Bytes of an element: 1 for up to 8 bits, 2, 4 for up to 32 bits.
    pub element_bytes: u32,
}

impl Storage {
    /// Nothing yet.
    pub const NONE: Storage = Storage { data: std::ptr::null_mut(), element_bytes: 0 };
}

/// A memory of 32-bit words in two arrays: its even words and its odd ones.
pub type Banks = [Storage; 2];

/// Where the byte at an offset of such a memory is.
fn place(memory: Banks, offset: usize) -> *mut u8 {
    let word = offset / 4;
    // Every second word is the other bank's.
    memory[word % 2].data.wrapping_add(word / 2 * 4 + offset % 4)
}

/// Signals of one processor that the shim samples in every cycle, in the order of `enum Point`.
pub const POINTS: usize = 18;

impl Model {
    /// Finds a public signal. `scope` is the path of instances after `TOP.`, e.g. `top.processors$0`.
    ///
    /// # Errors
    /// There is none of that name, or it does not have `element_bytes`: the configuration and the design don't match.
    pub fn find(&self, scope: &str, name: &str, element_bytes: u32) -> Result<Storage, EngineError> {
        let storage = self.find_any(scope, name)?;
        if storage.element_bytes != element_bytes {
            return Err(EngineError::Failed(format!(
                "signal {scope}.{name} of the Verilator model has elements of {} bytes where {element_bytes} are expected",
                storage.element_bytes
            )));
        }
        Ok(storage)
    }

    /// Finds a public signal of any width.
    fn find_any(&self, scope: &str, name: &str) -> Result<Storage, EngineError> {
        let failed = |what: String| EngineError::Failed(format!("signal {scope}.{name} of the Verilator model {what}"));
        let (Ok(c_scope), Ok(c_name)) = (CString::new(format!("TOP.{scope}")), CString::new(name)) else {
            return Err(failed("has a NUL in its name".into()));
        };
        let mut bytes = 0;
        // SAFETY: the strings are NUL-terminated and live during the call.
        let data =
            unsafe { (self.functions.find)(self.handle.as_ptr(), c_scope.as_ptr(), c_name.as_ptr(), &mut bytes) };
        if data.is_null() {
            return Err(failed("is not there".into()));
        }
        Ok(Storage { data: data.cast(), element_bytes: bytes })
    }

    /// Value of a public signal of up to 32 bits.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn value(&self, scope: &str, name: &str) -> Result<u32, EngineError> {
        let storage = self.find_any(scope, name)?;
        // SAFETY: the storage belongs to this model and has the size that it says.
        Ok(unsafe {
            match storage.element_bytes {
                1 => u32::from(*storage.data),
                2 => u32::from(*storage.data.cast::<u16>()),
                _ => *storage.data.cast::<u32>(),
            }
        })
    }

    /// Bytes `offset` on of a memory of 32-bit words, as a little-endian processor sees them.
    ///
    /// # Safety
    /// `memory` is a memory of this model and has the bytes.
    pub unsafe fn read_memory(&self, memory: Banks, offset: usize, bytes: &mut [u8]) {
        for (at, byte) in bytes.iter_mut().enumerate() {
            // SAFETY: by contract; the model does not run meanwhile.
            *byte = unsafe { place(memory, offset + at).read() };
        }
    }

    /// Writes to a memory of 32-bit words; [`Model::settle`] comes after.
    ///
    /// # Safety
    /// `memory` is a memory of this model and has the bytes.
    pub unsafe fn write_memory(&mut self, memory: Banks, offset: usize, bytes: &[u8]) {
        for (at, byte) in bytes.iter().enumerate() {
            // SAFETY: by contract; the model does not run meanwhile.
            unsafe { place(memory, offset + at).write(*byte) };
        }
    }

    /// Tells where processor `processor`'s signals are.
    pub fn bind_processor(&mut self, processor: usize, points: &[Storage; POINTS]) {
        let points = points.map(|point| point.data.cast_const().cast::<c_void>());
        // SAFETY: `points` has as many pointers as the shim reads, all into this model.
        unsafe { (self.functions.bind_processor)(self.handle.as_ptr(), processor as u32, points.as_ptr()) }
    }

    /// Tells where the divisor of the UART on the serial line is, bit 0 inverted.
    pub fn bind_line(&mut self, divisor: Storage) {
        debug_assert_eq!(divisor.element_bytes, 2);
        // SAFETY: the storage belongs to this model and has 16 bits.
        unsafe { (self.functions.bind_line)(self.handle.as_ptr(), divisor.data.cast_const().cast()) }
    }

    /// Appends bytes that enter the serial line from this cycle on.
    pub fn give(&mut self, bytes: &[u8]) {
        // SAFETY: the shim copies as many bytes as it is told of; the line was bound when the engine was made.
        unsafe { (self.functions.give)(self.handle.as_ptr(), bytes.as_ptr(), bytes.len() as u64) }
    }

    /// Bytes given that have not begun to enter.
    pub fn waiting(&self) -> usize {
        // SAFETY: plain call.
        unsafe { (self.functions.waiting)(self.handle.as_ptr()) as usize }
    }

    /// Lets combinational logic see what was written to memories.
    pub fn settle(&mut self) {
        // SAFETY: plain call.
        unsafe { (self.functions.eval)(self.handle.as_ptr()) }
    }

    /// Runs until cycle `until`.
    pub fn run(&mut self, until: u64) {
        // SAFETY: all processors were bound when the engine was made.
        unsafe { (self.functions.run)(self.handle.as_ptr(), until) }
    }

    pub fn cycle(&self) -> u64 {
        // SAFETY: plain call.
        unsafe { (self.functions.cycle)(self.handle.as_ptr()) }
    }

    pub fn retired(&self, processor: usize) -> u64 {
        // SAFETY: callers give processors that exist.
        unsafe { (self.functions.retired)(self.handle.as_ptr(), processor as u32) }
    }

    pub fn record(&mut self, processor: Option<usize>) {
        let number = processor.map_or(-1, |processor| processor as i32);
        // SAFETY: plain call.
        unsafe { (self.functions.record)(self.handle.as_ptr(), number) }
    }

    pub fn take_trace(&mut self) -> Vec<TraceWord> {
        let words = self.read(self.functions.trace.0, |raw| TraceWord { cycle: raw.cycle, word: raw.word });
        self.clear(self.functions.trace.1);
        words
    }

    pub fn take_console(&mut self) -> Vec<ConsoleByte> {
        let bytes = self.read(self.functions.console.0, |raw| ConsoleByte {
            cycle: raw.cycle,
            processor: raw.processor as u8,
            byte: raw.value as u8,
        });
        self.clear(self.functions.console.1);
        bytes
    }

    pub fn exits(&self) -> Vec<Exit> {
        self.read(self.functions.exits, |raw| Exit {
            cycle: raw.cycle,
            processor: raw.processor as u8,
            code: raw.value,
        })
    }

    pub fn take_retirements(&mut self) -> Vec<Retirement> {
        let retirements = self.read(self.functions.retirements.0, retirement);
        self.clear(self.functions.retirements.1);
        retirements
    }

    fn read<T, U>(&self, buffer: Buffer<T>, convert: impl Fn(&T) -> U) -> Vec<U> {
        let mut count = 0;
        // SAFETY: plain call; `count` lives.
        let data = unsafe { buffer(self.handle.as_ptr(), &mut count) };
        if count == 0 {
            return Vec::new();
        }
        // SAFETY: the shim's vector holds `count` elements and does not change while we have `self`.
        unsafe { std::slice::from_raw_parts(data, count as usize) }.iter().map(convert).collect()
    }

    fn clear(&mut self, clear: Clear) {
        // SAFETY: plain call.
        unsafe { clear(self.handle.as_ptr()) }
    }

    /// Starts writing `waves` of the instance `scope` of a machine with this clock.
    ///
    /// # Errors
    /// The file cannot be written, or the model was built without waves.
    pub fn open_waves(&mut self, waves: &Waves, scope: &str, clock_hz: u32) -> Result<(), EngineError> {
        let path = waves.path.as_path();
        let failed = |why: &str| EngineError::Failed(format!("waves cannot be written to {}: {why}", path.display()));
        let c_path =
            path.to_str().and_then(|path| CString::new(path).ok()).ok_or_else(|| failed("the name is not UTF-8"))?;
        let c_scope = CString::new(scope).map_err(|_| failed("the scope has a NUL in its name"))?;
        // SAFETY: the strings are NUL-terminated and live during the call.
        let result = unsafe {
            (self.functions.open_waves)(
                self.handle.as_ptr(),
                c_path.as_ptr(),
                c_scope.as_ptr(),
                waves.depth as i32,
                waves.until,
                clock_hz,
            )
        };
        match result {
            0 => Ok(()),
            -1 => Err(failed("this build has no waves")),
            _ => Err(failed("the file cannot be created")),
        }
    }

    pub fn close_waves(&mut self) {
        // SAFETY: plain call.
        unsafe { (self.functions.close_waves)(self.handle.as_ptr()) }
    }
}

fn retirement(raw: &RawRetirement) -> Retirement {
    Retirement {
        cycle: raw.cycle,
        trap: raw.trap != 0,
        half: raw.half != 0,
        pc: raw.pc,
        instruction: raw.instruction,
        rd: raw.rd,
        value: raw.value,
        cause: raw.cause,
        tval: raw.tval,
        load: raw.load != 0,
        store: raw.store != 0,
        address: raw.address,
        data: raw.data,
        mask: raw.mask,
    }
}
