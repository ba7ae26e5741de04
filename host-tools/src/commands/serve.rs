//! `testbed serve`: the page about a run, from a server that this computer alone can reach.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use clap::Args;
use testbed_host_tools::serve::followed::Followed;
use testbed_host_tools::serve::page::page;
use testbed_host_tools::serve::server::Listening;
use testbed_host_tools::top::app::TopError;
use testbed_host_tools::top::child::Started;
use testbed_host_tools::top::player::Options;
use testbed_machine::Machine;
use testbed_runner::signals::{stop_flag, INTERRUPTED};
use testbed_runner::tell;

use super::analyse::window;
use super::forwarded::Forwarded;
use super::{Exit, Failure};

/// Between two looks at a run of which there is nothing new.
const LOOK: Duration = Duration::from_millis(20);

/// Shows a run in a browser of this computer, while it goes on or from its folder.
///
/// Given a folder, the page follows the run, or the `attach`, that writes to it, or shows one that
/// is over. Given a program, it starts a run, with the options of `run`; its console is in the page.
/// Nobody but this computer reaches the server, and nobody without the address that it prints. It
/// serves until Ctrl-C, which ends the run too.
#[derive(Args, Debug)]
pub struct Serve {
    #[command(flatten)]
    run: Forwarded,
    /// The port at which the page is served [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Trailing window of shares and rates, such as 100ms [default: 1s]
    #[arg(long, value_name = "TIME")]
    window: Option<String>,
}

impl Serve {
    /// The exit code: that of the run, if it was started here and came to its end.
    pub fn run(&self) -> Result<u8, Failure> {
        let target = Path::new(&self.run.run.program);
        if target.is_dir() {
            self.run.of_folder(target)?;
            let clock_hz = testbed_trace::capture::Capture::open(target)?.record.machine.clock_hz;
            let window = window(self.window.as_ref(), clock_hz)?;
            let listening = self.listen()?;
            return self.serve(&listening, Followed::folder(target.into(), window)?, &target.display().to_string());
        }
        self.run.of_program(target)?;
        let clock_hz = Machine::load(&self.run.run.machine)?.clock_hz;
        let window = window(self.window.as_ref(), clock_hz)?;
        let (more, no_typing) = self.input()?;
        // Before the run: it would be in vain.
        let listening = self.listen()?;
        let dir: PathBuf = self.run.run.folder();
        let started = Started::at_console(&self.run.command(&more), &dir).map_err(|error| {
            let message = format!("cannot start the run: {error}\n  help: start it with `testbed run`");
            Failure::new(Exit::Environment, message)
        })?;
        let options = Options { window, span: Some(u64::from(clock_hz)), ..Options::default() };
        let followed = Followed::started(started, dir, options, no_typing);
        self.serve(&listening, followed, &self.run.run.program)
    }

    /// What the run is told of its input, and why the page can't type, if it can't.
    fn input(&self) -> Result<(Vec<&'static str>, Option<String>), Failure> {
        let run = &self.run.run;
        match run.input.as_deref() {
            Some("-") => {
                let message = "--input -: the console is in the page here\n  help: leave it out";
                Err(Failure::new(Exit::Input, message))
            }
            Some(_) => Ok((vec![], Some("The run has its input from a file.".into()))),
            None if run.replay.is_some() => {
                Ok((vec![], Some("The run has its input as an earlier run had it.".into())))
            }
            None => Ok((vec!["--input=-"], None)),
        }
    }

    fn listen(&self) -> Result<Listening, Failure> {
        Listening::new(self.port, page()).map_err(|error| {
            let port = self.port;
            let message = match error.kind() {
                ErrorKind::AddrInUse => format!(
                    "--port {port}: another program of this computer has this port\n  help: give another one, or leave it out"
                ),
                ErrorKind::PermissionDenied => {
                    format!("--port {port}: {error}\n  help: give one from 1024 on, or leave it out")
                }
                _ => format!("cannot listen at 127.0.0.1:{port}: {error}"),
            };
            Failure::new(Exit::Environment, message)
        })
    }

    fn serve(&self, listening: &Listening, mut followed: Followed, what: &str) -> Result<u8, Failure> {
        let stop =
            stop_flag().map_err(|error| Failure::new(Exit::Environment, format!("Ctrl-C can't be taken: {error}")))?;
        let mut out = io::stdout();
        // Whoever has started us reads it, and may not want to go on.
        writeln!(out, "{what} is at {}\nCtrl-C ends it", listening.address()).and_then(|()| out.flush())?;
        let shown = loop {
            if stop.swap(false, Ordering::Relaxed) {
                break Ok(());
            }
            if let Err(error) = turn(listening, &mut followed) {
                break Err(error);
            }
        };
        // Also where the folder has gone: nobody would end the run else.
        let asked = followed.ask_to_end();
        let has_begun = followed.has_begun();
        let code = followed.into_started().map(|started| wait(started, &stop)).transpose();
        if !matches!(shown, Err(TopError::NotBegun)) {
            shown?;
            asked?;
        }
        match code?.flatten() {
            // Without a beginning it has said why on its own.
            Some(code) => Ok(code),
            None if has_begun => Ok(0),
            None => {
                tell!("the run was ended before it had begun");
                Ok(Exit::Interrupted as u8)
            }
        }
    }
}

/// Reads on for a moment and answers what is asked meanwhile.
fn turn(listening: &Listening, followed: &mut Followed) -> Result<(), TopError> {
    let patience = if followed.pass()? { Duration::ZERO } else { LOOK };
    let mut question = match listening.questions.recv_timeout(patience) {
        Ok(question) => Some(question),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => {
            return Err(TopError::Terminal(io::Error::other("the server has stopped")));
        }
    };
    while let Some(asked) = question {
        let reply = followed.answer(asked.ask)?;
        // A page that has gone needs none.
        let _ = asked.answer.send(reply);
        question = listening.questions.try_recv().ok();
    }
    Ok(())
}

/// Waits for the end of the run, which is asked again at another Ctrl-C. Its exit code, unless we have ended it.
fn wait(mut started: Started, stop: &AtomicBool) -> Result<Option<u8>, Failure> {
    let failed = |error: io::Error| Failure::new(Exit::Environment, format!("cannot end the run: {error}"));
    while !started.has_ended().map_err(failed)? {
        if stop.swap(false, Ordering::Relaxed) {
            started.ask_to_end().map_err(failed)?;
        }
        std::thread::sleep(LOOK);
    }
    let code = started.finish().map_err(failed)?.code;
    Ok(code.filter(|code| *code != INTERRUPTED).map(|code| code as u8))
}
