//! `docs/firmware.md` says what the definitions say.

use testbed_definitions::{event, mpc};

const PAGE: &str = include_str!("../../../docs/firmware.md");

#[test]
fn every_event_is_in_the_table() {
    for kind in event::KINDS {
        let argument = kind.argument.map_or(" ".into(), |argument| format!(" {argument} "));
        let line = format!("| `{:#06x}` | {} |{argument}| {} |", kind.code, kind.name, kind.meaning);
        assert!(PAGE.contains(&line), "docs/firmware.md lacks: {line}");
    }
    assert_eq!(PAGE.matches("| `0x0").count(), event::KINDS.len());
}

#[test]
fn every_packet_type_is_in_the_table() {
    for kind in 0..=255 {
        let Some(name) = mpc::name(kind) else { continue };
        let line = format!("| {kind} | {name} |");
        assert!(PAGE.contains(&line), "docs/firmware.md lacks: {line}");
    }
    assert!(PAGE.contains("up to 2,028 bytes") && mpc::FRAGMENT_BYTES == 2028);
}
