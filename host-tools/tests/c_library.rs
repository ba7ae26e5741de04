//! The C library against the host's: one random program is built for both, and has to print the
//! same.

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::process::Command;

use testbed_runner::firmware;
use testbed_sim::lockstep::random::Random;

/// Calls of each kind in a program, and programs: in a short run and in a long one.
const CALLS: usize = 400;
pub const PROGRAMS: [u64; 2] = [2, 100];

/// What is ahead of the calls. A `long` has 32 bits on the machine, and so it is an `int` on the
/// host.
const PRELUDE: &str = include_str!("c_library.h");

/// `printf`'s flags, width and precision; `*` takes arguments, which are added.
fn directive(random: &mut Random, arguments: &mut String) -> String {
    let mut text = String::from("%");
    for flag in ["-", "0", "+", " ", "#"] {
        if random.percent(25) {
            text += flag;
        }
    }
    match random.below(5) {
        0 => text += &random.below(45).to_string(),
        1 => {
            text += "*";
            let _ = write!(arguments, ", {}", random.below(40) as i32 - 20);
        }
        _ => {}
    }
    match random.below(6) {
        0 => text += ".",
        1 => text += ".0",
        2 => text += &format!(".{}", random.below(35)),
        3 => {
            text += ".*";
            let _ = write!(arguments, ", {}", random.below(12) as i32 - 3);
        }
        _ => {}
    }
    text
}

/// A value of a type of 64 bits, as C writes it.
fn wide(random: &mut Random) -> String {
    let value = u64::from(random.value()) << 32 | u64::from(random.value());
    let value = if random.percent(40) { value & 0xff } else { value };
    format!("{value:#x}ull")
}

fn integer(random: &mut Random) -> (String, String) {
    let mut arguments = String::new();
    let mut text = directive(random, &mut arguments);
    let conversion = random.pick(&["d", "i", "u", "x", "X", "o"]);
    let signed = matches!(conversion, "d" | "i");
    let number = if random.percent(25) { random.below(10) } else { random.value() };
    match random.below(6) {
        0 => {
            let length = random.pick(&["ll", "j"]);
            text += length;
            let kind = match (length, signed) {
                ("ll", true) => "long long",
                ("ll", false) => "unsigned long long",
                (_, true) => "intmax_t",
                (_, false) => "uintmax_t",
            };
            let _ = write!(arguments, ", ({kind}){}", wide(random));
        }
        1 => {
            text += random.pick(&["h", "hh"]);
            let _ = write!(arguments, ", {}(int){number:#x}u", if signed { "" } else { "(unsigned)" });
        }
        2 => {
            text += if signed { "t" } else { "z" };
            let kind = if signed { "ptrdiff_t" } else { "size_t" };
            let _ = write!(arguments, ", ({kind}){}{:#x}", if signed { "(int)" } else { "" }, number);
        }
        3 => {
            text += "\" LONG \"";
            let _ = write!(arguments, ", ({}LONG_TYPE){number:#x}u", if signed { "" } else { "unsigned " });
        }
        _ => {
            let _ = write!(arguments, ", ({}){number:#x}u", if signed { "int" } else { "unsigned" });
        }
    }
    (text + conversion, arguments)
}

/// A double as its bits, so that compilers round nothing.
fn double(random: &mut Random) -> String {
    let bits = match random.below(12) {
        0 => 0,
        1 => f64::INFINITY.to_bits(),
        2 => f64::NAN.to_bits(),
        // Below the smallest with all its bits.
        3 => u64::from(random.next_u32()) << random.below(20),
        4 => (f64::from(random.below(2000)) / 8.0).to_bits(),
        5 => (f64::from(random.below(100_000)) / 1000.0).to_bits(),
        6 => (10f64.powi(random.below(40) as i32 - 20)).to_bits(),
        7 => (9.999_999_5 * 10f64.powi(random.below(16) as i32 - 8)).to_bits(),
        8 => (f64::from(random.below(40)) + 0.5).to_bits(),
        9 => f64::MAX.to_bits(),
        _ => random.next_u64(),
    };
    format!("bits({:#x}ull)", bits ^ u64::from(random.percent(30)) << 63)
}

fn floating(random: &mut Random) -> (String, String) {
    let mut arguments = String::new();
    let text = directive(random, &mut arguments);
    let conversion = random.pick(&["f", "F", "e", "E", "g", "G", "a", "A", "f", "g"]);
    if random.percent(10) {
        // What the compiler knows needs no arithmetic of long doubles.
        let value = random.pick(&["1.5L", "-0.125L", "1e22L", "123456789.0L", "0.0L"]);
        // All are doubles too: of others the host's has other bits behind.
        let conversion = random.pick(&["Lf", "Le"]);
        return (text + conversion, arguments + ", " + value);
    }
    let value = double(random);
    // glibc forgets the zeros that `#` keeps where `g` rounds up to one more digit, as in
    // 999999.95.
    let text = if "gG".contains(conversion) { text.replace('#', "") } else { text };
    (text + conversion, arguments + ", " + &value)
}

fn string(random: &mut Random) -> (String, String) {
    let mut arguments = String::new();
    // The C library of the host leaves `0` and others open for strings.
    let text: String = directive(random, &mut arguments)
        .chars()
        .filter(|c| !"0+ #".contains(*c) || c.is_ascii_digit() && *c != '0')
        .collect();
    match random.below(3) {
        0 => (text + "c", arguments + &format!(", {}", 33 + random.below(90))),
        _ => (text + "s", arguments + ", " + &quoted(random, "abc def", 14)),
    }
}

/// A string of characters of an alphabet.
fn quoted(random: &mut Random, alphabet: &str, most: u32) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let text: String = (0..random.below(most)).map(|_| random.pick(&letters)).collect();
    format!("{text:?}")
}

/// A call of `printf` with some conversions, an integer last: so it shows when one takes too much
/// or too little.
fn print(random: &mut Random, number: usize) -> String {
    let (mut format, mut arguments) = (format!("{number}: "), String::new());
    for _ in 0..1 + random.below(3) {
        let (text, more) = match random.below(5) {
            0..2 => integer(random),
            2..4 => floating(random),
            _ => string(random),
        };
        format += &format!("[{text}] ");
        arguments += &more;
    }
    format!(
        "    n = snprintf(text, sizeof text, \"{format}%d%n\", {}, &m);\n    printf(\"%s %d %d\\n\", text, n, m);\n",
        &(arguments[2..].to_string() + ", -7")
    )
}

/// A call that reads a number.
fn read(random: &mut Random) -> String {
    let digits = random.pick(&["0123456789", "01", "0x17fF", "-+ 019", "9", "zZ09xX"]);
    let start = random.pick(&[
        "",
        "",
        " ",
        "-",
        "+",
        "\t-",
        "0x",
        "-0x",
        "0",
        "999999999",
        "922337203685477580",
        "-922337203685477580",
        "1844674407370955161",
        "214748364",
        "-214748364",
        "429496729",
    ]);
    let text = format!("{start}{}", quoted(random, digits, 12).trim_matches('"'));
    let base = random.pick(&[0, 10, 10, 16, 8, 2, 36, 7, 1, 37]);
    let call = random.pick(&["number_ll", "number_ull", "number_l", "number_ul"]);
    format!("    {call}({text:?}, {base});\n")
}

/// A call of a function on strings.
fn text_call(random: &mut Random) -> String {
    let (one, other) = (quoted(random, "aAb c,", 12), quoted(random, "abC,", 4));
    let number = random.below(10);
    format!("    strings({one}, {other}, {number});\n")
}

fn sort(random: &mut Random) -> String {
    format!("    sorted({}u, {}, {});\n", random.next_u32(), random.below(60), random.pick(&[1, 2, 3, 4, 7, 8, 12, 33]))
}

fn divide(random: &mut Random) -> String {
    let by = random.value().max(1);
    let wide_by = u64::from(random.value()) << random.below(30) | 1;
    format!("    divided({:#x}u, {by:#x}u, {}, {wide_by:#x}ull);\n", random.value(), wide(random))
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut out = PRELUDE.to_string();
    let mut calls = String::new();
    // In several functions: compilers take long over long ones.
    for part in 0..CALLS / 20 {
        let _ = writeln!(out, "static void part_{part}(void)\n{{\n    int n = 0, m = 0;");
        for number in 0..20 {
            out += &print(&mut random, 20 * part + number);
            out += &read(&mut random);
            out += &text_call(&mut random);
        }
        out += &sort(&mut random);
        out += &divide(&mut random);
        out += "}\n";
        let _ = writeln!(calls, "    part_{part}();");
    }
    out + "int main(void)\n{\n    characters();\n" + &calls + "    return 0;\n}\n"
}

/// What the host's compiler and library make of it, given that input.
pub fn on_host(source: &Path, folder: &Path, input: &Path) -> String {
    let elf = folder.join("host");
    let built = Command::new("cc")
        .args(["-std=gnu11", "-O0", "-fno-builtin", "-w", "-o"])
        .arg(&elf)
        .arg(source)
        .arg("-lm")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let input = File::open(input).unwrap();
    let output = Command::new(&elf).current_dir(folder).stdin(input).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What it prints on the machine, given that input.
pub fn on_machine(source: &Path, folder: &Path, input: &Path) -> String {
    let elf = folder.join("program");
    let built = firmware::build(&firmware::root().unwrap()).unwrap();
    crate::common::compiler::build(
        &built,
        source,
        &["-std=gnu11", "-O1", "-fno-builtin", "-Wno-format", "-Wno-unused"],
        &elf,
    );
    let run = Command::new(env!("CARGO_BIN_EXE_testbed"))
        .args(["run", "--dgl", "0", "--machine", "testbed2", "--out"])
        .arg(folder.join("out"))
        .arg("--input")
        .arg(input)
        .arg(&elf)
        .output()
        .unwrap();
    let wrong = String::from_utf8_lossy(&run.stderr);
    let console = std::fs::read(folder.join("out/console.txt")).unwrap_or_else(|error| panic!("{error}\n{wrong}"));
    let console = String::from_utf8_lossy(&console);
    assert!(run.status.success(), "{wrong}\n{}", console.lines().rev().take(5).collect::<Vec<_>>().join("\n"));
    console.lines().map(|line| line.split_once(": ").map_or(line, |(_, text)| text).to_string() + "\n").collect()
}

#[test]
fn prints_reads_sorts_and_divides_as_the_host_does() {
    let (mut wrong, mut lines) = (Vec::new(), 0);
    for seed in 0..PROGRAMS[usize::from(crate::common::is_long())] {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("library.c");
        std::fs::write(&source, program(seed)).unwrap();
        let input = folder.path().join("input");
        std::fs::write(&input, "").unwrap();
        let host = on_host(&source, folder.path(), &input);
        let machine = on_machine(&source, folder.path(), &input);
        lines += host.lines().count();
        assert_eq!(host.lines().count(), machine.lines().count(), "lines of seed {seed}");
        for (host, machine) in host.lines().zip(machine.lines()).filter(|(host, machine)| host != machine) {
            let number = host.split(':').next().unwrap_or_default();
            let text = program(seed);
            let call = text.lines().find(|line| line.contains(&format!("\"{number}: "))).unwrap_or_default();
            wrong.push(format!("seed {seed}: {call}\n  host    {host}\n  machine {machine}"));
        }
    }
    assert!(lines > 1000 && wrong.is_empty(), "{} of {lines} lines differ\n{}", wrong.len(), wrong.join("\n"));
}
