//! The cost model of bulk-synchronous programs: what a superstep costs, with figures that are given or
//! fitted to a run. Everything here is a function of sums; whoever measures in another way can use it.
//!
//! Two formulas are in use. One takes the largest of its terms, max{l, w, g hs, g hr}, as if all of
//! them could go on at once. The other adds them: w + g h + l, where h is the larger of hs and hr.

use serde::{Deserialize, Serialize};

/// What a superstep amounts to: maxima over processors, each of which counts all of its processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// The most work of a processor.
    pub w_cycles: u64,
    /// The most words that the processes of a processor have sent, and received.
    pub hs_words: u32,
    pub hr_words: u32,
    /// From the earliest beginning of a process to the last THROUGH.
    pub cycles: u64,
    /// The longest time from SYNC to THROUGH.
    pub waited_cycles: u64,
    /// The rank whose SYNC came last.
    pub last: u8,
    /// Some process has a number of words that its event can't tell; there may be more than these.
    pub words_untold: bool,
}

impl Sums {
    /// The larger of words sent and received.
    pub fn h_words(&self) -> u32 {
        self.hs_words.max(self.hr_words)
    }
}

/// What rules the time of a superstep by the formula max{l, w, g hs, g hr}.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    Latency,
    Work,
    Sent,
    Received,
}

impl Term {
    /// As the formula writes it.
    pub fn name(self) -> &'static str {
        ["l", "w", "g hs", "g hr"][self as usize]
    }
}

/// What the cost model says of a superstep, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// max{l, w, g hs, g hr}, and which of the four it is.
    pub max_cycles: f64,
    pub rules: Term,
    /// w + g h + l.
    pub sum_cycles: f64,
}

/// Both formulas, of cycles and words, with cycles a word and cycles. Of equal terms the first rules.
pub fn cost(w_cycles: u64, (hs_words, hr_words): (u32, u32), g_cycles: f64, l_cycles: f64) -> Predicted {
    let w = w_cycles as f64;
    let (sent, received) = (g_cycles * f64::from(hs_words), g_cycles * f64::from(hr_words));
    let mut most = (l_cycles, Term::Latency);
    for term in [(w, Term::Work), (sent, Term::Sent), (received, Term::Received)] {
        if term.0 > most.0 {
            most = term;
        }
    }
    Predicted { max_cycles: most.0, rules: most.1, sum_cycles: w + sent.max(received) + l_cycles }
}

/// Figures of the cost model, in cycles; what is not given is fitted to the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// What a word costs that a process sends or receives.
    pub g_cycles: Option<f64>,
    /// What a superstep's end costs.
    pub l_cycles: Option<f64>,
    /// What the end of a superstep costs in which nobody has a word for another.
    pub l0_cycles: Option<f64>,
}

/// The cost model of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// What was given.
    pub given: Figures,
    /// What the predictions use; a figure that is neither given nor can be fitted to this run is `None`.
    pub figures: Figures,
    /// Supersteps with and without words to which the others were fitted.
    pub with_words: u64,
    pub without_words: u64,
}

/// What a superstep costs beside the work: the larger of words sent and received, and cycles.
type Point = (f64, f64);

fn mean(values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let count = values.clone().count();
    (count > 0).then(|| values.sum::<f64>() / count as f64)
}

/// Least squares: slope and intercept of the line through these points; `None` if their abscissas do not differ.
fn line(points: &[Point]) -> Option<(f64, f64)> {
    let (x, y) = (mean(points.iter().map(|point| point.0))?, mean(points.iter().map(|point| point.1))?);
    let squares: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let products: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    (squares > 0.0).then(|| (products / squares, y - products / squares * x))
}

/// Least squares with one of the two given.
fn fit(points: &[Point], g: Option<f64>, l: Option<f64>) -> (Option<f64>, Option<f64>) {
    match (g, l) {
        (Some(g), Some(l)) => (Some(g), Some(l)),
        (Some(g), None) => (Some(g), mean(points.iter().map(|point| point.1 - g * point.0))),
        (None, Some(l)) => {
            let squares: f64 = points.iter().map(|point| point.0 * point.0).sum();
            let products: f64 = points.iter().map(|point| point.0 * (point.1 - l)).sum();
            ((squares > 0.0).then(|| products / squares), Some(l))
        }
        (None, None) => line(points).unzip(),
    }
}

impl Model {
    /// With what is given, and the rest fitted to these supersteps by the formula w + g h + l. Figures
    /// below zero mean nothing: they are left out.
    pub fn new(given: Figures, supersteps: impl Iterator<Item = Sums>) -> Self {
        let exact = supersteps.filter(|sums| !sums.words_untold);
        let points = exact.map(|sums| (f64::from(sums.h_words()), sums.cycles as f64 - sums.w_cycles as f64));
        let (without, with): (Vec<Point>, Vec<Point>) = points.partition(|point| point.0 == 0.0);
        let l0 = given.l0_cycles.or_else(|| match given.l_cycles {
            // One figure that is given for the ends of supersteps counts for all of them.
            Some(l) => Some(l),
            None => mean(without.iter().map(|point| point.1)),
        });
        let (mut g, mut l) = fit(&with, given.g_cycles, given.l_cycles);
        if g.is_none() && !with.is_empty() {
            // They all have as many words: those without any tell what is left.
            let all: Vec<Point> = with.iter().chain(&without).copied().collect();
            (g, l) = fit(&all, None, l);
        }
        let sensible = |figure: Option<f64>| figure.filter(|figure| *figure >= 0.0);
        let (g, l, l0) = (sensible(g), sensible(l), sensible(l0));
        let figures = Figures { g_cycles: g, l_cycles: l.or(l0), l0_cycles: l0.or(l) };
        Model { given, figures, with_words: with.len() as u64, without_words: without.len() as u64 }
    }

    /// What it says of a superstep; `None` if it lacks a figure, or the words are not known.
    pub fn predict(&self, sums: &Sums) -> Option<Predicted> {
        if sums.words_untold {
            return None;
        }
        let Figures { g_cycles, l_cycles, l0_cycles } = self.figures;
        let (g, l) = match sums.h_words() {
            0 => (0.0, l0_cycles?),
            _ => (g_cycles?, l_cycles?),
        };
        Some(cost(sums.w_cycles, (sums.hs_words, sums.hr_words), g, l))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(w_cycles: u64, hs_words: u32, hr_words: u32, cycles: u64) -> Sums {
        Sums { w_cycles, hs_words, hr_words, cycles, ..Sums::default() }
    }

    #[test]
    fn figures_come_back_from_supersteps_that_keep_to_them() {
        // g = 20, l = 5,000, l0 = 3,000.
        let steps = [(100, 10), (900, 40), (50, 70), (10, 0), (70, 0)];
        let steps = steps.map(|(w, h)| sums(w, h / 2, h, w + 20 * u64::from(h) + if h > 0 { 5_000 } else { 3_000 }));
        let model = Model::new(Figures::default(), steps.into_iter());
        let Figures { g_cycles, l_cycles, l0_cycles } = model.figures;
        let near = |found: Option<f64>, wanted: f64| (found.unwrap() - wanted).abs() < 1e-6;
        assert!(near(g_cycles, 20.0) && near(l_cycles, 5_000.0) && near(l0_cycles, 3_000.0), "{model:?}");
        assert_eq!((model.with_words, model.without_words), (3, 2));
        for step in &steps {
            assert!((model.predict(step).unwrap().sum_cycles - step.cycles as f64).abs() < 1e-6);
        }
        // What is given stays, and the other is measured.
        for given in [
            Figures { g_cycles: Some(20.0), ..Figures::default() },
            Figures { l_cycles: Some(5_000.0), l0_cycles: Some(3_000.0), ..Figures::default() },
        ] {
            let found = Model::new(given, steps.into_iter()).figures;
            assert!(near(found.g_cycles, 20.0) && near(found.l_cycles, 5_000.0), "{found:?}");
        }
        let given = Figures { g_cycles: Some(1.0), l_cycles: Some(2.0), l0_cycles: None };
        assert_eq!(Model::new(given, steps.into_iter()).figures, Figures { l0_cycles: Some(2.0), ..given });
    }

    #[test]
    fn what_can_t_be_measured_is_not_predicted() {
        let alone = [sums(10, 5, 5, 1_010)];
        let model = Model::new(Figures::default(), alone.into_iter());
        assert_eq!((model.figures.g_cycles, model.predict(&alone[0])), (None, None));
        // Those without words tell the rest.
        let both = [alone[0], sums(10, 0, 0, 510)];
        let model = Model::new(Figures::default(), both.into_iter());
        assert_eq!(model.figures, Figures { g_cycles: Some(100.0), l_cycles: Some(500.0), l0_cycles: Some(500.0) });
        let more = Sums { words_untold: true, ..alone[0] };
        assert_eq!(model.predict(&more), None);
        assert_eq!(Model::new(Figures::default(), [more].into_iter()).with_words, 0);
    }

    #[test]
    fn the_largest_term_rules() {
        let given = Figures { g_cycles: Some(10.0), l_cycles: Some(1_000.0), l0_cycles: Some(700.0) };
        let model = Model::new(given, std::iter::empty());
        let says = |step| model.predict(&step).map(|found| (found.max_cycles, found.rules, found.sum_cycles));
        assert_eq!(says(sums(500, 20, 10, 0)), Some((1_000.0, Term::Latency, 1_700.0)));
        assert_eq!(says(sums(500, 0, 0, 0)), Some((700.0, Term::Latency, 1_200.0)));
        assert_eq!(says(sums(5_000, 20, 10, 0)), Some((5_000.0, Term::Work, 6_200.0)));
        assert_eq!(says(sums(5, 200, 10, 0)), Some((2_000.0, Term::Sent, 3_005.0)));
        assert_eq!(says(sums(5, 20, 300, 0)), Some((3_000.0, Term::Received, 4_005.0)));
    }
}
