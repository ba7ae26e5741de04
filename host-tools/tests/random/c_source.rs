//! A plan as a program in C: `prelude.h` and a function for each thread.

use std::fmt::Write as _;
use std::path::Path;

use crate::compiler;
use crate::plan::{Act, Place, Plan, ARENA_BYTES};
use crate::script::{exit_code, Step};
use crate::watch::built;

/// The ELF file of a plan's program. `folder` is for files on the way.
pub fn build(plan: &Plan, folder: &Path) -> Vec<u8> {
    let (source, elf) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&source, text(plan)).unwrap();
    let prelude = format!("-I{}/tests/random", env!("CARGO_MANIFEST_DIR"));
    let small = plan.setting.is_small;
    let optimised = if small { "-Os" } else { ["-O0", "-O1", "-O2", "-Os"][plan.seed as usize % 4] };
    let mut options = vec!["-std=gnu11", "-Wno-unused-function", "-ffunction-sections", optimised, &prelude];
    options.extend(small.then_some("-DSMALL"));
    compiler::build(built(), &source, &options, &elf);
    std::fs::read(&elf).unwrap()
}

/// The source.
pub fn text(plan: &Plan) -> String {
    let mut out = format!(
        "#include \"prelude.h\"\n\nstatic uint8_t arena[{ARENA_BYTES}] __attribute__((aligned(1024), unused));\n"
    );
    let used = plan.used();
    for thread in (1..plan.threads.len()).filter(|thread| used[*thread]) {
        let _ = writeln!(out, "static void thread_{thread}(void);");
    }
    for (thread, steps) in plan.steps().iter().enumerate().filter(|(thread, _)| used[*thread]) {
        let name = if thread == 0 { "int main(void)".into() } else { format!("static void thread_{thread}(void)") };
        let in_stack = plan.threads[thread].in_stack;
        let _ = writeln!(out, "\n{name}\n{{\n    struct actor self = {{{thread}, 0, 0, 0}};");
        if in_stack > 0 {
            let _ = writeln!(out, "    uint8_t stack[{in_stack}] __attribute__((aligned(8), unused));");
        }
        steps.iter().for_each(|step| out += &statement(plan, step));
        out += "    tell(&self);\n";
        out += if thread == 0 {
            "    tell_cells();\n    return self.wrong;\n}\n"
        } else {
            "    exit(self.wrong != 0);\n}\n"
        };
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

fn statement(plan: &Plan, step: &Step) -> String {
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
            let list: Vec<String> = channels
                .iter()
                .map(|(channel, messages)| {
                    let each: Vec<String> =
                        messages.iter().map(|(key, bytes)| format!("{{{key}u, {bytes}}}")).collect();
                    format!("{{{channel}, {}, (const struct message[]){{{}}}}}", messages.len(), each.join(", "))
                })
                .collect();
            let list = format!("(const struct alternative[]){{{}}}", list.join(", "));
            format!("do_alt{kind}(&self, {timeout}u, {room}, {at}, {list}, {})", channels.len())
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
        Step::Local(act) => act_call(act),
    };
    format!("    {call};\n")
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
        Act::Heap { blocks } => {
            let list: Vec<String> = blocks.iter().map(ToString::to_string).collect();
            format!("do_heap(&self, (const unsigned[]){{{}}}, {})", list.join(", "), blocks.len())
        }
    }
}
