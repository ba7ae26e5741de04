//! Where the events of a folder come from, as long as its run goes on and afterwards.

use std::path::Path;
use std::sync::mpsc::{channel, Receiver};
use std::time::{Duration, Instant};

use testbed_trace::capture::{verify, Capture, CaptureError, Holder, Integrity, RunRecord, Stop, Writing};
use testbed_trace::live::Live;
use testbed_trace::order::Ordered;

/// How long a run that has just claimed the folder may take until its files are there.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where events come from.
pub enum Source {
    /// The files of a run that has begun are not all there yet.
    Opening(Instant),
    /// A run that is over is being verified.
    Checking(Receiver<Result<Integrity, CaptureError>>, Option<Holder>),
    Whole(Ordered<'static>, Option<Holder>),
    Live(Box<Live>),
}

impl Source {
    /// The source that fits what goes on in a folder, and the record of its run.
    ///
    /// # Errors
    /// There is no run, or a file can't be read.
    pub fn open(dir: &Path, since: Instant) -> Result<(Self, RunRecord), CaptureError> {
        let capture = Capture::open(dir)?;
        let capture = match Writing::of(&capture)? {
            Writing::Going => {
                let source = match Live::open(dir) {
                    Ok(live) => Source::Live(Box::new(live)),
                    // It has claimed the folder, and makes its files.
                    Err(CaptureError::Io { .. }) if since.elapsed() < PATIENCE => Source::Opening(since),
                    Err(error) => return Err(error),
                };
                return Ok((source, capture.record));
            }
            // It may have come to its end just now.
            Writing::Complete(record) => Capture::of_run(dir, *record),
            Writing::Killed => capture,
        };
        // Without a trace there may still be mmi.raw.
        let holder = Holder::of(&capture).ok();
        let record = capture.record.clone();
        let (answer, question) = channel();
        // On its own, so that keys are heard meanwhile. It ends with the program, if not before.
        std::thread::spawn(move || answer.send(verify(&capture)));
        Ok((Source::Checking(question, holder), record))
    }
}

/// How a run ended.
pub fn ending(record: &RunRecord) -> String {
    let exit = record.exits.first().map(|exit| format!("exit code {} on {}", exit.code, exit.processor));
    match (record.complete, record.stopped) {
        (false, _) => "the run was ended before it was over".into(),
        (true, Some(Stop::Limit)) => "the time given is over".into(),
        (true, Some(Stop::User)) => "the run was ended by its user".into(),
        (true, _) => exit.unwrap_or_else(|| "the run is over".into()),
    }
}
