//! The network of the command line, or the one that `testbed probe` has measured.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Deserialize;
use testbed_lossy::superstep::Network;

use super::quantities::{bytes, number, probability, rate, seconds};
use crate::error::ExperimentError;

/// The loss where none is said.
const LOSS: f64 = 0.1;
/// Packet, bandwidth and round trip where none is said, as in the first columns of Table II.
const PACKET: f64 = 65536.0;
const BANDWIDTH: f64 = 17.5e6;
const BETA: f64 = 0.069;

/// Loss, alpha and beta. What is not given is as in the file, or else as in the paper's Table II.
#[derive(Args, Clone, Debug, Default)]
pub struct NetworkOptions {
    /// A file that `testbed probe` has left, network.toml
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// The probability that a packet or its acknowledgment is lost [default: 10%]
    #[arg(long, value_name = "P", value_parser = probability)]
    loss: Option<f64>,
    /// Time that a packet takes a node to send [default: 65536 bytes at 17.5 MB/s]
    #[arg(long, value_name = "TIME", value_parser = seconds, conflicts_with_all = ["packet", "bandwidth"])]
    alpha: Option<f64>,
    /// Time until a packet's acknowledgment is there, of which a round waits twice as much [default: 69ms]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    beta: Option<f64>,
    /// Bytes of a packet, which at a bandwidth are alpha
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    packet: Option<f64>,
    /// Bandwidth, which for a packet is alpha, such as 17.5MB/s
    #[arg(long, value_name = "RATE", value_parser = rate)]
    bandwidth: Option<f64>,
}

/// What of the file counts here; all but the loss may be missing.
#[derive(Clone, Debug, Deserialize)]
struct Measured {
    loss: f64,
    packet_bytes: Option<f64>,
    bandwidth_bytes_per_second: Option<f64>,
    alpha_seconds: Option<f64>,
    beta_seconds: Option<f64>,
    losses_are_independent: Option<bool>,
    bandwidth_is_at_least: Option<bool>,
    complete: Option<bool>,
}

/// A network, and what is to be said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    pub network: Network,
    /// Whether its loss was chosen or measured.
    pub has_loss: bool,
    pub notes: Vec<String>,
}

impl Known {
    /// A line for it, and one for each note.
    pub fn text(&self) -> String {
        let Network { loss, alpha, beta } = self.network;
        let notes: String = self.notes.iter().map(|note| format!("note: {note}\n")).collect();
        format!("loss {}, alpha {} s, beta {} s\n{notes}", number(loss), number(alpha), number(beta))
    }
}

impl NetworkOptions {
    /// The network.
    ///
    /// # Errors
    /// The file can't be read, or lacks what is not given beside it.
    pub fn known(&self) -> Result<Known, ExperimentError> {
        self.known_for(None)
    }

    /// The network as it is for messages that may be shorter than a packet: alpha is less then, unless
    /// it is given.
    ///
    /// # Errors
    /// As of [`known`](Self::known).
    pub fn known_for(&self, message: Option<f64>) -> Result<Known, ExperimentError> {
        let file = self.measured()?;
        let beta = self.value(self.beta, file.as_ref().map(|one| one.beta_seconds), BETA, "beta", "--beta")?;
        let loss = self.loss.or(file.as_ref().map(|one| one.loss)).unwrap_or(LOSS);
        let network = Network { loss, alpha: self.alpha_for(message, file.as_ref())?, beta };
        let notes = file.as_ref().map_or(vec![], Measured::notes);
        Ok(Known { network, has_loss: self.loss.is_some() || file.is_some(), notes })
    }

    /// Bytes of a packet.
    ///
    /// # Errors
    /// As of [`known`](Self::known).
    pub fn packet_bytes(&self) -> Result<f64, ExperimentError> {
        let in_file = self.measured()?.and_then(|one| one.packet_bytes);
        Ok(self.packet.or(in_file).unwrap_or(PACKET))
    }

    fn measured(&self) -> Result<Option<Measured>, ExperimentError> {
        self.from.as_deref().map(read).transpose()
    }

    fn alpha_for(&self, message: Option<f64>, file: Option<&Measured>) -> Result<f64, ExperimentError> {
        if let Some(alpha) = self.alpha {
            return Ok(alpha);
        }
        if self.packet.is_none() && self.bandwidth.is_none() && message.is_none() {
            let in_file = file.map(|one| one.alpha_seconds);
            return self.value(None, in_file, PACKET / BANDWIDTH, "alpha", "--bandwidth or --alpha");
        }
        let packet = self.packet_bytes()?;
        let in_file = file.map(|one| one.bandwidth_bytes_per_second);
        let bandwidth = self.value(self.bandwidth, in_file, BANDWIDTH, "bandwidth", "--bandwidth or --alpha")?;
        Ok(message.map_or(packet, |bytes| bytes.min(packet)) / bandwidth)
    }

    /// What is given, or stands in the file, or is usual if there is no file.
    fn value(
        &self,
        given: Option<f64>,
        in_file: Option<Option<f64>>,
        usual: f64,
        name: &str,
        option: &str,
    ) -> Result<f64, ExperimentError> {
        match (given, in_file) {
            (Some(value), _) | (None, Some(Some(value))) => Ok(value),
            (None, None) => Ok(usual),
            (None, Some(None)) => {
                let file = self.from.as_deref().unwrap_or(Path::new("")).display();
                Err(ExperimentError::Option(format!(
                    "{file}: it has no {name}, which was not measured\n  help: give {option} too"
                )))
            }
        }
    }
}

fn read(file: &Path) -> Result<Measured, ExperimentError> {
    let wrong = |what: String| {
        let help = "give a network.toml that `testbed probe HOST` has left";
        ExperimentError::Option(format!("{}: {what}\n  help: {help}", file.display()))
    };
    let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let measured: Measured = toml::from_str(&text).map_err(|error| wrong(error.to_string().trim_end().into()))?;
    let times = [measured.alpha_seconds, measured.beta_seconds].into_iter().flatten();
    let sizes = [measured.packet_bytes, measured.bandwidth_bytes_per_second].into_iter().flatten();
    if !(0.0..=1.0).contains(&measured.loss) {
        return Err(wrong(format!("a loss of {} is no probability", measured.loss)));
    }
    if measured.loss == 1.0 {
        return Err(wrong("all packets were lost: nothing ever gets through".into()));
    }
    let is_size = |size: f64| size.is_finite() && size > 0.0;
    if !times.into_iter().all(|time| time.is_finite() && time >= 0.0) || !sizes.into_iter().all(is_size) {
        return Err(wrong("a time, a size or a bandwidth is below 0 or no number".into()));
    }
    Ok(measured)
}

impl Measured {
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.losses_are_independent == Some(false) {
            notes.push("losses were not independent, as the model assumes: do not trust what follows".into());
        }
        if self.bandwidth_is_at_least == Some(true) {
            notes.push("the bandwidth is a lower bound: alpha may be shorter".into());
        }
        if self.complete == Some(false) {
            notes.push("the measurement was not complete".into());
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(text: &str, options: NetworkOptions) -> Result<Known, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        let known = NetworkOptions { from: Some(file.path().into()), ..options }.known();
        known.map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_says_what_is_not_given() {
        let text = "loss = 0.02\nalpha_seconds = 0.001\nbeta_seconds = 0.05\npacket_bytes = 1400\nsize = []\n";
        let network = |options| known(text, options).unwrap().network;
        assert_eq!(network(NetworkOptions::default()), Network { loss: 0.02, alpha: 0.001, beta: 0.05 });
        let given = NetworkOptions { loss: Some(0.3), beta: Some(1.0), ..NetworkOptions::default() };
        assert_eq!(network(given), Network { loss: 0.3, alpha: 0.001, beta: 1.0 });
        let given = NetworkOptions { bandwidth: Some(1.4e6), ..NetworkOptions::default() };
        assert_eq!(network(given).alpha, 0.001);
    }

    #[test]
    fn what_was_not_measured_has_to_be_given() {
        let error = known("loss = 0.02\nbeta_seconds = 0.05\n", NetworkOptions::default()).unwrap_err();
        assert!(
            error.contains("it has no alpha") && error.contains("help: give --bandwidth or --alpha too"),
            "{error}"
        );
        let alpha = NetworkOptions { alpha: Some(0.1), ..NetworkOptions::default() };
        assert!(known("loss = 0.02\nbeta_seconds = 0.05\n", alpha).is_ok());
    }

    #[test]
    fn doubts_of_the_measurement_are_passed_on() {
        let text = "loss = 0\nalpha_seconds = 0\nbeta_seconds = 0\nlosses_are_independent = false\nbandwidth_is_at_least = true\ncomplete = false\n";
        // Whole numbers are written without a point.
        let known = known(text, NetworkOptions::default()).unwrap();
        assert_eq!(known.network, Network { loss: 0.0, alpha: 0.0, beta: 0.0 });
        assert_eq!(known.notes.len(), 3);
    }

    #[test]
    fn files_that_mean_nothing_are_refused() {
        for text in
            ["", "loss = 2.0", "loss = 1.0", "loss = nan", "loss = 0.1\nbeta_seconds = -1.0", "loss = \"x\"", "{"]
        {
            let error = known(text, NetworkOptions::default()).unwrap_err();
            assert!(error.contains("help: give a network.toml"), "{text}: {error}");
        }
    }
}
