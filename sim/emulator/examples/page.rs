//! A machine, its kernel and a program, and the trace of their run, without files: what a page in a
//! browser needs of the Testbed, as a WebAssembly module.
//!
//! ```text
//! cargo build --release --target wasm32-unknown-unknown -p testbed-emulator --no-default-features --example page
//! ```
//!
//! The page makes room for each of its inputs by [`room`] and writes it there: the machine's
//! description, the kernel's ELF file, the program's, and the words of its arguments. Then [`run`]
//! runs them, and [`output`] is where the bytes are that it counted: what [`show`] gives.

use std::path::Path;
use std::sync::Mutex;

use testbed_definitions::event::DIAG_DEFAULT;
use testbed_emulator::emulator::Emulator;
use testbed_emulator::engine::Engine;
use testbed_emulator::load::{image, Boot, File};
use testbed_machine::Machine;
use testbed_trace::capture::{verify, Capture, CaptureWriter, Files, RunRecord};
use testbed_trace::order::events;
use testbed_trace::summary::describe;

/// Cycles between two looks at whether the program is over.
const CHUNK: u64 = 65_536;

/// What a page has given, and what it is to read.
#[derive(Default)]
struct Page {
    inputs: Vec<Vec<u8>>,
    output: Vec<u8>,
}

static PAGE: Mutex<Page> = Mutex::new(Page { inputs: Vec::new(), output: Vec::new() });

/// Runs a program for at most `cycles` and shows what came of it: every file of the run's folder, each
/// behind a line with its name and its bytes, and then a line for every event of the ordered trace.
///
/// # Errors
/// What is wrong with the inputs, with a remedy.
pub fn show(description: &str, kernel: &[u8], program: &[u8], arguments: &str, cycles: u64) -> Result<Vec<u8>, String> {
    let machine = Machine::parse(description, "the description").map_err(|error| error.to_string())?;
    let arguments = arguments.split_whitespace().map(String::from).collect();
    let boot = Boot { dgl: DIAG_DEFAULT, start_processor: 1, seed: 1, arguments, ..Boot::default() };
    let image = image(&machine, ("kernel", kernel), &[File::program("program", program)], &boot);
    let mut engine = Emulator::new(&machine, &image.map_err(|error| error.to_string())?);
    let engine = engine.as_mut().map_err(|error| error.to_string())?;
    let (files, place) = (Files::memory(), Path::new("run"));
    let record = RunRecord { engine: engine.name().into(), dgl: DIAG_DEFAULT, ..RunRecord::new(&machine, "program") };
    capture(engine, &files, place, &record, cycles).map_err(|error| error.to_string())?;

    let mut shown = Vec::new();
    for (path, bytes) in files.contents() {
        shown.extend(format!("{} {}\n", path.display(), bytes.len()).bytes());
        shown.extend(bytes);
    }
    let lines = || {
        let capture = Capture::open_in(&files, place)?;
        let events = events(&capture, &verify(&capture)?)?;
        events.map(|event| Ok(describe(&event?, &capture.record) + "\n")).collect()
    };
    let lines: Result<String, testbed_trace::capture::CaptureError> = lines();
    shown.extend(lines.map_err(|error| error.to_string())?.bytes());
    Ok(shown)
}

/// Runs the engine into a folder in memory until a processor has stored to EXIT, or for `cycles`.
fn capture(
    engine: &mut Emulator,
    files: &Files,
    place: &Path,
    record: &RunRecord,
    cycles: u64,
) -> Result<(), Box<dyn std::error::Error>> {
    let machine = engine.machine().clone();
    let mut writer = CaptureWriter::in_memory(files, place, &machine, record)?;
    while engine.cycle() < cycles && engine.exits().is_empty() {
        engine.run_until((engine.cycle() + CHUNK).min(cycles))?;
        writer.words(engine.take_trace().into_iter().map(|word| (word.cycle, word.word)))?;
        writer.console(engine.take_console().into_iter().map(|byte| (byte.processor, byte.byte)))?;
    }
    let instructions = (0..machine.processors.len()).map(|processor| engine.instructions(processor)).collect();
    writer.finish(&RunRecord { cycles: engine.cycle(), instructions, complete: true, ..record.clone() })?;
    Ok(())
}

/// Makes room for the next input, and says where.
#[no_mangle]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    let Ok(mut page) = PAGE.lock() else { return std::ptr::null_mut() };
    page.inputs.push(vec![0; bytes]);
    page.inputs.last_mut().map_or(std::ptr::null_mut(), |input| input.as_mut_ptr())
}

/// Runs the inputs for at most `cycles`. Returns the number of bytes of output; of an error, which is
/// the output then, less than 0.
#[no_mangle]
pub extern "C" fn run(cycles: u64) -> i64 {
    let Ok(mut page) = PAGE.lock() else { return 0 };
    let shown = match &page.inputs[..] {
        [description, kernel, program, arguments] => {
            show(&String::from_utf8_lossy(description), kernel, program, &String::from_utf8_lossy(arguments), cycles)
        }
        inputs => Err(format!("{} inputs; give four: description, kernel, program, arguments", inputs.len())),
    };
    let is_error = shown.is_err();
    page.output = shown.unwrap_or_else(String::into_bytes);
    page.inputs.clear();
    let bytes = page.output.len() as i64;
    if is_error {
        -bytes
    } else {
        bytes
    }
}

/// Where the output is.
#[no_mangle]
pub extern "C" fn output() -> *const u8 {
    PAGE.lock().map_or(std::ptr::null(), |page| page.output.as_ptr())
}
