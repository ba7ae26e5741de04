//! Captures from a board: frames from a serial port into the same folder as a run's. See `docs/attach.md`.

pub mod port;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{sync_channel, Receiver as Queue, RecvTimeoutError};
use std::sync::Arc;
use std::time::{Duration, Instant};

use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_machine::Machine;

use port::{follow, open, PortError, PortSettings, Told};
use testbed_trace::analysis::ticks_shown;
use testbed_trace::capture::{
    verify, Capture, CaptureError, CaptureWriter, Claim, LinkFigures, Received, Receiver, RunRecord, ATTACHED,
};

/// Blocks of bytes that wait while the disk is slow; then the port's own buffer fills.
const WAITING: usize = 256;
/// How often one looks whether it is time to stop.
const LOOK: Duration = Duration::from_millis(20);

/// Why a capture from a port failed.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    #[error(transparent)]
    Port(#[from] PortError),
    #[error(transparent)]
    Capture(#[from] CaptureError),
}

/// Where from, and how long.
#[derive(Clone, Debug)]
pub struct Options {
    pub port: PortSettings,
    pub console: Option<PortSettings>,
    /// The end of the port is the end of the capture; otherwise it is waited for.
    pub once: bool,
    pub time: Option<Duration>,
}

/// Why a capture ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Somebody said so.
    Stopped,
    Time,
    /// The port has gone.
    Port,
    /// The board began anew.
    Restart,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub record: RunRecord,
    pub figures: LinkFigures,
    pub ended: Ended,
    /// How often the port went away and came back.
    pub reconnects: u64,
}

/// Which port something comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Link,
    Console,
}

/// Captures into the folder of `claim` until `stop`, the time is over, the port ends (with `once`)
/// or the board begins anew. `record` says what is known of the run; `tell` hears what happens
/// meanwhile. The folder then says that it is complete.
///
/// # Errors
/// A port can't be opened at first; the folder can't be written to. What was written then stays, and is not complete.
pub fn attach(
    machine: &Machine,
    record: RunRecord,
    options: &Options,
    claim: &Claim,
    folder: &Path,
    stop: &AtomicBool,
    tell: &mut impl FnMut(String),
) -> Result<Outcome, AttachError> {
    let started = Instant::now();
    let record = RunRecord { engine: ATTACHED.into(), ..record };
    let link = open(&options.port)?;
    let console = options.console.as_ref().map(open).transpose()?;
    let writer = claim.writer(machine, &record)?;
    let receiver = Receiver::new(machine.slaves());
    let mut session = Session { writer, receiver, console: machine.console() as u8, reconnects: 0, restarted: false };
    let done = Arc::new(AtomicBool::new(false));
    let (sender, queue) = sync_channel(WAITING);
    let mut threads = Vec::new();
    if let (Some(port), Some(settings)) = (console, options.console.clone()) {
        threads.push(follow(port, settings, true, done.clone(), Name::Console, sender.clone()));
    }
    threads.push(follow(link, options.port.clone(), !options.once, done.clone(), Name::Link, sender));
    tell(format!("attached to {}", options.port.path.display()));
    let ended = session.run(&queue, options, started, stop, tell);
    done.store(true, Ordering::Relaxed);
    // What the threads have read until they stop counts too, unless the disk fails.
    let ended = ended.and_then(|ended| session.drain(&queue, options, tell).map(|()| ended));
    drop(queue);
    threads.into_iter().for_each(|thread| drop(thread.join()));
    let ended = ended?;
    let ended = if session.restarted { Ended::Restart } else { ended };
    let Session { writer, receiver, reconnects, .. } = session;
    let record = RunRecord { wall_seconds: started.elapsed().as_secs_f64(), ..record };
    writer.finish(&record)?;
    // Nobody else counts a board's cycles: the events show how long it has run.
    let capture = Capture::of_run(folder, record.clone());
    let cycles = ticks_shown(&capture, &verify(&capture)?)? * u64::from(record.machine.tick_cycles);
    let record = RunRecord { complete: true, cycles, ..record };
    record.write(folder)?;
    Ok(Outcome { record, figures: receiver.figures(), ended, reconnects })
}

struct Session {
    writer: CaptureWriter,
    receiver: Receiver,
    /// The processor whose console is connected: a board has one, the master's if there is a master.
    console: u8,
    reconnects: u64,
    restarted: bool,
}

impl Session {
    /// Until something ends it.
    fn run(
        &mut self,
        queue: &Queue<(Name, Told)>,
        options: &Options,
        started: Instant,
        stop: &AtomicBool,
        tell: &mut impl FnMut(String),
    ) -> Result<Ended, AttachError> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(Ended::Stopped);
            }
            if options.time.is_some_and(|time| started.elapsed() >= time) {
                return Ok(Ended::Time);
            }
            match queue.recv_timeout(LOOK) {
                Ok((Name::Link, Told::Gone(why))) if options.once => {
                    tell(format!("{} has gone ({why})", options.port.path.display()));
                    return Ok(Ended::Port);
                }
                Ok((name, told)) => self.take(name, told, options, tell)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Ended::Port),
            }
            if self.restarted {
                return Ok(Ended::Restart);
            }
        }
    }

    /// Takes what is left, until both threads have stopped.
    fn drain(
        &mut self,
        queue: &Queue<(Name, Told)>,
        options: &Options,
        tell: &mut impl FnMut(String),
    ) -> Result<(), AttachError> {
        while let Ok((name, told)) = queue.recv() {
            self.take(name, told, options, tell)?;
        }
        Ok(())
    }

    fn take(
        &mut self,
        name: Name,
        told: Told,
        options: &Options,
        tell: &mut impl FnMut(String),
    ) -> Result<(), AttachError> {
        let path = match name {
            Name::Link => &options.port.path,
            Name::Console => options.console.as_ref().map_or(&options.port.path, |console| &console.path),
        };
        match (name, told) {
            (Name::Link, Told::Bytes(bytes)) => self.bytes(&bytes)?,
            (Name::Console, Told::Bytes(bytes)) => {
                let processor = self.console;
                self.writer.console(bytes.into_iter().map(|byte| (processor, byte)))?;
            }
            (name, Told::Gone(why)) => {
                tell(format!("{} has gone ({why}); waiting for it to come back", path.display()));
                if name == Name::Link {
                    self.receiver.cut();
                }
            }
            (name, Told::Back) => {
                tell(format!("{} is back", path.display()));
                self.reconnects += u64::from(name == Name::Link);
            }
        }
        Ok(())
    }

    /// Writes what the bytes settle.
    fn bytes(&mut self, bytes: &[u8]) -> Result<(), AttachError> {
        let (mut words, mut result, writer) = (Vec::new(), Ok(()), &mut self.writer);
        self.receiver.push(bytes, &mut |received| match received {
            _ if result.is_err() => {}
            Received::Pair { smi, pair } => words.extend(both(smi, pair)),
            // A hole is written behind all that is before it.
            Received::Hole(missing) => result = writer.words(words.drain(..)).and_then(|()| writer.hole(missing)),
            Received::Restart => self.restarted = true,
        });
        result?;
        Ok(self.writer.words(words)?)
    }
}

/// A pair as the MMI's words; a board does not tell its cycle.
fn both(smi: u8, pair: Pair) -> [(u64, u32); 2] {
    [pair.time, pair.datum].map(|value| (0, MmiWord { smi, value }.pack()))
}
