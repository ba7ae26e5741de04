//! A plan as a program in C: `prelude.h` and a function for each thread.

use std::fmt::Write as _;
use std::path::Path;

use super::plan::{Act, Place, Plan};
use super::script::{exit_code, Step};
use super::watch::built;
use crate::common::compiler;

/// The ELF file of a plan's program. `folder` is for files on the way.
pub fn build(plan: &Plan, folder: &Path) -> Vec<u8> {
    let (source, elf) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&source, text(plan)).unwrap();
    let prelude = format!("-I{}/tests/random", env!("CARGO_MANIFEST_DIR"));
    let small = plan.setting.is_small;
    let optimised = if small { "-Os" } else { ["-O0", "-O1", "-O2", "-Os"][plan.seed as usize % 4] };
    let mut options = vec!["-std=gnu11", "-Wno-unused-function", "-ffunction-sections", optimised, &prelude];
    // The plan knows how large the first stack is that the kernel gives.
    options.push("-Wl,--defsym=tos_stack_bytes=0");
    if small {
        options.extend(["-DSMALL", "-Wl,--defsym=tos_heap_bytes=0"]);
    }
    compiler::build(built(), &source, &options, &elf);
    std::fs::read(&elf).unwrap()
}

/// The source.
pub fn text(plan: &Plan) -> String {
    let bytes = plan.arena_bytes();
    let arena = format!("static uint8_t arena[{bytes}] __attribute__((aligned(1024), unused));");
    let mut out = format!("#include \"prelude.h\"\n\n{arena}\n");
    let used = plan.used();
    for thread in (1..plan.threads.len()).filter(|thread| used[*thread]) {
        let _ = writeln!(out, "static void thread_{thread}(void);");
    }
    for (thread, steps) in plan.steps().iter().enumerate().filter(|(thread, _)| used[*thread]) {
        let name = if thread == 0 { "int main(void)".into() } else { format!("static void thread_{thread}(void)") };
        let mut body = format!("    struct actor self = {{{thread}, 0, 0, 0}};\n");
        // Never none: a message of no bytes may lie there all the same.
        let in_stack = plan.threads[thread].in_stack.max(1);
        let _ = writeln!(body, "    uint8_t stack[{in_stack}] __attribute__((aligned(8), unused));");
        for (number, step) in steps.iter().enumerate() {
            let (data, call) = statement(plan, step, &format!("{thread}_{number}"));
            out += &data;
            let _ = writeln!(body, "    {call};");
        }
        let end = match thread {
            0 => "tell_cells();\n    return self.wrong",
            _ => "exit(self.wrong != 0)",
        };
        let _ = writeln!(out, "\n{name}\n{{\n{body}    tell(&self);\n    {end};\n}}");
    }
    out
}

/// The end of a function's name and the argument for a place.
fn place(place: Place) -> (&'static str, String) {
    match place {
        Place::Arena(offset) => ("", format!("arena + {offset}")),
        Place::Stack(offset) => ("", format!("stack + {offset}")),
        Place::Heap(offset) => ("_heap", offset.to_string()),
    }
}

/// What a step needs outside of its function, under a name of its own (stacks are small), and the call.
fn statement(plan: &Plan, step: &Step, name: &str) -> (String, String) {
    let word = |offset: &u32| format!("(volatile uint32_t *)(arena + {offset})");
    let call = match step {
        Step::Send { channel, key, bytes, taken, place: at } => {
            let (kind, at) = place(*at);
            format!("do_send{kind}(&self, {channel}, {key}u, {bytes}, {taken}, {at})")
        }
        Step::Receive { channel, key, bytes, room, place: at } => {
            let (kind, at) = place(*at);
            format!("do_receive{kind}(&self, {channel}, {key}u, {bytes}, {room}, {at})")
        }
        Step::Alternative { timeout, room, place: at, channels } => {
            let (kind, at) = place(*at);
            let call = format!("do_alt{kind}(&self, {timeout}u, {room}, {at}, list_{name}, {})", channels.len());
            return (alternatives(channels, name), call);
        }
        Step::Scribble { word: mine, flag, yields } => {
            format!("do_scribble(&self, {}, {}, {})", word(mine), word(flag), u8::from(*yields))
        }
        Step::Release { flag } => format!("do_release(&self, {})", word(flag)),
        Step::Create { child, processor } => {
            let thread = &plan.threads[*child];
            format!("do_create(&self, {child}, {processor}, {}, {:#x}, thread_{child})", thread.pages, thread.top)
        }
        Step::Wait => "do_wait(&self)".into(),
        Step::Local(Act::Heap { blocks }) => {
            let sizes: Vec<String> = blocks.iter().map(ToString::to_string).collect();
            let data = format!("static const unsigned sizes_{name}[] = {{{}}};\n", sizes.join(", "));
            return (data, format!("do_heap(&self, sizes_{name}, {})", blocks.len()));
        }
        Step::Local(act) => act_call(act),
    };
    (String::new(), call)
}

/// The channels of an ALT and their messages.
fn alternatives(channels: &[(u8, Vec<(u32, u32)>)], name: &str) -> String {
    let (mut data, mut list) = (String::new(), Vec::new());
    for (channel, messages) in channels {
        let each: Vec<String> = messages.iter().map(|(key, bytes)| format!("{{{key}u, {bytes}}}")).collect();
        let array = format!("messages_{name}_{channel}");
        let _ = writeln!(data, "static const struct message {array}[] = {{{}}};", each.join(", "));
        list.push(format!("{{{channel}, {}, {array}}}", messages.len()));
    }
    data + &format!("static const struct alternative list_{name}[] = {{{}}};\n", list.join(", "))
}

fn act_call(act: &Act) -> String {
    match act {
        Act::Migrate { to } => format!("do_migrate(&self, {to})"),
        Act::Push { other, from, to } => format!("do_push(&self, {other}, {from}, {to})"),
        Act::Delay { microseconds } => format!("do_delay(&self, {microseconds})"),
        Act::Compute { microseconds } => format!("do_compute(&self, {microseconds})"),
        Act::Yield { times } => format!("do_yield(&self, {times})"),
        Act::Deep { pages } => format!("do_deep(&self, {pages})"),
        Act::File { key, bytes } => format!("do_file(&self, {key}u, {bytes})"),
        Act::Add { cell, amount, times } => format!("do_add(&self, {cell}, {amount}u, {times})"),
        Act::Invoke { processor, seed } => format!("do_invoke(&self, {processor}, {seed}, {})", exit_code(*seed)),
        Act::Kill { processor, microseconds } => format!("do_kill(&self, {processor}, {microseconds})"),
        // Only a program with a heap of its own does anything with it.
        Act::Heap { .. } => "do_yield(&self, 1)".into(),
    }
}
