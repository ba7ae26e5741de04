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
        Given::Key { to, key } => panic!("key {key} for {}", to.number()),
    }
}

/// The next key; there is no piece ahead of it.
fn key(switch: &mut Switch, line: &mut VecDeque<u8>) -> Option<(u8, u8)> {
    match switch.next(|| line.pop_front())? {
        Given::Piece(piece) => panic!("{piece:?}"),
        Given::Key { to, key } => Some((to.number(), key)),
    }
}

#[test]
fn keys_go_to_who_asked_last_and_nothing_else_is_taken_for_them() {
    let (mut switch, mut text) = (Switch::new(), line("\x03ls\n"));
    assert_eq!(key(&mut switch, &mut text), None);
    assert_eq!(text.len(), 4);
    for processor in [1, 2, 3, 1] {
        assert_eq!(switch.want(Processor::new(processor), KEYS), None);
    }
    switch.want(Processor::new(3), NO_KEYS);
    assert!(switch.is_wanted());
    assert_eq!(key(&mut switch, &mut text), Some((1, INTERRUPT)));
    // A line waits for somebody who reads it, and a key behind it too.
    text.push_back(PAUSE);
    assert_eq!(key(&mut switch, &mut text), None);
    assert!(!switch.is_wanted() && text.len() == 3);
    switch.want(Processor::new(4), 256);
    assert!(switch.is_wanted());
    assert_eq!(one(&mut switch, &mut text), Some((4, b"ls\n".to_vec(), true)));
    assert_eq!(key(&mut switch, &mut text), Some((2, PAUSE)));
    assert!(!switch.is_wanted());
    // Nobody wants keys: they are bytes as any other.
    switch.want(Processor::new(4), 256);
    assert_eq!(pieces(&mut switch, &mut line("\x03\n")), [(4, b"\x03\n".to_vec(), true)]);
}

#[test]
fn a_key_comes_ahead_of_the_rest_of_a_line() {
    let (mut switch, mut text) = (Switch::new(), line("ab\x03cd\n"));
    switch.want(Processor::new(2), 256);
    switch.want(Processor::new(1), KEYS);
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
        assert_eq!(switch.want(Processor::new(processor), 256), None);
    }
    // Asking twice changes nothing.
    assert_eq!(switch.want(Processor::new(2), 256), None);
    assert_eq!(pieces(&mut switch, &mut text), [(2, b"one\n".to_vec(), true), (0, b"two\n".to_vec(), true)]);
    assert!(!switch.is_wanted());
    assert_eq!(text.len(), 6);
}

#[test]
fn long_lines_come_in_pieces_and_end_where_the_room_does() {
    let mut switch = Switch::new();
    switch.want(Processor::new(1), 20);
    let got = pieces(&mut switch, &mut line("0123456789abcdefghijklmn\n"));
    assert_eq!(got, [(1, b"0123456789abcdef".to_vec(), false), (1, b"ghij".to_vec(), true)]);
}

#[test]
fn behind_the_end_everybody_is_told_so() {
    let (mut switch, mut text) = (Switch::new(), line("half\x04more\n"));
    switch.want(Processor::new(3), 256);
    switch.want(Processor::new(4), 256);
    let first = piece(&mut switch, &mut text).unwrap();
    assert_eq!((first.to.number(), first.bytes(), first.last, first.end), (3, &b"half"[..], true, true));
    let second = piece(&mut switch, &mut text).unwrap();
    assert_eq!((second.to.number(), second.bytes(), second.last, second.end), (4, &b""[..], true, true));
    switch.want(Processor::new(3), 256);
    assert!(piece(&mut switch, &mut text).unwrap().end);
    assert_eq!(text, line("more\n"));
}

#[test]
fn who_gives_up_loses_nothing_of_others() {
    let (mut switch, mut text) = (Switch::new(), line("abc"));
    switch.want(Processor::new(1), 256);
    switch.want(Processor::new(2), 256);
    assert_eq!(switch.want(Processor::new(1), 0), Some(Piece::empty(Processor::new(1))));
    assert_eq!(pieces(&mut switch, &mut text), [(2, b"abc".to_vec(), false)]);
    // In the middle of a line it is too late.
    assert_eq!(switch.want(Processor::new(2), 0), None);
    assert_eq!(pieces(&mut switch, &mut line("\n")), [(2, b"\n".to_vec(), true)]);
    assert_eq!(switch.want(Processor::new(2), 0), None);
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
