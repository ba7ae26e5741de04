//! Where the processors' time goes: the report's metric CPU-TIME (Figures 35 to 37), and the kernel's part.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fact::{Doing, Fact, Times};
use super::measure::Range;
use super::windows::Windows;

/// Collects what processors do.
#[derive(Debug)]
pub struct Cpu {
    range: Range,
    window: u64,
    processors: BTreeMap<u8, (Times, Windows<Times>)>,
}

/// Where the processors' time goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuReport {
    pub window_cycles: u64,
    pub processors: Vec<ProcessorReport>,
}

/// One processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessorReport {
    pub processor: u8,
    /// Cycles by what it did: their sum is the observed time.
    pub cycles: BTreeMap<Doing, u64>,
    /// Per window: the same, in the order of [`Doing::ALL`].
    pub windows: Vec<Times>,
}

impl Cpu {
    pub fn new(range: Range, window: u64, processors: u8) -> Self {
        let new = |processor| (processor, (Times::default(), Windows::new(range, window)));
        Cpu { range, window, processors: (1..processors).map(new).collect() }
    }

    pub fn take(&mut self, fact: &Fact) {
        let Fact::Processor { processor, doing, from, to } = *fact else { return };
        let Some((times, windows)) = self.processors.get_mut(&processor) else { return };
        times[doing as usize] += self.range.overlap(from, to);
        windows.spread(from, to, |times, cycles| times[doing as usize] += cycles);
    }

    pub fn finish(self) -> CpuReport {
        let processors = self.processors.into_iter().map(|(processor, (times, windows))| ProcessorReport {
            processor,
            cycles: Doing::ALL
                .into_iter()
                .filter(|doing| times[*doing as usize] > 0)
                .map(|doing| (doing, times[doing as usize]))
                .collect(),
            windows: windows.finish(),
        });
        CpuReport { window_cycles: self.window, processors: processors.collect() }
    }
}
