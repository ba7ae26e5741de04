//! `math.h`, `complex.h`, arithmetic, random numbers and jumps of the C library against the host's:
//! random programs print the same on both, or numbers that are as near as is said here.

use std::fmt::Write as _;

use testbed_sim::lockstep::random::Random;

use crate::c_library::{on_host, on_machine, PROGRAMS};

/// Numbers of each kind in a program.
const NUMBERS: usize = 60;

/// What is ahead of the data.
const PRELUDE: &str = include_str!("c_numbers.h");

/// How far the result of a function may be from the host's, in units of its last place; other
/// functions have to be exact. Neither library promises to round correctly.
const BOUNDS: &[(&str, u64)] = &[
    ("sin", 1),
    ("cos", 1),
    ("tan", 1),
    ("asin", 1),
    ("acos", 1),
    ("atan", 1),
    ("sinh", 2),
    ("cosh", 2),
    ("tanh", 2),
    ("asinh", 2),
    ("acosh", 2),
    ("atanh", 2),
    ("exp", 1),
    ("exp2", 1),
    ("expm1", 1),
    ("log", 1),
    ("log2", 1),
    ("log10", 1),
    ("log1p", 1),
    ("cbrt", 2),
    ("erf", 1),
    ("erfc", 3),
    ("tgamma", 8),
    ("lgamma_positive", 4),
    ("atan2", 1),
    ("carg", 1),
    ("pow", 1),
    ("hypot", 1),
    ("cabs", 1),
];
/// The same of complex numbers, in units of the last place of the number's size.
const VECTOR_BOUND: f64 = 4.0;

/// Doubles of all kinds, as bits.
fn double(random: &mut Random) -> u64 {
    let value = match random.below(12) {
        0 => random.pick(&[
            0.0,
            1.0,
            0.5,
            2.0,
            f64::INFINITY,
            f64::NAN,
            f64::MAX,
            f64::MIN_POSITIVE,
            f64::from_bits(1),
            core::f64::consts::PI,
            core::f64::consts::FRAC_PI_2,
            core::f64::consts::E,
        ]),
        1 => f64::from_bits(random.next_u64()),
        2 => f64::from(random.below(40)) + 0.5,
        3 => f64::from(random.below(200)),
        4 => f64::from_bits(1f64.to_bits() - 20 + u64::from(random.below(40))),
        // Below the smallest with all its bits.
        5 => f64::from_bits(random.next_u64() >> (12 + random.below(40))),
        6 => f64::from(random.next_u32()) * 2f64.powi(random.below(200) as i32 - 100),
        7 => f64::from_bits(f64::from(random.below(50)).to_bits() + u64::from(random.below(5))),
        8..10 => f64::from(random.next_u32()) / f64::from(u32::MAX),
        _ => f64::from(random.next_u32()) / 2f64.powi(28 - random.below(6) as i32),
    };
    value.to_bits() ^ u64::from(random.percent(40)) << 63
}

/// Floats of all kinds, as bits.
fn float(random: &mut Random) -> u32 {
    match random.below(3) {
        0 => random.next_u32(),
        // Most doubles have no room, or are no float.
        _ => (f64::from_bits(double(random)) as f32).to_bits(),
    }
}

fn program(seed: u64) -> (String, String) {
    let mut random = Random::new(seed);
    let doubles: Vec<u64> = (0..NUMBERS).map(|_| double(&mut random)).collect();
    let floats: Vec<u32> = (0..NUMBERS).map(|_| float(&mut random)).collect();
    let mut out = PRELUDE.to_string();
    let _ = writeln!(out, "static const unsigned long long DOUBLES[] = {{");
    doubles.iter().for_each(|bits| _ = writeln!(out, "    {bits:#x}ull,"));
    let _ = writeln!(out, "}};\nstatic const unsigned FLOATS[] = {{");
    floats.iter().for_each(|bits| _ = writeln!(out, "    {bits:#x}u,"));
    let _ = writeln!(out, "}};\nint main(void)\n{{\n    math(DOUBLES, FLOATS, {NUMBERS});");
    for at in 0..NUMBERS {
        let [x, y, z] = [0, 1, 2].map(|offset| format!("of({:#x}ull)", doubles[(at + 11 * offset) % NUMBERS]));
        let [a, b, c] = [0, 1, 2].map(|offset| format!("float_of({:#x}u)", floats[(at + 11 * offset) % NUMBERS]));
        let range = random.pick(&[60, 4400]);
        let power = random.below(range) as i32 - range as i32 / 2;
        let power = random.pick(&[power, power, power, i32::MAX, -i32::MAX]);
        let _ = writeln!(out, "    classes({x}, {y}, {z}, {power});\n    classes_of_floats({a}, {b}, {c}, {power});");
        let wide = random.next_u64() >> random.below(64);
        let _ = writeln!(out, "    conversions({x}, {a}, {:#x}ull);", wide);
        let _ = writeln!(out, "    bits({:#x}u, {:#x}ull);", random.value(), random.next_u64() >> random.below(64));
        let w = format!("of({:#x}ull)", doubles[(at + 5) % NUMBERS]);
        let _ = writeln!(out, "    complexes({x}, {y}, {z}, {w});");
        let parts: Vec<String> =
            (0..4).map(|_| format!("{}.{}", random.below(90) as i32 - 45, random.below(99))).collect();
        let _ = writeln!(out, "    complexes({});", parts.join(", "));
        let _ = writeln!(out, "    generators({:#x});", random.next_u32() as i32);
        let value = random.pick(&[0, 1, -1, 77, i32::MAX]);
        let _ = writeln!(out, "    jumps({}, {value});", random.below(12));
    }
    (out + "    return 0;\n}\n", String::new())
}

/// The bits of a number as a place in the order of all numbers of its format.
fn place(text: &str) -> Option<i64> {
    let bits = u64::from_str_radix(text, 16).ok()?;
    let (size, sign) = if text.len() == 16 { (bits & !(1 << 63), bits >> 63) } else { (bits & !(1 << 31), bits >> 31) };
    Some(if sign == 0 { size as i64 } else { -(size as i64) })
}

/// How a number is from its bits.
fn value(text: &str) -> f64 {
    match u64::from_str_radix(text, 16) {
        Ok(bits) if text.len() == 16 => f64::from_bits(bits),
        Ok(bits) => f64::from(f32::from_bits(bits as u32)),
        Err(_) => f64::NAN,
    }
}

/// Whether lines that differ are as near to each other as they have to be.
fn are_near(host: &str, machine: &str) -> bool {
    let (Some((call, one)), Some((same_call, other))) = (host.split_once(" = "), machine.split_once(" = ")) else {
        return false;
    };
    let mut words = call.split(' ');
    let (kind, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if call != same_call {
        return false;
    }
    if kind == "near" {
        let name =
            name.strip_suffix('f').filter(|short| BOUNDS.iter().any(|(known, _)| known == short)).unwrap_or(name);
        let bound = BOUNDS.iter().find(|(known, _)| *known == name).map_or(0, |(_, bound)| *bound);
        return place(one).zip(place(other)).is_some_and(|(one, other)| one.abs_diff(other) <= bound);
    }
    let parts = |text: &str| text.split_once(' ').map(|(real, imaginary)| (value(real), value(imaginary)));
    let (Some(one), Some(other)) = (parts(one), parts(other)) else { return false };
    let epsilon = if kind == "vectorf" { f64::from(f32::EPSILON) } else { f64::EPSILON };
    // Below the smallest number with all its bits there are fewer of them.
    let least = if kind == "vectorf" { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    (one.0 - other.0).hypot(one.1 - other.1) <= VECTOR_BOUND * epsilon * one.0.hypot(one.1).max(least)
}

/// Builds and runs programs, each made from a seed and with what it reads, for the host and for the
/// machine. Lines of their output that differ have to be near.
pub fn compare(programs: [u64; 2], program: impl Fn(u64) -> (String, String), are_near: impl Fn(&str, &str) -> bool) {
    let (mut wrong, mut lines) = (Vec::new(), 0);
    for seed in 0..programs[usize::from(crate::common::is_long())] {
        let folder = tempfile::tempdir().unwrap();
        let (source, input) = (folder.path().join("library.c"), folder.path().join("input"));
        let (text, given) = program(seed);
        std::fs::write(&source, &text).unwrap();
        std::fs::write(&input, given).unwrap();
        let (host, machine) = (on_host(&source, folder.path(), &input), on_machine(&source, folder.path(), &input));
        lines += host.lines().count();
        for (host, machine) in host.lines().zip(machine.lines()) {
            if host != machine && !are_near(host, machine) {
                let number = host.strip_prefix("scan ").and_then(|rest| rest.split(':').next()).unwrap_or("-");
                let call = text.lines().find(|line| line.contains(&format!("show({number},"))).unwrap_or_default();
                wrong.push(format!("seed {seed}: {call}\n  host    {host}\n  machine {machine}"));
            }
        }
        let (wanted, there) = (host.lines().count(), machine.lines().count());
        assert_eq!(wanted, there, "lines of seed {seed}\n{}", wrong.join("\n"));
    }
    assert!(lines > 500 && wrong.is_empty(), "{} of {lines} lines differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn computes_as_the_host_does() {
    compare(PROGRAMS, program, are_near);
}
