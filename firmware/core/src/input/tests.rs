//! Lines, keys and the end of input, whoever waits.

extern crate std;
use super::*;
use std::collections::VecDeque;
use std::vec::Vec;

/// All pieces that the line gives, as (processor, text, last).
fn pieces(switch: &mut Switch, line: &mut VecDeque<u8>) -> Vec<(u8, Vec<u8>, bool)> {
    std::iter::from_fn(|| one(switch, line)).collect()
}

/// The next piece; there is no key ahead of it.
fn piece(switch: &mut Switch, line: &mut VecDeque<u8>) -> Option<Piece> {
    match switch.next(|| line.pop_front())? {
        Given::Piece(piece) => Some(piece),
        other => panic!("{other:?}"),
    }
}

/// The next key; there is no piece ahead of it.
fn key(switch: &mut Switch, line: &mut VecDeque<u8>) -> Option<(u8, u8)> {
    match switch.next(|| line.pop_front())? {
        Given::Key { to, key, .. } => Some((to.number(), key)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn keys_go_to_who_asked_last_and_nothing_else_is_taken_for_them() {
    let (mut switch, mut text) = (Switch::new(), line("\x03ls\n"));
    assert_eq!(key(&mut switch, &mut text), None);
    assert_eq!(text.len(), 4);
    for processor in [1, 2, 3, 1] {
        assert_eq!(switch.want(Processor::new(processor), KEYS, ALL_SEATS), None);
    }
    switch.want(Processor::new(3), NO_KEYS, ALL_SEATS);
    assert!(switch.is_wanted());
    assert_eq!(key(&mut switch, &mut text), Some((1, INTERRUPT)));
    // A line waits for somebody who reads it, and a key behind it too.
    text.push_back(PAUSE);
    assert_eq!(key(&mut switch, &mut text), None);
    assert!(!switch.is_wanted() && text.len() == 3);
    switch.want(Processor::new(4), 256, ALL_SEATS);
    assert!(switch.is_wanted());
    assert_eq!(one(&mut switch, &mut text), Some((4, b"ls\n".to_vec(), true)));
    assert_eq!(key(&mut switch, &mut text), Some((2, PAUSE)));
    assert!(!switch.is_wanted());
    // Nobody wants keys: they are bytes as any other.
    switch.want(Processor::new(4), 256, ALL_SEATS);
    assert_eq!(pieces(&mut switch, &mut line("\x03\n")), [(4, b"\x03\n".to_vec(), true)]);
}

#[test]
fn a_key_comes_ahead_of_the_rest_of_a_line() {
    let (mut switch, mut text) = (Switch::new(), line("ab\x03cd\n"));
    switch.want(Processor::new(2), 256, ALL_SEATS);
    switch.want(Processor::new(1), KEYS, ALL_SEATS);
    assert_eq!(one(&mut switch, &mut text), Some((2, b"ab".to_vec(), false)));
    assert_eq!(key(&mut switch, &mut text), Some((1, INTERRUPT)));
    assert_eq!(pieces(&mut switch, &mut text), [(2, b"cd\n".to_vec(), true)]);
}

/// The next piece as (processor, text, last).
fn one(switch: &mut Switch, line: &mut VecDeque<u8>) -> Option<(u8, Vec<u8>, bool)> {
    piece(switch, line).map(|piece| (piece.to.number(), piece.bytes().to_vec(), piece.last))
}

fn line(text: &str) -> VecDeque<u8> {
    text.bytes().collect()
}

#[test]
fn lines_go_to_those_who_asked_in_turn() {
    let (mut switch, mut text) = (Switch::new(), line("one\ntwo\nthree\n"));
    assert!(pieces(&mut switch, &mut text).is_empty() && text.len() == 14);
    for processor in [2, 0] {
        assert_eq!(switch.want(Processor::new(processor), 256, ALL_SEATS), None);
    }
    // Asking twice changes nothing.
    assert_eq!(switch.want(Processor::new(2), 256, ALL_SEATS), None);
    assert_eq!(pieces(&mut switch, &mut text), [(2, b"one\n".to_vec(), true), (0, b"two\n".to_vec(), true)]);
    assert!(!switch.is_wanted());
    assert_eq!(text.len(), 6);
}

#[test]
fn long_lines_come_in_pieces_and_end_where_the_room_does() {
    let mut switch = Switch::new();
    switch.want(Processor::new(1), 20, ALL_SEATS);
    let got = pieces(&mut switch, &mut line("0123456789abcdefghijklmn\n"));
    assert_eq!(got, [(1, b"0123456789abcdef".to_vec(), false), (1, b"ghij".to_vec(), true)]);
}

#[test]
fn behind_the_end_everybody_is_told_so() {
    let (mut switch, mut text) = (Switch::new(), line("half\x04more\n"));
    switch.want(Processor::new(3), 256, ALL_SEATS);
    switch.want(Processor::new(4), 256, ALL_SEATS);
    let first = piece(&mut switch, &mut text).unwrap();
    assert_eq!((first.to.number(), first.bytes(), first.last, first.end), (3, &b"half"[..], true, true));
    let second = piece(&mut switch, &mut text).unwrap();
    assert_eq!((second.to.number(), second.bytes(), second.last, second.end), (4, &b""[..], true, true));
    switch.want(Processor::new(3), 256, ALL_SEATS);
    assert!(piece(&mut switch, &mut text).unwrap().end);
    assert_eq!(text, line("more\n"));
}

#[test]
fn who_gives_up_loses_nothing_of_others() {
    let (mut switch, mut text) = (Switch::new(), line("abc"));
    switch.want(Processor::new(1), 256, ALL_SEATS);
    switch.want(Processor::new(2), 256, ALL_SEATS);
    assert_eq!(switch.want(Processor::new(1), 0, ALL_SEATS), Some(Given::Piece(Piece::empty(Processor::new(1)))));
    assert_eq!(pieces(&mut switch, &mut text), [(2, b"abc".to_vec(), false)]);
    // In the middle of a line it is too late.
    assert_eq!(switch.want(Processor::new(2), 0, ALL_SEATS), None);
    assert_eq!(pieces(&mut switch, &mut line("\n")), [(2, b"\n".to_vec(), true)]);
    assert_eq!(switch.want(Processor::new(2), 0, ALL_SEATS), None);
}

#[test]
fn an_inbox_asks_once_and_gives_lines() {
    let (mut inbox, mut buffer) = (Inbox::new(), [0; 8]);
    assert!(!inbox.is_ready() && !inbox.cancel());
    assert_eq!((inbox.ask(), inbox.ask()), (Some(256), None));
    inbox.put(b"lon", false, false);
    assert!(!inbox.is_ready());
    inbox.put(b"g enough\n", true, false);
    assert!(inbox.is_ready() && inbox.ask().is_none());
    assert_eq!(inbox.read(&mut buffer), 8);
    assert!(inbox.is_ready());
    assert_eq!(inbox.read(&mut buffer), 4);
    assert_eq!(&buffer[..4], b"ugh\n");
    assert_eq!((inbox.is_ready(), inbox.ask()), (false, Some(256)));
    assert!(inbox.cancel() && !inbox.cancel());
    inbox.put(b"", true, true);
    assert!(inbox.is_ready() && !inbox.cancel());
    assert_eq!((inbox.read(&mut buffer), inbox.ask()), (0, None));
}

#[test]
fn a_line_that_fills_the_inbox_is_read_in_pieces() {
    let (mut inbox, mut buffer) = (Inbox::new(), [0; 300]);
    let room = inbox.ask().unwrap() as usize;
    inbox.put(&std::vec![b'x'; room], true, false);
    assert!(inbox.is_ready());
    assert_eq!(inbox.read(&mut buffer), INBOX_BYTES);
    assert!(!inbox.is_ready());
}

/// What is said; there is no input ahead of it.
fn said(switch: &mut Switch, line: &mut VecDeque<u8>) -> Option<Said> {
    match switch.next(|| line.pop_front())? {
        Given::Said(said) => Some(said),
        other => panic!("{other:?}"),
    }
}

/// Processors 1 and 3 with a shell each, at whose prompts somebody could type; the console is at 3.
fn two_shells() -> Switch {
    let mut switch = Switch::new();
    for number in [1, 3] {
        let processor = Processor::new(number);
        assert_eq!(switch.want(processor, SIT, 0), None);
        assert_eq!(switch.want(processor, 256, seat(processor)), None);
    }
    switch
}

#[test]
fn input_goes_to_the_seat_that_was_last_sat_down_at() {
    let (mut switch, mut text) = (two_shells(), line("a\nb\n\x1d1c\n"));
    assert_eq!(switch.turn, Processor::new(3));
    assert_eq!(one(&mut switch, &mut text), Some((3, b"a\n".to_vec(), true)));
    // Nobody reads where the console is, and processor 1 gets nothing of it.
    assert_eq!(one(&mut switch, &mut text), None);
    assert_eq!((switch.turn, text.len()), (Processor::NOWHERE, 5));
    switch.want(Processor::new(3), 256, seat(Processor::new(3)));
    assert_eq!(one(&mut switch, &mut text), Some((3, b"b\n".to_vec(), true)));
    assert_eq!(said(&mut switch, &mut text), Some(Said::Switched));
    assert_eq!(one(&mut switch, &mut text), Some((1, b"c\n".to_vec(), true)));
}

#[test]
fn another_seat_s_program_on_the_same_processor_is_asked_for_by_its_seat() {
    let (mut switch, mut text) = (two_shells(), line("\x1d1one\ntwo\n"));
    let (first, third) = (seat(Processor::new(1)), seat(Processor::new(3)));
    assert_eq!(said(&mut switch, &mut text), Some(Said::Switched));
    assert_eq!(one(&mut switch, &mut text), Some((1, b"one\n".to_vec(), true)));
    assert_eq!(one(&mut switch, &mut text), None);
    // The first shell's program reads on processor 3, where the third's shell waits as well.
    switch.want(Processor::new(3), RENEW, first | third);
    let piece = piece(&mut switch, &mut text).unwrap();
    assert_eq!((piece.to, piece.bytes()), (Processor::new(3), &b"two\n"[..]));
    assert_eq!(piece.seats & (first | third), first);
}

#[test]
fn who_is_left_at_a_seat_where_nobody_sits_reads_where_the_console_is() {
    let (mut switch, mut text) = (two_shells(), line("\x1d1a\nb\nc\n"));
    let (first, third, air) = (seat(Processor::new(1)), seat(Processor::new(3)), Processor::new(2));
    // A program of the third's shell reads on processor 2.
    switch.want(air, 256, third);
    assert_eq!(said(&mut switch, &mut text), Some(Said::Switched));
    assert_eq!(one(&mut switch, &mut text), Some((1, b"a\n".to_vec(), true)));
    switch.want(Processor::new(1), 256, first);
    switch.want(Processor::new(3), 0, 0);
    assert_eq!(switch.want(Processor::new(3), LEAVE, 0), None);
    let piece = piece(&mut switch, &mut text).unwrap();
    assert_eq!((piece.to, piece.bytes()), (air, &b"b\n"[..]));
    assert_eq!(piece.seats & (first | third), first | third);
    // Keys too; and a shell that sits down there has its seat for itself.
    switch.want(air, KEYS, third);
    assert_eq!(key(&mut switch, &mut line("\x03")), Some((2, INTERRUPT)));
    assert_eq!(one(&mut switch, &mut text), Some((1, b"c\n".to_vec(), true)));
    switch.want(Processor::new(3), RESERVE, 0);
    switch.want(air, 256, third);
    assert_eq!(one(&mut switch, &mut line("d\n")), None);
}

#[test]
fn keys_go_to_who_asked_at_the_console_s_seat() {
    let (mut switch, mut text) = (Switch::new(), line("\x03\x1d1\x1a"));
    for number in [3, 1] {
        let processor = Processor::new(number);
        switch.want(processor, SIT, 0);
        switch.want(processor, KEYS, seat(processor));
    }
    switch.want(Processor::new(3), SIT, 0);
    assert_eq!(key(&mut switch, &mut text), Some((3, INTERRUPT)));
    // Nobody wants anything at this seat any more, but the console can be led away from it.
    assert!(switch.is_wanted());
    assert_eq!(said(&mut switch, &mut text), Some(Said::Switched));
    assert_eq!(key(&mut switch, &mut text), Some((1, PAUSE)));
}

#[test]
fn a_key_waits_for_who_wants_it_and_text_for_a_reader() {
    let (mut switch, mut text) = (Switch::new(), line("\x03\x03a\n"));
    let first = Processor::new(1);
    for number in [3, 1] {
        switch.want(Processor::new(number), SIT, 0);
    }
    assert_eq!(key(&mut switch, &mut text), None);
    assert!(!switch.is_wanted());
    switch.want(first, KEYS, seat(first));
    assert!(switch.is_wanted());
    assert_eq!(key(&mut switch, &mut text), Some((1, INTERRUPT)));
    assert_eq!(key(&mut switch, &mut text), None);
    switch.want(first, 256, seat(first));
    assert_eq!(one(&mut switch, &mut text), Some((1, b"\x03a\n".to_vec(), true)));
}

#[test]
fn a_seat_that_is_kept_leaves_the_console_where_it_is() {
    let mut switch = Switch::new();
    for (number, how) in [(1, SIT), (2, RESERVE), (1, RESERVE), (3, RESERVE), (3, RESERVE)] {
        assert_eq!(switch.want(Processor::new(number), how, 0), None);
    }
    let back = |to| Some(Given::Said(Said::Back { from: Processor::new(1), to: Processor::new(to) }));
    assert_eq!(switch.want(Processor::new(1), LEAVE, 0), back(2));
    let mut switch = Switch::new();
    for (number, how) in [(2, RESERVE), (1, SIT)] {
        switch.want(Processor::new(number), how, 0);
    }
    assert_eq!(said(&mut switch, &mut line("\x1d2")), Some(Said::Switched));
}

#[test]
fn whoever_leaves_the_console_is_missed_and_nobody_waits_for_him() {
    let mut switch = two_shells();
    let said_of = |switch: &mut Switch, text: &str| said(switch, &mut line(text));
    assert_eq!(said_of(&mut switch, "\x1d2"), Some(Said::NoSeat(2)));
    assert_eq!(said_of(&mut switch, "\x1df"), Some(Said::NoSeat(15)));
    assert_eq!(said_of(&mut switch, "\x1dx"), Some(Said::NoNumber));
    // What belongs behind the key comes later.
    assert_eq!(said_of(&mut switch, "\x1d"), None);
    assert!(switch.is_wanted());
    assert_eq!(said_of(&mut switch, "1"), Some(Said::Switched));
    assert_eq!(switch.want(Processor::new(3), LEAVE, 0), None);
    assert_eq!(said_of(&mut switch, "\x1d3"), Some(Said::NoSeat(3)));
    switch.want(Processor::new(3), SIT, 0);
    let (from, to) = (Processor::new(3), Processor::new(1));
    assert_eq!(switch.want(from, LEAVE, 0), Some(Given::Said(Said::Back { from, to })));
    assert_eq!(one(&mut switch, &mut line("x\n")), Some((1, b"x\n".to_vec(), true)));
    // Nobody sits: input is for whoever asks, and Ctrl-] is a byte as any other.
    assert_eq!(switch.want(to, LEAVE, 0), None);
    assert_eq!(one(&mut switch, &mut line("\x1d\n")), Some((3, b"\x1d\n".to_vec(), true)));
}

#[test]
fn a_line_that_was_begun_goes_on_when_the_console_is_back() {
    let (mut switch, mut text) = (two_shells(), line("ab\x1d1cd\n\x1d3ef\n"));
    assert_eq!(one(&mut switch, &mut text), Some((3, b"ab".to_vec(), false)));
    assert_eq!(said(&mut switch, &mut text), Some(Said::Switched));
    assert_eq!(one(&mut switch, &mut text), Some((1, b"cd\n".to_vec(), true)));
    assert_eq!(said(&mut switch, &mut text), Some(Said::Switched));
    assert_eq!(one(&mut switch, &mut text), Some((3, b"ef\n".to_vec(), true)));
}

#[test]
fn the_end_is_for_all_seats() {
    let (mut switch, mut text) = (two_shells(), line("\x1d\x04"));
    assert_eq!(said(&mut switch, &mut text), Some(Said::NoNumber));
    assert!(piece(&mut switch, &mut text).unwrap().end && piece(&mut switch, &mut text).unwrap().end);
    let (mut switch, mut text) = (two_shells(), line("\x04"));
    assert!(piece(&mut switch, &mut text).unwrap().end && piece(&mut switch, &mut text).unwrap().end);
}
