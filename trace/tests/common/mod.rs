//! A model of an SMI that knows the truth.

use testbed_definitions::monitor::{is_reserved, Pair, GAP_MARKER, WRAP_MARKER};

/// What the SMI did, one entry a pair of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    pub epoch: u64,
    pub pair: Pair,
    pub kind: PairKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairKind {
    Word,
    Wrap,
    /// First half of a gap marker, with the number of events discarded.
    Gap(u32),
    /// Second half.
    Count,
}

/// One step of a script for [`smi_stream`].
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// So many ticks pass.
    Wait(u32),
    /// An event; refused if reserved.
    Emit(u16),
    /// So many events are discarded, and the loss is marked.
    Lose(u32),
}

/// The stream that an SMI delivers for `steps`, as `docs/monitor.md` says.
pub fn smi_stream(steps: &[Step]) -> Vec<Truth> {
    let (mut now, mut epoch, mut stream) = (0u64, 0u64, Vec::new());
    for step in steps {
        if let Step::Wait(ticks) = step {
            now += u64::from(*ticks);
        }
        while epoch < now >> 16 {
            epoch += 1;
            let datum = u16::from(WRAP_MARKER) << 8 | (epoch & 0xff) as u16;
            stream.push(Truth { epoch, pair: Pair { time: 0, datum }, kind: PairKind::Wrap });
        }
        let time = now as u16;
        match *step {
            Step::Emit(datum) if !is_reserved(datum) => {
                stream.push(Truth { epoch, pair: Pair { time, datum }, kind: PairKind::Word });
            }
            Step::Lose(count) if count > 0 => {
                let high = u16::from(GAP_MARKER) << 8 | (count >> 16) as u16;
                stream.push(Truth { epoch, pair: Pair { time, datum: high }, kind: PairKind::Gap(count) });
                stream.push(Truth { epoch, pair: Pair { time, datum: count as u16 }, kind: PairKind::Count });
            }
            _ => {}
        }
    }
    stream
}
