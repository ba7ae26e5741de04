//! What the host reads of a person and shows to one: rules of filters, and the terminal view of the
//! consoles.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use testbed_definitions::boot::COMMANDS_MAX;
use testbed_definitions::filter::{Command, RULES};
use testbed_definitions::syscall::END_OF_INPUT;
use testbed_kernel_core::filter::ACTIONS;
use testbed_machine::Machine;
use testbed_runner::filter::{commands, parse};
use testbed_runner::operator::{Operator, View};
use testbed_trace::capture::Gift;

use super::target::{hold, sober, Target};

/// Rules of filters, one `--filter` a line.
pub const FILTER: Target = Target {
    name: "filter",
    what: "rules of `--filter`",
    words: &[
        "pass ",
        "drop ",
        "count ",
        "TIMER",
        "TIMER_END",
        "SCHEDULE",
        "USER",
        "COMMS",
        ",",
        "/",
        "0x",
        "0xffff",
        "65536",
        "0x10000",
        "-1",
        "+",
        "_",
        " ",
        "\n",
        "\t",
        "\u{e9}",
        "\u{1b}[2J",
    ],
    seeds: || {
        ["drop TIMER,0x0200/0xff00", "count SCHEDULE/0x4000", "pass COMMS\ndrop 0x0020/0x7ffe", "count 1,2\ncount 3,4"]
            .map(|text| text.as_bytes().to_vec())
            .to_vec()
    },
    check: |input| {
        let text = String::from_utf8_lossy(input).into_owned();
        let texts: Vec<String> = text.lines().map(String::from).collect();
        let mut rules = Vec::new();
        let mut refused = false;
        for text in &texts {
            match parse(text) {
                Ok(found) => rules.extend(found),
                Err(error) => {
                    refused = true;
                    sober(&error.to_string())?;
                }
            }
        }
        for rule in &rules {
            let action = ACTIONS.iter().find(|action| action.1 == rule.action).map_or("?", |action| action.0);
            let printed = format!("{action} {:#06x}/{:#06x}", rule.code, rule.mask);
            hold(parse(&printed) == Ok(vec![*rule]), || format!("{rule:?}, printed and read: {printed}"))?;
        }
        for (totals, dgl) in [(None, 0), (Some(4096), 2), (Some(input.len() as u32), u32::MAX)] {
            match commands(&texts, totals, dgl) {
                Ok(commands) => {
                    hold(!refused && rules.len() <= RULES, || "commands of rules that are none".into())?;
                    hold(commands.len() <= COMMANDS_MAX, || format!("{} commands", commands.len()))?;
                    let same = commands.iter().all(|command| Command::unpack(*command).pack() == *command);
                    hold(same, || format!("other commands when they are unpacked: {commands:x?}"))?;
                }
                Err(error) => sober(&error.to_string())?,
            }
        }
        Ok(())
    },
};

/// A screen that several may look at.
#[derive(Clone, Default)]
struct Screen(Rc<RefCell<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// First bytes of two that are none of a processor's: somebody has typed the second one, or a slice
/// of the run is over and what was printed in it is shown.
const TYPED: u8 = 16;
const SLICE: u8 = 17;

/// The terminal view: whether it shows what is typed in the first byte, then two bytes each.
pub const VIEW: Target = Target {
    name: "view",
    what: "consoles in a terminal in which somebody types",
    words: &["\u{1}\n", "\u{2}\n", "\u{11}\0", "\u{10}\n", "\u{10}\u{4}", "\u{1}\u{1b}\u{1}[\u{1}2\u{1}J", "\u{9}x"],
    seeds: || {
        let says = |who: u8, text: &str| text.bytes().flat_map(|byte| [who, byte]).collect::<Vec<u8>>();
        let (over, echoed) = (vec![SLICE, 0], vec![1u8]);
        let shell =
            [says(1, "$ "), over.clone(), says(TYPED, "ps\n"), over.clone(), says(1, "ps\nsh\n$ "), over.clone()]
                .concat();
        let two =
            [says(1, "half a "), over.clone(), says(2, "whole\n"), over.clone(), says(1, "line\n"), over].concat();
        let long = says(0, &"long ".repeat(850));
        [vec![0u8], echoed]
            .into_iter()
            .flat_map(|first| [&shell, &two, &long].map(|rest| [&first[..], rest].concat()))
            .collect()
    },
    check: |input| {
        let (flags, rest) = input.split_first().map_or((0, &[][..]), |(flags, rest)| (*flags, rest));
        let pairs: Vec<(u8, u8)> = rest.chunks_exact(2).map(|two| (two[0], two[1])).collect();
        let names = Machine::testbed6().processors;
        let (screen, echoed) = (Screen::default(), flags & 1 != 0);
        let slices: Vec<&[(u8, u8)]> = pairs.split(|(who, _)| *who == SLICE).collect();
        let typed = |slice: &[(u8, u8)]| {
            slice.iter().filter(|(who, _)| *who == TYPED).map(|(_, byte)| *byte).collect::<Vec<u8>>()
        };
        let gifts = slices.iter().zip(0..).map(|(slice, cycle)| Gift { cycle, bytes: typed(slice) });
        let mut operator = Operator::replay(gifts.collect()).with_view(View::new(&names, screen.clone(), echoed));
        let mut given = 0;
        for (slice, cycle) in slices.iter().zip(0..) {
            let gift = operator.gift(cycle).map_or(Vec::new(), |gift| gift.bytes);
            hold(gift == typed(slice), || format!("{gift:?} was given in slice {cycle}"))?;
            given += gift.len();
            let shown = gift.split(|byte| *byte == END_OF_INPUT).next().unwrap_or_default();
            if echoed && shown.ends_with(b"\n") {
                // The terminal's own newline ends the line on the screen.
                screen.0.borrow_mut().push(b'\n');
            }
            operator.see(slice);
        }
        drop(operator);
        let screen = screen.0.borrow();
        let mut lost = 0;
        for (number, name) in names.iter().enumerate() {
            let said = pairs.iter().filter(|(who, byte)| usize::from(*who) == number && *byte != b'\n');
            let said: Vec<u8> = said.map(|(_, byte)| *byte).collect();
            let start = format!("{name}: ").into_bytes();
            let lines = screen.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(&start[..]));
            let shown = lines.collect::<Vec<_>>().concat();
            hold(echoed || shown == said, || format!("{name} said something else"))?;
            lost += said.len().saturating_sub(shown.len());
        }
        hold(lost <= given, || format!("{lost} bytes are not shown, but only {given} were typed"))
    },
};
