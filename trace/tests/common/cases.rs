//! How many random cases a test tries, and from which seed on.

/// Seeds: so many as a rule, or `long` with `TESTBED_LONG=1`, or `TESTBED_CASES`; from `TESTBED_SEED` on, or from 1.
pub fn cases(usual: u64, long: u64) -> std::ops::Range<u64> {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    let seed = number("TESTBED_SEED", 1);
    let count = if std::env::var_os("TESTBED_LONG").is_some() { long } else { usual };
    seed..seed + number("TESTBED_CASES", count)
}
