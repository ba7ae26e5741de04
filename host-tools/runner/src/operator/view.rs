//! Shows what the processors print while a person types.
//!
//! Lines come out whole and with their processor's name, in the order in which they ended, as in
//! `console.txt`. What has no newline yet, such as a prompt, is shown when its processor pauses, or
//! at once if no other processor is in the middle of a line.

use std::collections::VecDeque;
use std::io::Write;

use testbed_definitions::syscall::END_OF_INPUT;

use testbed_trace::capture::LINE_MAX;

/// The live view of the console.
pub struct View {
    names: Vec<String>,
    out: Box<dyn Write>,
    /// By processor: what it has printed of a line that has not ended and that is not shown yet.
    begun: Vec<Vec<u8>>,
    /// Lines that have ended and are not shown yet, with their processors, the oldest first.
    ended: VecDeque<(u8, Vec<u8>)>,
    /// The processor at the end of whose unfinished line the screen's cursor is, and the bytes of
    /// that line.
    cursor: Option<(u8, usize)>,
    /// The terminal shows what is typed.
    echoed: bool,
    /// What the terminal shows behind the unfinished line of a processor, because somebody has typed
    /// it there. If the processor continues its line with just that, it is on the screen already.
    typed: Option<(u8, Vec<u8>)>,
    /// A line is being edited behind the prompt that the screen shows last: only whole lines may be
    /// shown meanwhile, ahead of it.
    edited: bool,
    /// By processor: what has been shown of its unfinished line since somebody typed a line there.
    shown: Vec<Vec<u8>>,
}

impl View {
    /// `names` of the processors. `echoed`: where it is shown, what is typed is shown already.
    pub fn new(names: &[String], out: impl Write + 'static, echoed: bool) -> Self {
        View {
            names: names.to_vec(),
            out: Box::new(out),
            begun: vec![Vec::new(); names.len()],
            ended: VecDeque::new(),
            cursor: None,
            echoed,
            typed: None,
            edited: false,
            shown: vec![Vec::new(); names.len()],
        }
    }

    /// Somebody begins to edit a line that one of these processors is to have. Returns that
    /// processor's prompt as the screen shows it: what it has printed of a line, with its name.
    pub(super) fn edit(&mut self, readers: &[u8]) -> String {
        self.edited = true;
        let at_cursor = self.cursor.map(|(processor, _)| processor).filter(|processor| readers.contains(processor));
        let Some(processor) = at_cursor.or(readers.first().copied()) else { return String::new() };
        let mut text = Vec::new();
        if at_cursor.is_none() && self.cursor.take().is_some() {
            text.push(b'\n');
        }
        let begun = std::mem::take(&mut self.begun[usize::from(processor)]);
        let shown = &mut self.shown[usize::from(processor)];
        shown.extend(&begun);
        let prompt = shown.clone();
        if prompt.is_empty() {
            self.write(&text);
            return String::new();
        }
        // The editor writes it anew, at the start of the line.
        self.cursor = Some((processor, prompt.len()));
        self.write(&text);
        String::from_utf8_lossy(&[self.prefix(processor), prompt].concat()).into_owned()
    }

    /// Somebody has pressed a key such as Ctrl-C, of which the terminal shows nothing. A line that
    /// was edited goes nowhere, and its prompt stays the same; the editor has ended it.
    pub(super) fn pressed(&mut self, key: &str) {
        self.cursor = None;
        if !std::mem::take(&mut self.edited) {
            self.write(format!("{key}\n").as_bytes());
        }
    }

    /// Somebody has typed `bytes`, which the machine is given now.
    pub(super) fn typed(&mut self, bytes: &[u8]) {
        if std::mem::take(&mut self.edited) && !bytes.ends_with(b"\n") {
            // The end of input, behind which the editor has ended the line.
            self.cursor = None;
            return;
        }
        let shown = bytes.split(|&byte| byte == END_OF_INPUT).next().unwrap_or_default();
        if !self.echoed || shown.is_empty() {
            return;
        }
        let line = shown.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
        // Without a prompt the program repeats it somewhere else, where it is worth showing.
        self.typed = self.cursor.map(|(processor, _)| (processor, line.to_vec()));
        if let Some((processor, _)) = self.cursor {
            self.shown[usize::from(processor)].clear();
        }
        if shown.ends_with(b"\n") {
            // The newline has ended the line on the terminal.
            self.cursor = None;
        }
    }

    /// The machine has printed `bytes`, each on a processor, since the last call. A terminal that has
    /// gone must not end the run, so nobody is told of errors.
    pub fn show(&mut self, bytes: &[(u8, u8)]) {
        let mut active = vec![false; self.begun.len()];
        for &(processor, byte) in bytes {
            if let Some(active) = active.get_mut(usize::from(processor)) {
                *active = true;
                self.take(processor, byte);
            }
        }
        if self.edited {
            return self.above();
        }
        self.give_up_repetition(&active);
        let mut text = Vec::new();
        self.continue_line(&mut text);
        if !self.cursor.is_some_and(|(processor, _)| active[usize::from(processor)]) {
            self.whole_lines(&mut text);
            self.unfinished(&active, &mut text);
        }
        self.write(&text);
    }

    /// Shows the lines that have ended while another is being edited.
    fn above(&mut self) {
        let mut text = Vec::new();
        for (processor, line) in std::mem::take(&mut self.ended) {
            text.extend(self.prefix(processor));
            text.extend(line);
        }
        self.write(&text);
    }

    fn prefix(&self, processor: u8) -> Vec<u8> {
        [self.names[usize::from(processor)].as_bytes(), b": "].concat()
    }

    /// Shows what was held back, and ends the line.
    pub(super) fn end(&mut self) {
        self.typed = None;
        if std::mem::take(&mut self.edited) {
            self.above();
        }
        self.show(&[]);
        if self.cursor.take().is_some() {
            self.write(b"\n");
        }
    }

    fn write(&mut self, text: &[u8]) {
        if !text.is_empty() {
            let _ = self.out.write_all(text).and_then(|()| self.out.flush());
        }
    }

    /// A byte joins its processor's line.
    fn take(&mut self, processor: u8, byte: u8) {
        let line = &mut self.begun[usize::from(processor)];
        line.push(byte);
        if let Some((_, expected)) = self.typed.as_ref().filter(|(of, _)| *of == processor) {
            if expected == line {
                line.clear();
                self.shown[usize::from(processor)].clear();
                self.typed = None;
                return;
            }
            if expected.starts_with(line) {
                return;
            }
            self.typed = None;
        }
        if line.len() >= LINE_MAX && byte != b'\n' {
            line.push(b'\n');
        }
        if line.ends_with(b"\n") {
            // Behind the prompt at which a line is edited, another program has printed its own.
            if !self.edited {
                self.shown[usize::from(processor)].clear();
            }
            self.ended.push_back((processor, std::mem::take(line)));
        }
    }

    /// Whether the bytes of a processor are held back since they may repeat what was typed.
    fn holds(&self, processor: u8) -> bool {
        self.typed.as_ref().is_some_and(|(of, _)| *of == processor)
    }

    /// A processor that pauses in the middle of what was typed does not repeat it.
    fn give_up_repetition(&mut self, active: &[bool]) {
        if let Some((processor, _)) = &self.typed {
            let processor = usize::from(*processor);
            if !active[processor] && !self.begun[processor].is_empty() {
                self.typed = None;
            }
        }
    }

    /// The line at the cursor goes on, and may end.
    fn continue_line(&mut self, text: &mut Vec<u8>) {
        let Some((processor, length)) = self.cursor else { return };
        if let Some(place) = self.ended.iter().position(|(of, _)| *of == processor) {
            text.extend(self.ended.remove(place).map(|(_, line)| line).unwrap_or_default());
            self.cursor = None;
        } else if !self.holds(processor) {
            let more = std::mem::take(&mut self.begun[usize::from(processor)]);
            self.cursor = Some((processor, length + more.len()));
            self.shown[usize::from(processor)].extend(&more);
            text.extend(more);
        }
        // Others wait for the end of this line, so it must have one.
        if self.cursor.is_some_and(|(_, length)| length >= LINE_MAX) {
            text.push(b'\n');
            self.shown.iter_mut().for_each(Vec::clear);
            self.cursor = None;
        }
    }

    fn whole_lines(&mut self, text: &mut Vec<u8>) {
        for (processor, line) in std::mem::take(&mut self.ended) {
            self.begin_line(processor, text);
            text.extend(line);
        }
    }

    /// Shows what has no newline: of processors that pause, or of the only one that has printed.
    fn unfinished(&mut self, active: &[bool], text: &mut Vec<u8>) {
        let waiting: Vec<u8> = (0..self.begun.len() as u8)
            .filter(|&processor| !self.begun[usize::from(processor)].is_empty() && !self.holds(processor))
            .collect();
        let is_alone = waiting.len() == 1 && self.cursor.is_none();
        for processor in waiting {
            if is_alone || !active[usize::from(processor)] {
                self.begin_line(processor, text);
                let begun = std::mem::take(&mut self.begun[usize::from(processor)]);
                self.cursor = Some((processor, begun.len()));
                self.shown[usize::from(processor)].extend(&begun);
                text.extend(begun);
            }
        }
    }

    /// Begins a line of a processor's, behind whatever the screen shows.
    fn begin_line(&mut self, processor: u8, text: &mut Vec<u8>) {
        if self.cursor.take().is_some() {
            text.push(b'\n');
        }
        text.extend(self.prefix(processor));
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(view.edit(&[1, 3]), "earth: $ ");
        view.show(&together((2, "boo\n"), (3, "half")));
        assert_eq!(screen.text(), "earth: $ air: boo\n");
        // Here the editor shows `ps` and a newline.
        view.typed(b"ps\n");
        view.show(&say(1, "ps\nsh\n$ "));
        view.show(&[]);
        let shown = "earth: $ air: boo\nearth: sh\nfire: half\nearth: $ ";
        assert!([shown, "earth: $ air: boo\nearth: sh\nearth: $ \nfire: half"].contains(&screen.text().as_str()));
        assert_eq!(view.edit(&[1]), "earth: $ ");
    }

    #[test]
    fn a_key_leaves_the_prompt_as_it_is() {
        let (mut view, screen) = view(true);
        view.show(&say(1, "name? "));
        assert_eq!(view.edit(&[1]), "earth: name? ");
        view.pressed("^C");
        assert_eq!(view.edit(&[1]), "earth: name? ");
        view.pressed("^C");
        // What the program goes on with has its name, and is no prompt when it has ended the line.
        view.show(&say(1, "none\n"));
        assert_eq!(screen.text(), "earth: name? earth: none\n");
        assert_eq!(view.edit(&[1]), "");
        view.typed(b"\x04");
        view.pressed("^C");
        assert_eq!(screen.text(), "earth: name? earth: none\n^C\n");
    }

    #[test]
    fn a_reader_without_a_prompt_gets_a_line_of_its_own() {
        let (mut view, screen) = view(true);
        view.show(&say(1, "busy"));
        assert_eq!(view.edit(&[2]), "");
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
}
