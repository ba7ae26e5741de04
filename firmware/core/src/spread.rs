//! Where the elements of an array are that is spread over processes.
//!
//! In blocks or dealt out in turn, an access pattern can meet elements of one process only. A
//! function that is drawn at random from a universal family leaves no pattern that does so for most
//! of its functions (Carter and Wegman, "Universal classes of hash functions", Journal of Computer
//! and System Sciences 18, 1979; Valiant, "A bridging model for parallel computation",
//! Communications of the ACM 33, 1990). The family here is x -> (a x + b) mod P with a prime P that is
//! not less than the number of elements; an element is on process (a x + b mod P) mod p, in place (a x
//! + b mod P) / p. For given a and b that is one to one, so nothing has to be searched for there.

/// How an array is spread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// As many elements to each process as to any other, one after the other.
    Blocks,
    /// One element to each process, in turn.
    Cyclic,
    /// By a function that is drawn with this number.
    Hashed(u32),
}

/// The elements of an array, on so many processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread {
    elements: u32,
    processes: u32,
    function: Function,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Function {
    Blocks { length: u32 },
    Cyclic,
    Hashed { prime: u32, a: u32, inverse: u32, b: u32 },
}

/// The process that has an element, and its place there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Home {
    pub process: usize,
    pub place: usize,
}

/// Elements that an array has at most, so that there is a prime of 31 bits.
pub const ELEMENTS_MAX: usize = 1 << 30;

fn is_prime(number: u32) -> bool {
    let divisors = (3..).step_by(2).take_while(|divisor| divisor * divisor <= number);
    number > 2 && number % 2 == 1 && !divisors.into_iter().any(|divisor| number % divisor == 0)
}

/// (a x + b) mod P. Below 2^16 nothing needs 64 bits, which a processor of 32 divides slowly.
fn affine((a, b): (u32, u32), x: u32, prime: u32) -> u32 {
    match prime {
        0..0x1_0000 => (a * x + b) % prime,
        _ => ((u64::from(a) * u64::from(x) + u64::from(b)) % u64::from(prime)) as u32,
    }
}

fn product(a: u32, b: u32, modulus: u32) -> u32 {
    (u64::from(a) * u64::from(b) % u64::from(modulus)) as u32
}

/// a^(P - 2), which is the inverse of a modulo P (Fermat).
fn inverse(a: u32, prime: u32) -> u32 {
    let (mut result, mut square, mut exponent) = (1, a, prime - 2);
    while exponent != 0 {
        if exponent & 1 != 0 {
            result = product(result, square, prime);
        }
        square = product(square, square, prime);
        exponent >>= 1;
    }
    result
}

impl Spread {
    /// `None` if there are no elements or processes, or too many elements.
    pub fn new(elements: usize, processes: usize, layout: Layout) -> Option<Self> {
        if elements == 0 || elements > ELEMENTS_MAX || processes == 0 || processes > ELEMENTS_MAX {
            return None;
        }
        let (elements, processes) = (elements as u32, processes as u32);
        let function = match layout {
            Layout::Blocks => Function::Blocks { length: elements.div_ceil(processes) },
            Layout::Cyclic => Function::Cyclic,
            Layout::Hashed(seed) => {
                let prime = (elements.max(3)..).find(|number| is_prime(*number))?;
                let drawn = |which, range| (u64::from(crate::work::mixed(seed, which, 0x5b3a)) * range >> 32) as u32;
                let a = 1 + drawn(1, u64::from(prime) - 1);
                Function::Hashed { prime, a, inverse: inverse(a, prime), b: drawn(2, u64::from(prime)) }
            }
        };
        Some(Spread { elements, processes, function })
    }

    pub fn elements(&self) -> usize {
        self.elements as usize
    }

    /// Places that each process has to have.
    pub fn room(&self) -> usize {
        let places = match self.function {
            Function::Blocks { length } => length,
            Function::Cyclic => self.elements.div_ceil(self.processes),
            Function::Hashed { prime, .. } => prime.div_ceil(self.processes),
        };
        places as usize
    }

    /// Where an element is; `None` if there is no such element.
    pub fn home(&self, index: usize) -> Option<Home> {
        if index >= self.elements as usize {
            return None;
        }
        let index = index as u32;
        let (process, place) = match self.function {
            Function::Blocks { length } => (index / length, index % length),
            Function::Cyclic => (index % self.processes, index / self.processes),
            Function::Hashed { prime, a, b, .. } => {
                let value = affine((a, b), index, prime);
                (value % self.processes, value / self.processes)
            }
        };
        Some(Home { process: process as usize, place: place as usize })
    }

    /// The element in a place of a process; `None` if none is there.
    pub fn element(&self, home: Home) -> Option<usize> {
        if home.process >= self.processes as usize || home.place >= self.room() {
            return None;
        }
        let (process, place) = (home.process as u32, home.place as u32);
        let index = match self.function {
            Function::Blocks { length } => process * length + place,
            Function::Cyclic => place * self.processes + process,
            Function::Hashed { prime, inverse, b, .. } => {
                let value = place * self.processes + process;
                if value >= prime {
                    return None;
                }
                product((value + prime - b) % prime, inverse, prime)
            }
        };
        (index < self.elements).then_some(index as usize)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::vec;
    use std::vec::Vec;

    fn layouts() -> impl Strategy<Value = Layout> {
        prop_oneof![Just(Layout::Blocks), Just(Layout::Cyclic), any::<u32>().prop_map(Layout::Hashed)]
    }

    proptest! {
        /// Each element has a place of its own, and each place in the room one element or none.
        #[test]
        fn places_and_elements_are_one_to_one(elements in 1usize..3_000, processes in 1usize..70, layout in layouts()) {
            let spread = Spread::new(elements, processes, layout).unwrap();
            let mut seen = BTreeSet::new();
            for index in 0..elements {
                let home = spread.home(index).unwrap();
                prop_assert!(home.process < processes && home.place < spread.room());
                prop_assert_eq!(spread.element(home), Some(index));
                prop_assert!(seen.insert((home.process, home.place)));
            }
            prop_assert_eq!(spread.home(elements), None);
            let all = (0..processes).flat_map(|process| (0..spread.room()).map(move |place| Home { process, place }));
            let told = all.filter_map(|home| spread.element(home)).collect::<BTreeSet<_>>();
            prop_assert_eq!(told.len(), elements);
        }

        #[test]
        fn arrays_about_the_border_of_16_bits_are_one_to_one(
            elements in 65_400usize..65_700,
            layout in layouts(),
            index in 0usize..65_400,
        ) {
            let spread = Spread::new(elements, 5, layout).unwrap();
            for index in [index, 0, elements - 1] {
                prop_assert_eq!(spread.element(spread.home(index).unwrap()), Some(index));
            }
        }

        /// Large arrays: no number overflows.
        #[test]
        fn large_arrays_are_one_to_one(
            elements in ELEMENTS_MAX - 1_000..=ELEMENTS_MAX,
            processes in 1usize..70,
            layout in layouts(),
            index in 0usize..ELEMENTS_MAX - 1_000,
        ) {
            let spread = Spread::new(elements, processes, layout).unwrap();
            let home = spread.home(index).unwrap();
            prop_assert!(home.process < processes && home.place < spread.room());
            prop_assert_eq!(spread.element(home), Some(index));
        }
    }

    #[test]
    fn what_can_not_be_spread_is_none() {
        for (elements, processes) in [(0, 1), (1, 0), (ELEMENTS_MAX + 1, 5)] {
            assert_eq!(Spread::new(elements, processes, Layout::Cyclic), None);
        }
    }

    /// The property by which the family is universal: of all functions, at most about one in p has
    /// two given elements on the same process. Drawn are 4,000 of them, for pairs of every distance.
    #[test]
    fn few_functions_bring_two_elements_together() {
        const FUNCTIONS: u32 = 4_000;
        for (elements, processes) in [(100, 5), (1_000, 15), (5_000, 64)] {
            for (one, other) in [(0, 1), (0, processes), (7, 7 + 4 * processes), (3, elements - 1)] {
                let together = (0..FUNCTIONS).filter(|seed| {
                    let spread = Spread::new(elements, processes, Layout::Hashed(*seed)).unwrap();
                    spread.home(one).unwrap().process == spread.home(other).unwrap().process
                });
                let share = together.count() as f64 / f64::from(FUNCTIONS);
                // Four standard deviations.
                let bound = 1.0 / processes as f64;
                let slack = 4.0 * (bound / f64::from(FUNCTIONS)).sqrt();
                assert!(share <= bound + slack, "{elements} on {processes}, {one} and {other}: {share}");
            }
        }
    }

    /// Strides that are all one process's in turn meet all processes by most functions.
    #[test]
    fn a_stride_meets_all_processes() {
        const ACCESSES: usize = 320;
        let largest = |layout: Layout, processes: usize| {
            let spread = Spread::new(ACCESSES * processes, processes, layout).unwrap();
            let mut counts = vec![0; processes];
            (0..ACCESSES).for_each(|number| counts[spread.home(number * processes).unwrap().process] += 1);
            counts.into_iter().max().unwrap()
        };
        for processes in [5, 15] {
            assert_eq!(largest(Layout::Cyclic, processes), ACCESSES);
            let mut hashed: Vec<usize> = (0..100).map(|seed| largest(Layout::Hashed(seed), processes)).collect();
            hashed.sort_unstable();
            let mean = ACCESSES / processes;
            assert!(hashed[50] < 2 * mean, "{processes}: {hashed:?}");
        }
    }
}
