//! Translated code, and the one place where it is called.
//!
//! All that it touches lies in a [`Frame`] whose pointers come from the slices of [`Place`]. What it
//! may assume of their lengths is asserted before each call.

use std::ptr::addr_of_mut;

use cranelift_codegen::ir::{types, AbiParam, Signature, UserFuncName};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::Context;
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{default_libcall_names, Module, ModuleError};

use super::call::{Outcome, Place};
use super::emit::emit;
use super::frame::{Exit, Frame, BY_EXIT, CYCLE};
use super::region::Region;
use crate::hart::memory::CODE_SHIFT;
use crate::hart::times::{Times, PAGE_WORDS};

/// Cycles that a call may go on at most, so that [`LOG`] entries hold what its stores overwrite: a
/// store takes at least a cycle for each word.
pub(super) const CYCLES_MAX: u64 = 8192;
/// There is translation to this computer's code, unless something is missing.
pub(super) const EXISTS: bool = true;
const LOG: usize = 8192;

type Function = unsafe extern "C" fn(*mut Frame, u32) -> i64;

/// A translated region. It can be called as long as the [`Codes`] live that have made it, which are
/// asked to.
pub(super) struct Code {
    function: Function,
    exits: Vec<Exit>,
}

/// The maker of code, and the memory that code lies in.
pub(super) struct Codes {
    /// Only gone while it is dropped.
    module: Option<JITModule>,
    context: Context,
    builder: FunctionBuilderContext,
    /// Words of the RAM that the code is for, and the times of the core.
    ram_words: usize,
    times: Times,
    /// What the last call has overwritten.
    log: Box<[[u32; 2]; LOG]>,
}

impl Codes {
    /// # Errors
    /// There is no translation to this computer's code.
    pub fn new(ram_words: usize, times: Times) -> Result<Self, String> {
        let mut flags = settings::builder();
        for (name, value) in [("opt_level", "speed"), ("enable_verifier", "false"), ("enable_probestack", "false")] {
            flags.set(name, value).map_err(|error| error.to_string())?;
        }
        let isa =
            cranelift_native::builder()?.finish(settings::Flags::new(flags)).map_err(|error| error.to_string())?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let context = module.make_context();
        let log = Box::new([[0; 2]; LOG]);
        Ok(Codes { module: Some(module), context, builder: FunctionBuilderContext::new(), ram_words, times, log })
    }

    /// Translates a region.
    ///
    /// # Errors
    /// Cranelift can't, or the system gives no memory that can be executed.
    pub fn make(&mut self, region: &Region) -> Result<Code, Box<ModuleError>> {
        let module = self.module.as_mut().expect("it lives");
        let pointer = module.target_config().pointer_type();
        let mut signature = Signature::new(module.target_config().default_call_conv);
        signature.params = vec![AbiParam::new(pointer), AbiParam::new(types::I32)];
        signature.returns = vec![AbiParam::new(types::I64)];
        let id = module.declare_anonymous_function(&signature)?;
        self.context.func.signature = signature;
        self.context.func.name = UserFuncName::user(0, id.as_u32());
        let exits = emit(&mut self.context.func, &mut self.builder, region, self.ram_words as u32, self.times);
        let defined = module.define_function(id, &mut self.context);
        module.clear_context(&mut self.context);
        defined?;
        module.finalize_definitions()?;
        let address = module.get_finalized_function(id);
        // SAFETY: the function at this address has the signature of `Function`, declared above.
        let function = unsafe { std::mem::transmute::<*const u8, Function>(address) };
        Ok(Code { function, exits })
    }

    /// Executes translated code until it comes to the limit, or to something that it can't do.
    ///
    /// # Panics
    /// If RAM is not of the size that the code was made for, or the limit is too far.
    pub fn call(&mut self, code: &Code, place: Place) -> Outcome {
        assert_eq!(place.words.len(), self.ram_words);
        assert_eq!(place.decoded.len(), self.ram_words);
        assert_eq!(place.has_code.len(), self.ram_words.div_ceil(1 << CODE_SHIFT));
        assert!(place.left <= CYCLES_MAX as i64);
        let log = self.log.as_mut_ptr();
        let mut frame = Frame {
            registers: place.registers.as_mut_ptr(),
            words: place.words.as_mut_ptr(),
            decoded: place.decoded.as_ptr(),
            has_code: place.has_code.as_ptr(),
            tlb: place.tlb.as_ptr(),
            csrs: place.csrs.as_mut_ptr(),
            clock: place.clock,
            log,
            time: place.left * CYCLE,
            complete: i64::MAX,
            base: place.base,
            page: place.first / PAGE_WORDS,
        };
        // SAFETY: the code was made by this module, which frees it only with itself. What it
        // reads and writes through the frame's pointers lies in the slices that they come from,
        // which nobody else uses meanwhile:
        // - registers by their numbers in instructions, below 36 of 256;
        // - words of RAM whose offset it has compared with the RAM's size, or that the TLB has
        //   given it: `Tlb::fill` only takes pages within RAM, and the slice has that size;
        // - `decoded` and `has_code` by the same offsets;
        // - the TLB's entries by an index of four bits;
        // - CSRs by their places in `Csrs::plain`, which `decode` gives;
        // - the log, as often as it stores, which `CYCLES_MAX` bounds.
        // Cells are only read, and no other thread has them.
        let (returned, end) = unsafe {
            let returned = (code.function)(addr_of_mut!(frame), place.entry);
            (returned, frame.log.offset_from(log) as usize)
        };
        let mut outcome = Outcome {
            at: returned as u32,
            left: frame.time >> CYCLE.ilog2(),
            complete: (frame.complete != i64::MAX).then_some(frame.complete >> CYCLE.ilog2()),
            executed: frame.time as u32 as u64,
            is_between_blocks: returned < BY_EXIT,
            stored: end,
        };
        if returned >= BY_EXIT {
            let exit = &code.exits[returned as u32 as usize];
            outcome.complete = exit.complete.map(|complete| outcome.left - complete).or(outcome.complete);
            outcome.at = exit.at;
            outcome.left -= exit.passed;
            outcome.executed += u64::from(exit.executed);
        }
        outcome
    }

    /// Index and former content of the words that the last call has stored to, so many.
    pub fn stored(&self, count: usize) -> &[[u32; 2]] {
        &self.log[..count]
    }
}

impl Drop for Codes {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: code is only called by `call`, which needs what is being dropped.
            unsafe { module.free_memory() };
        }
    }
}
