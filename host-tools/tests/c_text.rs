//! `strtod`, `scanf` and standard input of the C library against the host's: random programs print
//! the same on both.

use std::fmt::Write as _;

use testbed_sim::lockstep::random::Random;

use crate::c_library::PROGRAMS;
use crate::c_numbers::compare;

/// Numbers and calls of `scanf` in a program, and calls of `scanf` with anything.
const NUMBERS: usize = 250;
const SCANS: usize = 300;
const ANY: u32 = 4000;

/// What is ahead of the calls.
const PRELUDE: &str = concat!(include_str!("c_numbers.h"), include_str!("c_text.h"));

/// Texts that libraries have read wrongly, or that end in an unusual way.
const HARD: &[&str] = &[
    "2.2250738585072011e-308",
    "2.2250738585072012e-308",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "1.7976931348623157e308",
    "1.797693134862315807e308",
    "1.7976931348623159e308",
    "9007199254740993",
    "0.500000000000000166533453693773481063544750213623046875",
    "3.518437208883201171875e13",
    "62.5364939768271845828",
    "8.10109172351e-10",
    "1.50000000000000011102230246251565",
    "3.4028235677973366e38",
    "7.006492321624085e-46",
    "0x1.fffffffffffff7fffp1023",
    "0x1.fffffffffffff8p1023",
    "0x0.00000000000008p-1022",
    "0x0.000000000000080000000001p-1022",
    "0x1p-1075",
    "0x1.000001p-149",
    "0x1.000002fffffffffffp0",
    "0x1.000003p0",
    "0x1.00000000000008p0",
    "0x1.0000000000000800000000000000000000000001p0",
    "0x",
    "0xg",
    "0x.p1",
    "0x.8",
    "-0x1p",
    "0x1p+",
    "",
    " ",
    "+",
    "-.",
    ".e5",
    "1e",
    "1e+",
    "1e+z",
    "1.e2.5",
    "-.5e-1e",
    "inf",
    "-Infinity",
    "infinit",
    "iNfinityx",
    "in",
    "nan",
    "-NAN",
    "nan(12_aB)",
    "nan(12",
    "na",
    "1e99999999999999999999",
    "-1e-99999999999999999999",
    "0e99999999999999999999",
    "0x1p99999999999999999999",
    "\\t\\n\\v\\f\\r 7",
    "00000.0000000001e10",
];

/// `digits`, the lowest first, times a digit.
fn times(digits: &mut Vec<u8>, by: u8) {
    let mut carry = 0;
    for digit in digits.iter_mut() {
        let value = *digit * by + carry;
        (*digit, carry) = (value % 10, value / 10);
    }
    while carry > 0 {
        digits.push(carry % 10);
        carry /= 10;
    }
}

/// The number in the middle between two neighbours of a format, exactly, or a little beside it.
fn middle(random: &mut Random) -> String {
    let mantissa_bits = random.pick(&[53, 24]);
    let mantissa = random.next_u64() >> (64 - mantissa_bits) | 1 << (mantissa_bits - 1);
    // Below the smallest with all its bits there are fewer of them.
    let (mantissa, places) = match random.below(4) {
        0 => (mantissa >> (mantissa_bits - 1 - random.below(20)), if mantissa_bits == 53 { 1075 } else { 150 }),
        1 => (mantissa, random.below(900)),
        _ => (mantissa, random.below(80)),
    };
    let mut digits: Vec<u8> = (2 * mantissa + 1).to_string().bytes().rev().map(|byte| byte - b'0').collect();
    (0..places).for_each(|_| times(&mut digits, 5));
    let mut text: String = digits.iter().rev().map(|digit| char::from(b'0' + digit)).collect();
    let mut exponent = -(places as i32);
    match random.below(4) {
        0 => {
            let zeros = random.below(1000) as usize;
            text += &"0".repeat(zeros);
            text += random.pick(&["1", "0"]);
            exponent -= zeros as i32 + 1;
        }
        1 => {
            // It ends with a 5, and so what is less has a 4 there.
            text.pop();
            text += "49999999";
            exponent -= 7;
        }
        _ => {}
    }
    let point = random.below(text.len() as u32 + 1) as usize;
    exponent += (text.len() - point) as i32;
    format!("{}.{}e{exponent}", &text[..point], &text[point..])
}

/// A number in decimal or hexadecimal; `most` digits.
fn digits(random: &mut Random, most: u32, is_hexadecimal: bool) -> String {
    let letters: &[char] =
        if is_hexadecimal { &['0', '1', '8', 'f', 'A', '7'] } else { &['0', '1', '4', '5', '9', '7'] };
    (0..1 + random.below(most)).map(|_| random.pick(letters)).collect()
}

fn real(random: &mut Random) -> String {
    let sign = random.pick(&["", "", "-", "+"]);
    let size = random.pick(&[4, 18, 40]);
    let text = match random.below(8) {
        0..2 => format!("{:e}", f64::from_bits(random.next_u64() & !(1 << 63))).replace("inf", "1").replace("NaN", "1"),
        2 => format!("{:e}", f32::from_bits(random.next_u32() >> 1)).replace("inf", "1").replace("NaN", "1"),
        3 => {
            let range = random.pick(&[40, 2260]);
            let exponent = random.below(range) as i32 - range as i32 / 2;
            format!("0x{}.{}p{exponent}", digits(random, size, true), digits(random, size, true))
        }
        4 => random.pick(&["inf", "INFINITY", "nan", "0", "1e5", "0x1.8p3"]).to_string(),
        5 => digits(random, size, false),
        6 => format!(".{}e{}", digits(random, size, false), random.below(700) as i32 - 350),
        _ => format!("{}.{}", digits(random, size, false), digits(random, size, false)),
    };
    format!("{sign}{text}")
}

/// A part of a format, text for it, and where the value goes.
struct Part {
    format: String,
    text: String,
    argument: String,
}

/// A place among those of `c_text.h`.
fn place(random: &mut Random, name: &str) -> String {
    format!(", &{name}[{}]", random.below(4))
}

/// `is_wide` says that all integers of the format have 64 bits, otherwise all have few: text for one
/// of them may come to another, in another base, and what has no room is read in different ways.
fn integer(random: &mut Random, is_wide: bool) -> Part {
    let conversion = random.pick(&["d", "i", "u", "o", "x", "X", "d"]);
    let (length, name) = if is_wide {
        random.pick(&[("ll", "wides"), ("j", "wides")])
    } else {
        let narrow = [("hh", "bytes"), ("h", "shorts"), ("l", "longs"), ("z", "sizes"), ("", "ints"), ("", "ints")];
        random.pick(&narrow)
    };
    let sign = if matches!(conversion, "d" | "i") { random.pick(&["", "-", "+"]) } else { "" };
    let value = if is_wide && random.percent(50) { random.next_u64() } else { u64::from(random.value() >> 12) };
    // More than 64 bits hold is the greatest; with fewer bits C leaves it open.
    let more = if is_wide && random.percent(10) { "12345" } else { "" };
    let text = match conversion {
        "o" => format!("{sign}{value:o}"),
        "x" => format!("{}{value:x}{more}", random.pick(&["", "0x"])),
        "X" => format!("{}{value:X}{more}", random.pick(&["", "0X"])),
        "i" => match random.below(3) {
            0 => format!("{sign}0x{value:x}"),
            1 => format!("{sign}0{value:o}"),
            _ => format!("{sign}{value}"),
        },
        _ => format!("{sign}{value}{more}"),
    };
    // A prefix that is cut is read in different ways.
    let has_width = matches!(conversion, "d" | "u" | "o") && random.percent(30);
    let width = if has_width { (1 + random.below(12)).to_string() } else { String::new() };
    let argument = place(random, name);
    Part { format: format!("{width}{length}{conversion}"), text: text + " ", argument }
}

fn floating(random: &mut Random, is_first: bool) -> Part {
    let conversion = random.pick(&["f", "e", "g", "a", "F", "E", "G", "A"]);
    let (length, name) = random.pick(&[("", "floats"), ("l", "doubles"), ("l", "doubles"), ("L", "long_doubles")]);
    let argument = place(random, name);
    // What is cut behind an `e` is read in different ways; and the host's long double has more bits.
    let is_plain = length == "L" || is_first && random.percent(50);
    let text =
        if is_plain { format!("{}.{}", random.below(5000), random.pick(&["5", "25", "0", ""])) } else { real(random) };
    let width = if is_first && is_plain { (1 + random.below(9)).to_string() } else { String::new() };
    Part { format: format!("{width}{length}{conversion}"), text: text + " ", argument }
}

fn word(random: &mut Random) -> Part {
    let letters: Vec<char> = "abcdfgxyz".chars().collect();
    let text: String = (0..1 + random.below(9)).map(|_| random.pick(&letters)).collect::<String>() + " ";
    let width = if random.percent(50) { (1 + random.below(10)).to_string() } else { String::new() };
    let argument = format!(", texts[{}]", random.below(4));
    match random.below(3) {
        0 => Part { format: format!("{width}s"), text, argument },
        1 => {
            let width = if random.percent(50) { String::new() } else { (1 + random.below(5)).to_string() };
            Part { format: format!("{width}c"), text, argument }
        }
        _ => {
            let set = random
                .pick(&["[a-f]", "[^,]", "[]x]", "[^]x]", "[a-c-]", "[^0-9 ]", "[0-9.]", "[-az]", "[%]", "[^ \\n]"]);
            // What takes much would leave the text of other parts to those behind.
            let width = if set.starts_with("[^") { "4" } else { width.as_str() };
            let letters: Vec<char> = "abcdf,]x-019. %".chars().collect();
            let text = (0..1 + random.below(9)).map(|_| random.pick(&letters)).collect::<String>() + " ";
            Part { format: format!("{width}{set}"), text, argument }
        }
    }
}

/// A call of `scanf` on a string, or on a file.
fn scan(random: &mut Random, number: usize) -> String {
    let (mut format, mut text, mut arguments) = (String::new(), String::new(), String::new());
    let parts = 1 + random.below(5);
    let is_wide = random.percent(30);
    // Text may end ahead of the format.
    let enough = if random.percent(15) { random.below(parts + 1) } else { parts };
    for part in 0..parts {
        let mut add = String::new();
        match random.below(10) {
            0 => {
                let literal = random.pick(&[",", "b:", " ", "%%", " \\n", "q"]);
                format += literal;
                add += if random.percent(80) { literal.trim_end_matches('%') } else { "  ;" };
                add += if literal == "%%" { "%" } else { "" };
            }
            1 => {
                format += "%n";
                arguments += &place(random, "ints");
            }
            kind => {
                let new = match kind {
                    2..5 => integer(random, is_wide),
                    5..7 => floating(random, part == 0),
                    _ => word(random),
                };
                let is_kept = random.percent(85);
                format += if is_kept { "%" } else { "%*" };
                format += &new.format;
                add += random.pick(&["", "", " ", "\\t\\n"]);
                add += &new.text;
                if is_kept {
                    arguments += &new.argument;
                }
            }
        }
        if part < enough {
            text += &add;
        }
    }
    if random.percent(25) {
        return format!(
            "    clear();\n    file = file_of(\"{text}\");\n    \
             show({number}, fscanf(file, \"{format}\"{arguments}));\n    behind(file);\n"
        );
    }
    format!("    clear();\n    show({number}, sscanf(\"{text}\", \"{format}\"{arguments}));\n")
}

/// What standard input has, and in which ways it is read; more often than it has bytes.
fn standard_input(random: &mut Random) -> (String, String) {
    let mut text = String::new();
    for _ in 0..60 {
        text += &match random.below(6) {
            0 => random.value().to_string(),
            1 => "a".repeat(random.below(300) as usize),
            2 => " ".repeat(random.below(4) as usize),
            3 => "\n".to_string(),
            4 => format!("-{} word", random.below(1000)),
            _ => "line of words\n".to_string(),
        };
    }
    let ways = (0..400).map(|_| random.pick(&['c', 'g', 'l', 'l', 'd', 'w', 'u', 'r'])).collect();
    (text, ways)
}

/// A program, and what it reads.
fn program(seed: u64) -> (String, String) {
    let mut random = Random::new(seed);
    let (mut out, mut calls) = (PRELUDE.to_string(), String::new());
    out += "static const char *const NUMBERS[] = {\n";
    for hard in HARD {
        let _ = writeln!(out, "    \"{hard}\",");
    }
    for number in 0..NUMBERS {
        let text = if number % 2 == 0 { middle(&mut random) } else { real(&mut random) };
        let _ = writeln!(out, "    \"{}{text}{}\",", random.pick(&["", " "]), random.pick(&["", "", "z", " 1"]));
    }
    out += "};\n";
    // In several functions: compilers take long over long ones.
    for part in 0..SCANS / 20 {
        let _ = writeln!(out, "static void part_{part}(void)\n{{\n    FILE *file;");
        (0..20).for_each(|number| out += &scan(&mut random, 20 * part + number));
        out += "}\n";
        let _ = writeln!(calls, "    part_{part}();");
    }
    let (text, ways) = standard_input(&mut random);
    let seed = random.next_u32();
    let _ = write!(
        out,
        "int main(void)\n{{\n    for (unsigned at = 0; at < sizeof NUMBERS / sizeof *NUMBERS; at++)\n        \
         number(NUMBERS[at]);\n{calls}    input(\"{ways}\");\n    any({seed}u, {ANY});\n    return 0;\n}}\n"
    );
    (out, text)
}

#[test]
fn reads_numbers_and_formats_as_the_host_does() {
    compare(PROGRAMS, program, |_, _| false);
}
