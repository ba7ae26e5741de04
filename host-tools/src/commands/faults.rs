//! What `run` is told of packets that are lost.

use clap::Args;
use testbed_definitions::boot::{is_small, WHOLE_ROUNDS};
use testbed_definitions::mpc::superstep::COPIES_MAX;
use testbed_definitions::packet::{fault_threshold, Faults};
use testbed_machine::Machine;
use testbed_trace::capture::FaultsRecord;

use super::{Exit, Failure};

/// Parts of which a probability is a whole number.
const MILLION: u32 = 1_000_000;
/// The largest probability: more, and hardly anything arrives.
const MOST: u32 = 990_000;

/// Options of `run`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Losing packets")]
pub struct Losing {
    /// Each packet that leaves a station is lost with this probability, such as 10%, the same ones
    /// on every engine; its station notices, and sends it again. With 0% it only listens for that
    #[arg(long, value_name = "PERCENT")]
    loss: Option<String>,
    /// Each is damaged on its way with this probability: its CRC tells, and its station sends it again
    #[arg(long, value_name = "PERCENT")]
    damage: Option<String>,
    /// What BSP processes exchange leaves so often each time, from 1 to 8, as packets that nobody
    /// sends again but the kernels themselves, in rounds: what lossy BSP is about. Without this it
    /// leaves as everything else does
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=COPIES_MAX as i64))]
    copies: Option<u32>,
    /// A BSP process goes on when the round's time is over in which all that it has sent was
    /// acknowledged, as the lossy BSP model has it, and not at once
    #[arg(long, requires = "copies")]
    whole_rounds: bool,
}

impl Losing {
    /// What stations lose and damage on this machine; `None` if they are not asked to.
    ///
    /// # Errors
    /// A probability is none, or the machine's kernel is the small one, which does not know of them.
    pub fn chosen(&self, machine: &Machine) -> Result<Option<FaultsRecord>, Failure> {
        if self.loss.is_none() && self.damage.is_none() && self.copies.is_none() {
            return Ok(None);
        }
        let loss_millionths = self.loss.as_deref().map_or(Ok(0), |text| probability("--loss", text))?;
        let damage_millionths = self.damage.as_deref().map_or(Ok(0), |text| probability("--damage", text))?;
        if is_small(machine.ram_bytes) {
            let message = format!(
                "--loss, --damage, --copies: {} has the small kernel, whose stations lose nothing\n  \
                 help: take a machine with more RAM",
                machine.name
            );
            return Err(Failure::new(Exit::Input, message));
        }
        let (copies, whole_rounds) = (self.copies.unwrap_or(0), self.whole_rounds);
        Ok(Some(FaultsRecord { loss_millionths, damage_millionths, copies, whole_rounds }))
    }
}

/// The thresholds of stations that lose and damage so much.
pub fn thresholds(record: &FaultsRecord) -> Faults {
    Faults { drop: fault_threshold(record.loss_millionths), corrupt: fault_threshold(record.damage_millionths) }
}

/// What the boot block says of rounds.
pub fn copies_word(record: &FaultsRecord) -> u32 {
    record.copies | if record.whole_rounds { WHOLE_ROUNDS } else { 0 }
}

/// Millionths of what stands there as a percentage.
fn probability(option: &str, text: &str) -> Result<u32, Failure> {
    let wrong = |what: &str| {
        let help = "give a percentage from 0% to 99%, such as 10% or 0.5%";
        Failure::new(Exit::Input, format!("{option}: `{text}` {what}\n  help: {help}"))
    };
    let number = text.strip_suffix('%').ok_or_else(|| wrong("is no percentage"))?;
    // Nothing but digits and a point, so that what is read is what stands there.
    let plain = number.chars().all(|c| c.is_ascii_digit() || c == '.');
    let percent: f64 = number.parse().ok().filter(|_| plain).ok_or_else(|| wrong("is no percentage"))?;
    let millionths = (percent * f64::from(MILLION / 100)).round();
    if millionths > f64::from(MOST) {
        return Err(wrong("is too much"));
    }
    if millionths == 0.0 && percent > 0.0 {
        return Err(wrong("is less than a millionth"));
    }
    Ok(millionths as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_read_and_nothing_else() {
        for (text, millionths) in [("10%", 100_000), ("0.5%", 5_000), ("0%", 0), ("99%", 990_000), ("0.0001%", 1)] {
            assert_eq!(probability("--loss", text).ok(), Some(millionths), "{text}");
        }
        for text in ["10", "", "%", "-1%", "99.1%", "1e1%", "nan%", "inf%", "0.00001%", "1.2.3%", "10 %"] {
            let error = probability("--loss", text).unwrap_err().message;
            assert!(error.contains("--loss: `") && error.contains("help: "), "{text}: {error}");
        }
    }
}
