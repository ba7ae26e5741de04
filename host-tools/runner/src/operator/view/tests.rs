//! What a person sees, on a screen in memory.

use super::*;
use proptest::prelude::*;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Screen(Arc<Mutex<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Screen {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

const NAMES: [&str; 4] = ["master", "earth", "air", "fire"];

fn view(echoed: bool) -> (View, Screen) {
    let screen = Screen::default();
    (View::new(&NAMES.map(String::from), screen.clone(), echoed), screen)
}

fn say(processor: u8, text: &str) -> Vec<(u8, u8)> {
    text.bytes().map(|byte| (processor, byte)).collect()
}

/// One byte of each in turn.
fn together(one: (u8, &str), other: (u8, &str)) -> Vec<(u8, u8)> {
    let (one, other) = (say(one.0, one.1), say(other.0, other.1));
    let pairs = one.iter().zip(&other).flat_map(|(one, other)| [*one, *other]);
    let both = one.len().min(other.len());
    pairs.chain(one[both..].iter().copied()).chain(other[both..].iter().copied()).collect()
}

#[test]
fn prompts_are_seen_at_once_and_what_was_typed_once() {
    let (mut view, screen) = view(true);
    view.show(&say(1, "$ "));
    assert_eq!(screen.text(), "earth: $ ");
    // Here the terminal shows `ps` and a newline.
    view.typed(b"ps\n");
    view.show(&say(1, "ps\nsh\n$ "));
    assert_eq!(screen.text(), "earth: $ earth: sh\nearth: $ ");
    view.show(&say(2, "boo\n"));
    assert_eq!(screen.text(), "earth: $ earth: sh\nearth: $ \nair: boo\n");
}

#[test]
fn what_only_looks_like_the_line_typed_is_shown() {
    let (mut view, screen) = view(true);
    view.show(&say(1, "name? "));
    view.typed(b"ann\n");
    view.show(&say(1, "an answer\n"));
    view.show(&say(1, "and nnn again\n"));
    assert_eq!(screen.text(), "earth: name? earth: an answer\nearth: and nnn again\n");
}

#[test]
fn lines_of_another_processor_lose_nothing() {
    let (mut view, screen) = view(true);
    view.show(&say(1, "$ "));
    view.typed(b"abc\n");
    view.show(&say(2, "abc abc\n"));
    view.show(&say(1, "abc\ndone\n"));
    assert_eq!(screen.text(), "earth: $ air: abc abc\nearth: done\n");
}

#[test]
fn what_was_typed_ahead_is_repeated_where_it_is_run() {
    let (mut view, screen) = view(true);
    view.show(&say(1, "$ "));
    view.typed(b"a\nb\n");
    view.show(&say(1, "a\nA\n$ b\nB\n$ "));
    assert_eq!(screen.text(), "earth: $ earth: A\nearth: $ b\nearth: B\nearth: $ ");
}

#[test]
fn a_repetition_that_stops_halfway_is_shown() {
    let (mut view, screen) = view(true);
    view.show(&say(1, "$ "));
    view.typed(b"yes\n");
    view.show(&say(1, "ye"));
    assert_eq!(screen.text(), "earth: $ ");
    view.show(&[]);
    assert_eq!(screen.text(), "earth: $ earth: ye");
}

#[test]
fn the_last_line_typed_may_have_no_newline() {
    let (mut view, screen) = view(true);
    view.show(&say(1, "$ "));
    view.typed(b"ls\x04");
    view.show(&say(1, "ls\nfile\n"));
    assert_eq!(screen.text(), "earth: $ \nearth: file\n");
}

#[test]
fn a_line_is_edited_behind_its_prompt_and_others_come_above() {
    let (mut view, screen) = view(true);
    view.show(&say(1, "$ "));
    assert_eq!(view.edit(1), "earth: $ ");
    view.show(&together((2, "boo\n"), (3, "half")));
    assert_eq!(screen.text(), "earth: $ air: boo\n");
    // Here the editor shows `ps` and a newline.
    view.typed(b"ps\n");
    view.show(&say(1, "ps\nsh\n$ "));
    view.show(&[]);
    let shown = "earth: $ air: boo\nearth: sh\nfire: half\nearth: $ ";
    assert!([shown, "earth: $ air: boo\nearth: sh\nearth: $ \nfire: half"].contains(&screen.text().as_str()));
    assert_eq!(view.edit(1), "earth: $ ");
}

#[test]
fn a_key_leaves_the_prompt_as_it_is() {
    let (mut view, screen) = view(true);
    view.show(&say(1, "name? "));
    assert_eq!(view.edit(1), "earth: name? ");
    view.pressed("^C");
    assert_eq!(view.edit(1), "earth: name? ");
    view.pressed("^C");
    // What the program goes on with has its name, and is no prompt when it has ended the line.
    view.show(&say(1, "none\n"));
    assert_eq!(screen.text(), "earth: name? earth: none\n");
    assert_eq!(view.edit(1), "");
    view.typed(b"\x04");
    view.pressed("^C");
    assert_eq!(screen.text(), "earth: name? earth: none\n^C\n");
}

#[test]
fn a_reader_without_a_prompt_gets_a_line_of_its_own() {
    let (mut view, screen) = view(true);
    view.show(&say(1, "busy"));
    assert_eq!(view.edit(2), "");
    assert_eq!(screen.text(), "earth: busy\n");
}

#[test]
fn lines_of_several_processors_are_whole() {
    let (mut view, screen) = view(false);
    for _ in 0..3 {
        view.show(&together((1, "one from earth\n"), (2, "one from air, longer\n")));
    }
    let lines = "earth: one from earth\nair: one from air, longer\n".repeat(3);
    assert_eq!(screen.text(), lines);
}

#[test]
fn a_line_that_goes_on_is_waited_for_and_a_prompt_is_not() {
    let (mut view, screen) = view(false);
    view.show(&say(1, "half a "));
    view.show(&together((1, "line, and "), (2, "whole\n")));
    assert_eq!(screen.text(), "earth: half a line, and ");
    view.show(&say(1, "its end\n"));
    assert_eq!(screen.text(), "earth: half a line, and its end\nair: whole\n");
    view.show(&together((1, "$ "), (3, "# ")));
    view.show(&[]);
    let prompts = "earth: half a line, and its end\nair: whole\nearth: $ \nfire: # ";
    assert_eq!(screen.text(), prompts);
    drop(view);
    assert_eq!(screen.text(), format!("{prompts}\n"));
}

#[test]
fn a_line_without_end_does_not_hold_the_others() {
    let (mut view, screen) = view(false);
    for _ in 0..LINE_MAX / 16 {
        view.show(&together((1, "................"), (2, "x\n")));
    }
    assert!(screen.text().contains("air: x\n"), "{}", screen.text());
}

/// What a processor has printed, from what the screen shows, without newlines: a line may be
/// shown in parts.
fn of_processor(shown: &str, name: &str) -> String {
    let prefix = format!("{name}: ");
    shown.lines().filter_map(|line| line.strip_prefix(&prefix)).collect()
}

proptest! {
    /// Nothing is lost and nothing is mixed up, whatever is printed and typed in whatever order.
    #[test]
    fn every_byte_is_shown(steps in prop::collection::vec(
        (prop::collection::vec((0u8..4, prop::sample::select(b"ab \n".as_slice())), 0..30),
         prop::option::of("[ab]{0,3}\n")), 0..20)) {
        for echoed in [false, true] {
            let (mut view, screen) = view(echoed);
            // What the terminal adds to the screen is not written by the view.
            let mut printed = [const { String::new() }; 4];
            let mut typed = 0;
            for (bytes, line) in &steps {
                view.show(bytes);
                bytes.iter().filter(|(_, byte)| *byte != b'\n').for_each(|(processor, byte)| {
                    printed[usize::from(*processor)].push(char::from(*byte));
                });
                if let Some(line) = line {
                    view.typed(line.as_bytes());
                    typed += line.len();
                    if echoed {
                        // The terminal's newline ends the line on the screen.
                        screen.0.lock().unwrap().push(b'\n');
                    }
                }
            }
            drop(view);
            let shown = screen.text();
            let count = |text: &str| text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
            let mut lost = 0;
            for (name, printed) in NAMES.iter().zip(&printed) {
                let of = of_processor(&shown, name);
                if echoed {
                    lost += count(printed) - count(&of);
                } else {
                    prop_assert_eq!(&of, printed, "{}", shown);
                }
            }
            prop_assert!(lost <= typed, "{} bytes of {} typed\n{}", lost, typed, shown);
        }
    }
}
