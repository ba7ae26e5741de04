//! The PLL between a board's oscillator and the machine's clock.
//!
//! Limits are those of the families' data sheets, as icepll and ecppll of the open tools keep them too.

use testbed_hdl::support::synthesis::Family;

use super::SynthError;

/// How far the clock may be from what the machine says, of it: a UART's receiver bears 20 times as much.
const TOLERANCE: f64 = 0.001;

/// Parameters of a PLL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pll {
    /// SB_PLL40_CORE with simple feedback.
    Ice40 { divr: u32, divf: u32, divq: u32, filter: u32 },
    /// EHXPLLL: CLKOP, which is at the frequency that is compared, is fed back, and CLKOS is the output.
    Ecp5 { clki: u32, clkop: u32, clkos: u32 },
}

impl Pll {
    /// The PLL that makes `wanted` hertz of `oscillator` hertz; `None` if the two are equal.
    ///
    /// # Errors
    /// The family's PLL can't make it to 0.1 %; the error has the nearest that it can.
    pub fn new(family: Family, oscillator: u32, wanted: u32) -> Result<Option<Self>, SynthError> {
        if oscillator == wanted {
            return Ok(None);
        }
        let (input, output) = (f64::from(oscillator), f64::from(wanted));
        let all: Box<dyn Iterator<Item = Pll>> = match family {
            Family::Ice40 => Box::new(ice40(input)),
            Family::Ecp5 => Box::new(ecp5(input)),
        };
        let far = |pll: &Pll| (pll.hertz(input) - output).abs();
        // Of those that are as near, the one whose oscillator is nearest to the middle of its range.
        let rank = |pll: &Pll| (far(pll), pll.eccentricity(input));
        let best = all.min_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(std::cmp::Ordering::Equal));
        match best {
            Some(pll) if far(&pll) <= TOLERANCE * output => Ok(Some(pll)),
            best => Err(SynthError::Clock {
                oscillator,
                wanted,
                nearest: best.map_or(oscillator, |pll| pll.hertz(input).round() as u32),
            }),
        }
    }

    /// The output, in hertz.
    pub fn hertz(&self, input: f64) -> f64 {
        match *self {
            Pll::Ice40 { divr, divf, divq, .. } => {
                input / f64::from(divr + 1) * f64::from(divf + 1) / f64::from(1 << divq)
            }
            Pll::Ecp5 { clki, clkop, clkos } => input / f64::from(clki) * f64::from(clkop) / f64::from(clkos),
        }
    }

    /// Hertz of the oscillator inside.
    fn vco(&self, input: f64) -> f64 {
        self.hertz(input)
            * match *self {
                Pll::Ice40 { divq, .. } => f64::from(1 << divq),
                Pll::Ecp5 { clkos, .. } => f64::from(clkos),
            }
    }

    fn eccentricity(&self, input: f64) -> f64 {
        let middle = match self {
            Pll::Ice40 { .. } => (VCO_ICE40.0 + VCO_ICE40.1) / 2.0,
            Pll::Ecp5 { .. } => (VCO_ECP5.0 + VCO_ECP5.1) / 2.0,
        };
        (self.vco(input) - middle).abs()
    }
}

const VCO_ICE40: (f64, f64) = (533e6, 1066e6);
const VCO_ECP5: (f64, f64) = (400e6, 800e6);

fn within((low, high): (f64, f64), value: f64) -> bool {
    (low..=high).contains(&value)
}

/// All settings that keep an iCE40's limits.
fn ice40(input: f64) -> impl Iterator<Item = Pll> {
    let dividers = (0..16).filter(move |divr| within((10e6, 133e6), input / f64::from(divr + 1)));
    dividers.flat_map(move |divr| {
        // The loop filter goes by the frequency that is compared.
        let compared = input / f64::from(divr + 1);
        let filter = 1 + [17e6, 26e6, 44e6, 66e6, 101e6].iter().filter(|&&limit| compared >= limit).count() as u32;
        let multipliers = (0..128).filter(move |divf| within(VCO_ICE40, compared * f64::from(divf + 1)));
        multipliers.flat_map(move |divf| {
            let settings = (1..7).map(move |divq| Pll::Ice40 { divr, divf, divq, filter });
            settings.filter(move |pll| within((16e6, 275e6), pll.hertz(input)))
        })
    })
}

/// All settings that keep an ECP5's limits.
fn ecp5(input: f64) -> impl Iterator<Item = Pll> {
    let dividers = (1..129).filter(move |clki| within((3.125e6, 400e6), input / f64::from(*clki)));
    dividers.flat_map(move |clki| {
        let multipliers = (1..129).filter(move |clkop| within(VCO_ECP5, input / f64::from(clki) * f64::from(*clkop)));
        multipliers.flat_map(move |clkop| {
            let settings = (1..129).map(move |clkos| Pll::Ecp5 { clki, clkop, clkos });
            settings.filter(move |pll| within((3.125e6, 400e6), pll.hertz(input)))
        })
    })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_oscillators_clock_needs_none() {
        assert_eq!(Pll::new(Family::Ecp5, 25_000_000, 25_000_000).unwrap(), None);
    }

    #[test]
    fn ecp5_has_its_vco_in_the_middle() {
        for (wanted, clkos) in [(50, 12), (24, 25)] {
            let pll = Pll::new(Family::Ecp5, 25_000_000, wanted * 1_000_000).unwrap().unwrap();
            // 600 MHz, as ecppll chooses.
            assert_eq!(pll, Pll::Ecp5 { clki: 1, clkop: 24, clkos });
        }
    }

    #[test]
    fn what_ecp5_makes_exactly_is_within_limits() {
        for megahertz in (5..=100).filter(|megahertz| *megahertz != 25) {
            let wanted = f64::from(megahertz) * 1e6;
            match Pll::new(Family::Ecp5, 25_000_000, megahertz * 1_000_000) {
                Ok(pll) => {
                    let pll = pll.unwrap();
                    assert!((pll.hertz(25e6) - wanted).abs() <= TOLERANCE * wanted, "{megahertz}: {pll:?}");
                    assert!(within(VCO_ECP5, pll.vco(25e6)), "{megahertz}: {pll:?}");
                }
                // Only those for which the oscillator would have to be above its range, or a fraction.
                Err(_) => assert!(megahertz > 40, "{megahertz}"),
            }
        }
    }

    /// icepll tries the same settings, so it finds the same frequency.
    #[test]
    fn ice40_is_what_icepll_says() {
        for (wanted, exact) in [(18, true), (24, true), (30, true), (36, true), (48, true), (60, true)] {
            let output = Command::new("icepll").args(["-i", "12", "-o", &wanted.to_string()]).output();
            let output = output.expect("icepll is missing: sudo apt-get install fpga-icestorm");
            let text = String::from_utf8(output.stdout).unwrap();
            let field = |name: &str| -> u32 {
                let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
                line.split_once(':').unwrap().1.split_whitespace().next().unwrap().parse().unwrap()
            };
            let pll = Pll::new(Family::Ice40, 12_000_000, wanted * 1_000_000).unwrap().unwrap();
            assert_eq!(pll.hertz(12e6) == f64::from(wanted) * 1e6, exact);
            let Pll::Ice40 { divr, filter, .. } = pll else { panic!("{pll:?}") };
            assert_eq!((divr, filter), (field("DIVR"), field("FILTER_RANGE")));
            let theirs = Pll::Ice40 { divr, divf: field("DIVF"), divq: field("DIVQ"), filter };
            assert_eq!(theirs.hertz(12e6), pll.hertz(12e6), "{wanted} MHz: {pll:?} and {theirs:?}");
        }
    }

    #[test]
    fn what_no_pll_makes_is_refused_with_the_nearest() {
        let error = Pll::new(Family::Ice40, 12_000_000, 8_000_000).unwrap_err().to_string();
        assert!(error.contains("8 MHz") && error.contains("16125 kHz"), "{error}");
    }
}
