//! How far a command is, on standard error and on a terminal only.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use testbed_experiments::progress::Progress;

use super::scaled;

/// Says what is being done, as long as nobody knows how long it takes.
pub fn spinner(message: &'static str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message);
    spinner.enable_steady_tick(std::time::Duration::from_millis(100));
    spinner
}

/// Shows how far an experiment is: what it does, or which of its runs are made.
#[derive(Debug, Default)]
pub struct Shown(Mutex<Option<ProgressBar>>);

impl Shown {
    fn with(&self, act: impl FnOnce(&mut Option<ProgressBar>)) {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Progress for Shown {
    fn doing(&self, what: &str) {
        self.with(|bar| bar.get_or_insert_with(|| spinner("")).set_message(what.to_owned()));
    }

    fn begin(&self, runs: usize) {
        let style = ProgressStyle::with_template("{pos}/{len} runs, {elapsed}: {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let runs = ProgressBar::new(runs as u64).with_style(style);
        runs.enable_steady_tick(std::time::Duration::from_millis(200));
        self.with(|bar| *bar = Some(runs));
    }

    fn run(&self, name: &str) {
        self.with(|bar| bar.iter().for_each(|bar| bar.set_message(name.to_owned())));
    }

    fn made(&self) {
        self.with(|bar| bar.iter().for_each(|bar| bar.inc(1)));
    }

    fn clear(&self) {
        self.with(|bar| bar.take().iter().for_each(ProgressBar::finish_and_clear));
    }
}

/// Shows the cycles that a machine has done. How many there will be is known to nobody: a program
/// ends when it ends. So a bar shows only the part of `limit` that is over, and only if somebody
/// has asked for just this limit.
pub fn cycles(limit: Option<u64>) -> ProgressBar {
    let (bar, template) = match limit {
        Some(limit) => (ProgressBar::new(limit), "{elapsed} {wide_bar} {done} of at most {limit} cycles, {rate}"),
        None => (ProgressBar::new_spinner(), "{elapsed} {spinner} {done} cycles, {rate}"),
    };
    bar.with_style(style(template))
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    let style = style.with_key("done", |state: &ProgressState, out: &mut dyn Write| {
        let _ = write!(out, "{}", scaled(state.pos() as f64).trim_end());
    });
    let style = style.with_key("limit", |state: &ProgressState, out: &mut dyn Write| {
        let _ = write!(out, "{}", scaled(state.len().unwrap_or(0) as f64).trim_end());
    });
    style.with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
        let _ = write!(out, "{}cycles/s", scaled(state.per_sec()));
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::{Arc, Mutex};

    use indicatif::{ProgressDrawTarget, TermLike};

    /// A terminal of a hundred columns that keeps what is written.
    #[derive(Clone, Debug, Default)]
    struct Paper(Arc<Mutex<String>>);

    impl TermLike for Paper {
        fn width(&self) -> u16 {
            100
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, line: &str) -> io::Result<()> {
            self.write_str(line)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What the terminal shows when so many cycles are done.
    fn shown(limit: Option<u64>, done: u64) -> String {
        let paper = Paper::default();
        let bar = cycles(limit);
        bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(paper.clone())));
        bar.set_position(done);
        bar.abandon();
        let text = paper.0.lock().unwrap().trim_end().to_string();
        text
    }

    #[test]
    fn without_a_limit_that_was_asked_for_there_is_no_bar() {
        let text = shown(None, 1_441_792);
        assert!(text.contains(" 1.44 M cycles, ") && text.contains("cycles/s") && !text.contains(" of "), "{text}");
        let text = shown(Some(3_000_000_000), 1_441_792);
        assert!(text.contains(" 1.44 M of at most 3.00 G cycles, "), "{text}");
    }

    #[test]
    fn rates_have_few_digits() {
        let text = shown(None, 497_570);
        let rate = text.rsplit(", ").next().unwrap();
        assert!(rate.ends_with("cycles/s") && rate.len() <= "999.99 Mcycles/s".len(), "{text}");
    }
}
