//! Text for readers, JSON and CSV for programs.

use clap::Args;
use serde::Serialize;

use crate::error::ExperimentError;

#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Output {
    /// JSON instead of text
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// CSV instead of text
    #[arg(long)]
    csv: bool,
}

impl Output {
    /// All of it as JSON, or its rows as CSV, or its text.
    pub fn print<A: Serialize, R: Serialize>(
        self,
        all: &A,
        rows: &[R],
        text: impl FnOnce() -> String,
    ) -> Result<String, ExperimentError> {
        if self.json {
            return Ok(serde_json::to_string_pretty(all).map_err(std::io::Error::from)? + "\n");
        }
        if self.csv {
            let mut writer = csv::Writer::from_writer(Vec::new());
            rows.iter().try_for_each(|row| writer.serialize(row)).map_err(std::io::Error::from)?;
            let bytes = writer.into_inner().map_err(|error| error.into_error())?;
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        Ok(text())
    }
}
