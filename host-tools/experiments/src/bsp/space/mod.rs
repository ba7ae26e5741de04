//! `testbed bsp space`: the BSP space of (p, l, g), with our machines in it and those of others, as a
//! page with a plot that one can turn.
//!
//! | module | what it does |
//! |---|---|
//! | [`points`] | machines: published ones, and what the probe has measured |
//! | [`page`] | the page, drawn by the scripts beside it |

pub mod page;
pub mod points;

use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::parameters::Parameters;
use super::Probe;
use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::progress::Progress;
use points::{Point, PointsError};

/// Numbers of processes that are measured if no file is given.
const PROCESSES: [u8; 4] = [2, 5, 10, 15];
/// The page, in the output folder.
const PAGE: &str = "space.html";

/// Shows machines in the space of p, l and g: ours, and published ones, on a page with a plot that one can turn
#[derive(Args, Debug)]
pub struct Space {
    /// Files that `testbed bsp probe --json` has printed [default: 2, 5, 10 and 15 processes are measured]
    files: Vec<PathBuf>,
    /// Runs at a time, if there is something to measure; by default one for each core
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "out/bsp-space")]
    out: PathBuf,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Experiment for Space {
    fn make(&self, progress: &dyn Progress) -> Result<String, ExperimentError> {
        let mut points = Vec::new();
        for (place, parameters) in self.parameters(progress)? {
            points.extend(points::measured(&parameters, &place)?);
        }
        points.extend(points::published()?);
        fs::create_dir_all(&self.out).map_err(ExperimentError::unwritable(&self.out))?;
        let path = self.out.join(PAGE);
        fs::write(&path, page::html(&points)?).map_err(ExperimentError::unwritable(&path))?;
        Ok(match self.json {
            true => format!("{}\n", serde_json::to_string_pretty(&points).map_err(std::io::Error::from)?),
            false => format!("{}\nthe page: {}\n", text(&points), path.display()),
        })
    }
}

impl Space {
    /// What is known of our machines, each with the place that it is from.
    fn parameters(&self, progress: &dyn Progress) -> Result<Vec<(String, Parameters)>, ExperimentError> {
        let mut all = Vec::new();
        for file in &self.files {
            let place = file.display().to_string();
            all.extend(points::read(file)?.into_iter().map(|parameters| (place.clone(), parameters)));
        }
        if self.files.is_empty() {
            let probe = Probe::of(&PROCESSES, self.jobs, self.out.join("probe"));
            let measured = probe.measure(progress)?;
            all.extend(measured.into_iter().map(|parameters| (parameters.machine.clone(), parameters)));
        }
        Ok(all)
    }
}

/// A table of them, and where they are from.
pub fn text(points: &[Point]) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = write(&mut text, points);
    text
}

fn write(text: &mut String, points: &[Point]) -> std::fmt::Result {
    let mut sources: Vec<&str> = Vec::new();
    writeln!(
        text,
        "                        clock  s, Mflop/s       floating-point operations             cycles         "
    )?;
    writeln!(
        text,
        "machine               p    MHz                       l    g a word           l    g a word  source"
    )?;
    for point in points {
        let source = sources.iter().position(|source| *source == point.source).unwrap_or_else(|| {
            sources.push(&point.source);
            sources.len() - 1
        });
        writeln!(
            text,
            "{:<19} {:>3} {:>6.1} {:>11.3} {:>13.1} {:>11.3} {:>12.0} {:>11.1}  {:>6}",
            point.machine,
            point.processes,
            point.clock_mhz,
            point.speed_mflops,
            point.l_flops,
            point.g_flops,
            point.l_cycles,
            point.g_cycles,
            format!("[{}]", source + 1)
        )?;
    }
    writeln!(text)?;
    for (index, source) in sources.iter().enumerate() {
        writeln!(text, "[{}] {source}", index + 1)?;
    }
    Ok(())
}

impl From<PointsError> for ExperimentError {
    fn from(error: PointsError) -> Self {
        ExperimentError::Option(error.to_string())
    }
}
