//! Computing that proves itself: a chain of numbers, each made of the one before, so that nobody
//! can have a later number without having computed. Whoever checks it skips ahead.

/// Steps of a unit of work. With the loop around them they take the processor about 0.1 ms at
/// 25 MHz.
pub const UNIT_STEPS: u32 = 186;
/// The generator of Knuth's *The Art of Computer Programming*, volume 2, 3.3.4, line 15 of table 1.
const FACTOR: u32 = 1_664_525;
const SUMMAND: u32 = 1_013_904_223;

/// The number after `units` units of work from `number` on.
#[inline(never)]
pub fn done(number: u32, units: u32) -> u32 {
    let mut number = number;
    for _ in 0..units {
        for _ in 0..UNIT_STEPS {
            number = number.wrapping_mul(FACTOR).wrapping_add(SUMMAND);
        }
    }
    number
}

/// The same without the work: the step is squared as often as `units` has bits.
pub fn skipped(number: u32, units: u64) -> u32 {
    let mut steps = units.wrapping_mul(UNIT_STEPS.into());
    let (mut factor, mut summand) = (FACTOR, SUMMAND);
    let mut number = number;
    while steps > 0 {
        if steps & 1 != 0 {
            number = number.wrapping_mul(factor).wrapping_add(summand);
        }
        summand = summand.wrapping_mul(factor.wrapping_add(1));
        factor = factor.wrapping_mul(factor);
        steps >>= 1;
    }
    number
}

/// A number that depends on all three, such as where a thread's chain begins.
pub fn mixed(seed: u32, first: u32, second: u32) -> u32 {
    let mut number = seed ^ first.wrapping_mul(0x9e37_79b1) ^ second.wrapping_mul(0x85eb_ca77).rotate_left(16);
    for _ in 0..2 {
        number = (number ^ number >> 16).wrapping_mul(0x7feb_352d);
        number = (number ^ number >> 15).wrapping_mul(0x846c_a68b);
    }
    number ^ number >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_skips_has_what_who_works_has() {
        for (number, units) in [(0, 0), (1, 1), (17, 2), (u32::MAX, 1000), (1994, 12_345)] {
            assert_eq!(done(number, units), skipped(number, units.into()), "{number}, {units}");
        }
        // In parts it is the same chain.
        assert_eq!(done(done(5, 30), 12), skipped(5, 42));
        assert_eq!(skipped(skipped(5, 1 << 40), 3), skipped(5, (1 << 40) + 3));
    }

    #[test]
    fn a_missing_unit_shows() {
        let numbers: [u32; 100] = core::array::from_fn(|units| skipped(7, units as u64));
        for (place, number) in numbers.iter().enumerate() {
            assert!(!numbers[..place].contains(number), "{place} units look like fewer");
        }
    }

    #[test]
    fn neighbours_are_mixed_to_others() {
        let mut seen = [0; 64];
        for (place, number) in seen.iter_mut().enumerate() {
            *number = mixed(place as u32 & 3, place as u32 >> 2 & 3, place as u32 >> 4);
        }
        for (place, number) in seen.iter().enumerate() {
            assert!(!seen[..place].contains(number), "{place}");
        }
    }
}
