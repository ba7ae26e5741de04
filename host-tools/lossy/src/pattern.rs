//! How many packets a superstep of n nodes has: the six kinds of communication of the paper's
//! section II-A, with an algorithm for each.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// c(n), the packets that n nodes send in a superstep; logarithms have base 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// 1: one message from point to point.
    Constant,
    /// log n: broadcast by a binomial tree, recursive doubling.
    Log,
    /// log^2 n.
    LogSquared,
    /// n: a ring, van de Geijn's broadcast.
    Linear,
    /// n log n.
    LinearLog,
    /// n^2: each to each.
    Quadratic,
}

/// A text names none of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no number of packets that the model knows\n  \
     help: there are 1, \"log n\", \"log^2 n\", n, \"n log n\" and n^2"
)]
pub struct UnknownPattern(String);

impl Pattern {
    /// In the order in which they grow.
    pub const ALL: [Pattern; 6] =
        [Pattern::Constant, Pattern::Log, Pattern::LogSquared, Pattern::Linear, Pattern::LinearLog, Pattern::Quadratic];

    /// c(n) for `nodes` of at least 1.
    pub fn packets(self, nodes: f64) -> f64 {
        let log = nodes.log2();
        match self {
            Pattern::Constant => 1.0,
            Pattern::Log => log,
            Pattern::LogSquared => log * log,
            Pattern::Linear => nodes,
            Pattern::LinearLog => nodes * log,
            Pattern::Quadratic => nodes * nodes,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Pattern::Constant => "1",
            Pattern::Log => "log n",
            Pattern::LogSquared => "log^2 n",
            Pattern::Linear => "n",
            Pattern::LinearLog => "n log n",
            Pattern::Quadratic => "n^2",
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl FromStr for Pattern {
    type Err = UnknownPattern;

    /// As it is printed here or in the paper: blanks, brackets and the logarithm's base do not matter.
    fn from_str(text: &str) -> Result<Self, UnknownPattern> {
        let plain: String =
            text.to_lowercase().chars().filter(|c| !c.is_whitespace() && !"()_*".contains(*c)).collect();
        Ok(match plain.as_str() {
            "1" => Pattern::Constant,
            "logn" | "log2n" => Pattern::Log,
            "log^2n" | "log2^2n" | "log²n" => Pattern::LogSquared,
            "n" => Pattern::Linear,
            "nlogn" | "nlog2n" => Pattern::LinearLog,
            "n^2" | "n²" => Pattern::Quadratic,
            _ => return Err(UnknownPattern(text.into())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_as_they_are_printed() {
        for pattern in Pattern::ALL {
            assert_eq!(pattern.to_string().parse(), Ok(pattern));
        }
        assert_eq!("n log_2(n)".parse(), Ok(Pattern::LinearLog));
        assert_eq!("log_2^2(n)".parse(), Ok(Pattern::LogSquared));
        assert!("n^3".parse::<Pattern>().unwrap_err().to_string().contains("help: there are 1, "));
    }

    #[test]
    fn each_grows_faster_than_the_one_before() {
        let ratios = |n: f64| Pattern::ALL.map(|pattern| pattern.packets(4.0 * n) / pattern.packets(n));
        assert!(ratios(1e6).windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(Pattern::ALL.map(|pattern| pattern.packets(1024.0)), [1.0, 10.0, 100.0, 1024.0, 10240.0, 1048576.0]);
    }
}
