//! A program in a pseudo-terminal: keys go in, the screen is read, and the terminal's modes are
//! looked at when it ends.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{native_pty_system, Child, CommandBuilder, MasterPty, PtySize};

pub const TESTBED: &str = env!("CARGO_BIN_EXE_testbed");
/// How long something may take that should come at once, and a run with the building of its firmware.
pub const SOON: Duration = Duration::from_secs(60);
pub const BUILT: Duration = Duration::from_secs(900);

/// A program in a terminal of its own.
pub struct Session {
    master: Box<dyn MasterPty + Send>,
    pub child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
    flags: String,
}

impl Session {
    pub fn of(program: &str, arguments: &[&str]) -> Self {
        Session::with(program, arguments, &[])
    }

    /// With these variables of the environment too.
    pub fn with(program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        command.env("TERM", "xterm-256color");
        variables.iter().for_each(|(name, value)| command.env(name, value));
        // Of 24 lines and 80 columns.
        let screen = Arc::new(Mutex::new(vt100::Parser::default()));
        let flags = flags(&*pair.master);
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let (mut reader, shown) = (pair.master.try_clone_reader().unwrap(), Arc::clone(&screen));
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                shown.lock().unwrap().process(&bytes[..count]);
            }
        });
        Session { keys: pair.master.take_writer().unwrap(), master: pair.master, child, screen, flags }
    }

    pub fn top(arguments: &[&str]) -> Self {
        let all: Vec<_> = ["top"].iter().chain(arguments).copied().collect();
        Session::of(TESTBED, &all)
    }

    pub fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    #[track_caller]
    pub fn wait_for(&self, what: &str, time: Duration) {
        let begun = Instant::now();
        while !self.text().contains(what) {
            assert!(begun.elapsed() < time, "`{what}` does not come:\n{}", self.text());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for the end; the terminal must be as it was. Returns the exit code, and what is left on the screen.
    #[track_caller]
    pub fn end(mut self, time: Duration) -> (u32, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < time, "it does not end:\n{}", self.text());
            thread::sleep(Duration::from_millis(10));
        };
        // The last bytes are on their way.
        thread::sleep(Duration::from_millis(200));
        let parser = self.screen.lock().unwrap();
        assert!(!parser.screen().alternate_screen(), "the second screen is left");
        assert!(!parser.screen().hide_cursor(), "the cursor is there");
        assert_eq!(flags(&*self.master), self.flags, "the terminal's modes are as before");
        (status.exit_code(), parser.screen().contents())
    }
}

/// The modes of a terminal: echo, lines, signals and the rest.
fn flags(master: &dyn MasterPty) -> String {
    let modes = master.get_termios().expect("a pseudo-terminal has modes");
    format!("{:?} {:?} {:?}", modes.input_flags, modes.output_flags, modes.local_flags)
}
