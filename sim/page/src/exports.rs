//! What a page calls of the module.
//!
//! A page hands over bytes by [`room`], which makes room for the next input and says where; then it
//! calls a function, which takes the inputs in their order. Those that return an `i64` say how many
//! bytes of output there are, less than 0 if they are the text of an error; [`output`] is where they
//! begin. Lengths of an error are one more than its bytes, so that an empty one is an error too.
#![cfg(target_family = "wasm")]

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::to_vec;
use testbed_trace::report::words;

use crate::kit::Kit;
use crate::run::Run;
use crate::wishes::Wishes;

struct Page {
    inputs: Vec<Vec<u8>>,
    output: Vec<u8>,
    kit: Option<Kit>,
    run: Option<Run>,
}

static PAGE: Mutex<Page> = Mutex::new(Page { inputs: Vec::new(), output: Vec::new(), kit: None, run: None });
/// What a panic has said. It has ended the module, whose memory can still be read.
static LAST_WORDS: Mutex<String> = Mutex::new(String::new());

fn page() -> MutexGuard<'static, Page> {
    PAGE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something with the page's inputs; its result becomes the output.
fn answer(act: impl FnOnce(&mut Page, Vec<Vec<u8>>) -> Result<Vec<u8>, String>) -> i64 {
    let mut page = page();
    let inputs = std::mem::take(&mut page.inputs);
    match act(&mut page, inputs) {
        Ok(output) => {
            page.output = output;
            page.output.len() as i64
        }
        Err(message) => {
            page.output = message.into_bytes();
            -(page.output.len() as i64) - 1
        }
    }
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, String> {
    to_vec(value).map_err(|error| error.to_string())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn of_run<T>(page: &mut Page, act: impl FnOnce(&mut Run) -> Result<T, String>) -> Result<T, String> {
    act(page.run.as_mut().ok_or("no run has been started")?)
}

/// Makes room for the next input, and says where.
#[no_mangle]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut page = page();
    page.inputs.push(vec![0; bytes]);
    page.inputs.last_mut().map_or(std::ptr::null_mut(), |input| input.as_mut_ptr())
}

/// Where the output is.
#[no_mangle]
pub extern "C" fn output() -> *const u8 {
    page().output.as_ptr()
}

/// Has what a panic says kept, for [`last_words`]; before all else.
#[no_mangle]
pub extern "C" fn begin() {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut words) = LAST_WORDS.try_lock() {
            *words = panic.to_string();
        }
    }));
}

/// Bytes of what the panic that ended the module has said; 0 if there was none.
#[no_mangle]
pub extern "C" fn last_words() -> usize {
    LAST_WORDS.try_lock().map_or(0, |words| words.len())
}

/// Where that begins.
#[no_mangle]
pub extern "C" fn last_words_at() -> *const u8 {
    LAST_WORDS.try_lock().map_or(std::ptr::null(), |words| words.as_ptr())
}

/// Puts something into the kit; inputs: its kind, its name, its bytes.
#[no_mangle]
pub extern "C" fn put() -> i64 {
    answer(|page, inputs| {
        let [kind, name, bytes] = <[_; 3]>::try_from(inputs).map_err(|_| "give kind, name and bytes")?;
        page.kit.get_or_insert_default().put(&text(&kind), &text(&name), bytes)?;
        Ok(Vec::new())
    })
}

/// Starts a run in place of the one before; input: the wishes, in JSON. Output: the run's record.
#[no_mangle]
pub extern "C" fn start() -> i64 {
    answer(|page, inputs| {
        let wishes = Wishes::read(inputs.first().ok_or("give the wishes")?)?;
        // A run that goes on stays if there is to be none.
        let run = Run::new(&wishes, page.kit.get_or_insert_default())?;
        json(page.run.insert(run).record())
    })
}

/// Goes on until a cycle, or until the run is over. Returns the cycle that was reached, less than 0 for
/// an error.
#[no_mangle]
pub extern "C" fn advance(until: u64) -> i64 {
    let mut reached = 0;
    let length = answer(|page, _| {
        of_run(page, |run| {
            run.advance(until)?;
            reached = run.cycle() as i64;
            Ok(Vec::new())
        })
    });
    if length < 0 {
        length
    } else {
        reached
    }
}

/// Gives the input to the machine's console.
#[no_mangle]
pub extern "C" fn give() -> i64 {
    answer(|page, inputs| {
        of_run(page, |run| {
            inputs.iter().for_each(|bytes| run.give(bytes));
            Ok(Vec::new())
        })
    })
}

/// Output: who waits for whom now, as a text.
#[no_mangle]
pub extern "C" fn waits() -> i64 {
    answer(|page, _| of_run(page, |run| run.waits().map(String::into_bytes)))
}

/// Output: names and sizes of the files that the machine has handed over, in JSON.
#[no_mangle]
pub extern "C" fn kept() -> i64 {
    answer(|page, _| of_run(page, |run| json(&run.kept())))
}

/// Output: what was printed since the last call, each byte behind its processor's number.
#[no_mangle]
pub extern "C" fn console() -> i64 {
    answer(|page, _| {
        of_run(page, |run| Ok(run.take_console().into_iter().flat_map(|(processor, byte)| [processor, byte]).collect()))
    })
}

/// Output: how far the run is, in JSON.
#[no_mangle]
pub extern "C" fn state() -> i64 {
    answer(|page, _| of_run(page, |run| json(&run.state())))
}

/// Output: what is to be drawn, in JSON.
#[no_mangle]
pub extern "C" fn shown() -> i64 {
    answer(|page, _| of_run(page, |run| json(&run.shown())))
}

/// Draws the last so many cycles from now on.
#[no_mangle]
pub extern "C" fn draw_last(cycles: u64) -> i64 {
    answer(|page, _| {
        of_run(page, |run| {
            run.draw_last(cycles);
            Ok(Vec::new())
        })
    })
}

/// Output: names of what lanes hold, in JSON.
#[no_mangle]
pub extern "C" fn lane_words() -> i64 {
    answer(|_, _| json(&words()))
}

/// Ends the run.
#[no_mangle]
pub extern "C" fn end() -> i64 {
    answer(|page, _| {
        of_run(page, |run| {
            run.end()?;
            Ok(Vec::new())
        })
    })
}

/// Output: a file of the run's folder, one that is made of it, or one of `kept`; input: its name.
#[no_mangle]
pub extern "C" fn file() -> i64 {
    answer(|page, inputs| {
        let name = text(inputs.first().ok_or("give a name")?);
        of_run(page, |run| run.file(&name))
    })
}
