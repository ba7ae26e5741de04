//! Balls in bins: how many requests the slave has that has most, if each goes to a slave by lot.

/// Throws of which the expected number is the mean: it is right to half a per cent.
const THROWS: u32 = 10_000;

/// The expected number of balls in the fullest of `bins`, among which `balls` are thrown.
pub fn fullest(balls: u32, bins: u32) -> f64 {
    // Marsaglia's xorshift of 64 bits; always the same numbers.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut sum = 0;
    for _ in 0..THROWS {
        let mut counts = vec![0; bins as usize];
        for _ in 0..balls {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            counts[((state >> 32) * u64::from(bins) >> 32) as usize] += 1;
        }
        sum += counts.into_iter().max().unwrap_or(0);
    }
    f64::from(sum) / f64::from(THROWS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What few balls in few bins have can be counted by hand.
    #[test]
    fn it_is_what_counting_gives() {
        for (balls, bins, wanted) in
            [(0, 5, 0.0), (7, 1, 7.0), (1, 3, 1.0), (2, 2, 1.5), (3, 3, (6.0 + 2.0 * 18.0 + 3.0 * 3.0) / 27.0)]
        {
            let expected = fullest(balls, bins);
            assert!((expected - wanted).abs() < 0.02, "{balls} in {bins}: {expected}, not {wanted}");
        }
    }
}
