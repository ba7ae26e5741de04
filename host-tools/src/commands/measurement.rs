//! Runs that commands make to measure something.

use std::path::Path;

use testbed_host_tools::capture::{Capture, CaptureWriter, KernelKind, RunRecord};
use testbed_host_tools::drive::drive;
use testbed_host_tools::engines;
use testbed_host_tools::firmware::Firmware;
use testbed_host_tools::load::Boot;
use testbed_host_tools::operator::Operator;
use testbed_machine::Machine;

use super::run::image_of;
use super::Failure;

/// A run that a measurement makes, with the seed, classes and arguments of its `Boot`.
pub struct Measurement<'a> {
    pub machine: &'a Machine,
    pub engine: &'a str,
    pub kernel: KernelKind,
    /// The first is started.
    pub programs: &'a [&'a str],
    pub folder: &'a Path,
    /// When it is given up, in machine cycles.
    pub limit: u64,
}

impl Measurement<'_> {
    /// Runs it into its folder.
    pub fn run(&self, built: &Firmware, boot: Boot) -> Result<Capture, Failure> {
        let image = image_of(built, self.machine, self.programs, &boot)?;
        let mut engine = engines::open(self.engine, self.machine, &image, None)?;
        let record = RunRecord {
            arguments: boot.arguments,
            engine: engine.name().into(),
            seed: boot.seed,
            kernel: Some(self.kernel),
            files: self.programs.iter().map(|name| (*name).into()).collect(),
            dgl: boot.dgl,
            ..RunRecord::new(self.machine, self.programs[0])
        };
        let writer = CaptureWriter::create(self.folder, self.machine, &record)?;
        let record = drive(engine.as_mut(), writer, record, self.limit, &mut Operator::nobody(), |_| ())?;
        Ok(Capture::of_run(self.folder, record))
    }
}
