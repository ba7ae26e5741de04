//! Native simulation against the generated Verilog in Icarus, cycle by cycle on the same random stimulus.
//!
//! ```no_run
//! use rust_hdl::prelude::*;
//! use testbed_hdl::differential;
//! use testbed_hdl::clint::Clint;
//!
//! differential! {
//!     block: Clint = Clint::default(),
//!     inputs: [select, address, read, write, wdata],
//!     outputs: [rdata, timer, software, mtime_low, mtime_high],
//!     cycles: 5_000,
//!     seed: 1,
//!     // Without a stimulus every input is uniformly random in every cycle. The closure sets what it likes on the
//!     // native block, and may look at its outputs; inputs it does not set keep their value.
//!     stimulus: |block, random, _cycle| {
//!         block.select.next = random.chance(3, 4);
//!         block.wdata.next = random.bits();
//!     }
//! }
//! ```
//!
//! In each cycle: clock low, stimulus, settle, all inputs and outputs recorded, clock high. The Verilog gets the
//! recorded inputs. An `x` or `z` at a Verilog output is a difference. Inputs that are not listed stay 0. The clock
//! is the field `clock`, or the one named by `clock: name,` after the block.

use std::fmt::Write;
use std::time::Duration;

use rust_hdl::prelude::*;

use super::bench::{settle, Unsettled};
use super::ports::Ports;
use super::random::{mask, Random};
use super::tools::{read, scratch, write, Tool, ToolError};
use super::verilog::{verilog, VerilogError, TOP};

/// Longest that Icarus may take; it loops at one instant where two blocks override each other's ports.
const LIMIT: Duration = Duration::from_secs(300);

/// Why native simulation and Verilog could not be compared, or where they differ.
#[derive(Debug, thiserror::Error)]
pub enum DifferentialError {
    #[error(transparent)]
    Verilog(#[from] VerilogError),
    #[error("seed {seed}, cycle {cycle}: {error}")]
    Unsettled { seed: u64, cycle: usize, error: Unsettled },
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The first difference. `verilog` is in binary, with `x` and `z`.
    #[error("seed {seed}, cycle {cycle}, output `{port}`: native {native:#x}, Verilog {verilog}")]
    Differs { seed: u64, cycle: usize, port: &'static str, native: u64, verilog: String },
    #[error("the Verilog simulation wrote {got} of {wanted} cycles")]
    Short { got: usize, wanted: usize },
}

/// What a native run saw: a value per cycle and port.
struct Recording {
    inputs: Vec<Vec<u64>>,
    outputs: Vec<Vec<u64>>,
}

/// Runs `block` natively for `cycles` cycles on what `stimulus` sets, replays that in Icarus, compares every output in
/// every cycle. `block` need not be connected yet.
pub fn compare<B: Block>(
    mut block: B,
    ports: &Ports<B>,
    cycles: usize,
    seed: u64,
    stimulus: impl FnMut(&mut B, &mut Random, u64),
) -> Result<(), DifferentialError> {
    block.connect_all();
    let text = verilog(&block)?;
    let recording = record(&mut block, ports, cycles, seed, stimulus)?;
    let folder = scratch()?;
    let path = |name: &str| folder.path().join(name);
    write(&path("block.v"), &text)?;
    write(&path("bench.v"), &testbench(ports, cycles))?;
    write(&path("inputs.txt"), &input_lines(ports, &recording))?;
    Tool::Iverilog.run(folder.path(), &["-g2005", "-o", "bench.vvp", "bench.v", "block.v"])?;
    Tool::Vvp.run_for(folder.path(), &["-n", "bench.vvp"], LIMIT)?;
    let lines = read(&path("outputs.txt"))?;
    let got: Vec<&str> = lines.lines().collect();
    if got.len() != cycles {
        return Err(DifferentialError::Short { got: got.len(), wanted: cycles });
    }
    for (cycle, (native, line)) in recording.outputs.iter().zip(got).enumerate() {
        if let Some((port, native, verilog)) = difference(ports, native, line) {
            return Err(DifferentialError::Differs { seed, cycle, port, native, verilog });
        }
    }
    Ok(())
}

fn record<B: Block>(
    block: &mut B,
    ports: &Ports<B>,
    cycles: usize,
    seed: u64,
    mut stimulus: impl FnMut(&mut B, &mut Random, u64),
) -> Result<Recording, DifferentialError> {
    let mut random = Random::new(seed);
    let mut recording = Recording { inputs: vec![], outputs: vec![] };
    for cycle in 0..cycles {
        let unsettled = |error| DifferentialError::Unsettled { seed, cycle, error };
        (ports.clock)(block).next = false.into();
        settle(block).map_err(unsettled)?;
        stimulus(block, &mut random, cycle as u64);
        settle(block).map_err(unsettled)?;
        recording.inputs.push(ports.inputs.iter().map(|port| (port.get)(block)).collect());
        recording.outputs.push(ports.outputs.iter().map(|port| (port.get)(block)).collect());
        (ports.clock)(block).next = true.into();
        settle(block).map_err(unsettled)?;
    }
    Ok(recording)
}

/// Every input uniformly random in every cycle.
pub fn uniform<B>(ports: &Ports<B>) -> impl FnMut(&mut B, &mut Random, u64) + '_ {
    |block, random, _| {
        for port in &ports.inputs {
            (port.set)(block, random.next_u64() & mask(port.width));
        }
    }
}

fn input_lines<B>(ports: &Ports<B>, recording: &Recording) -> String {
    let mut text = String::new();
    for values in &recording.inputs {
        for (port, value) in ports.inputs.iter().zip(values) {
            write!(text, "{value:0width$b}", width = port.width).expect("strings take all");
        }
        // One more bit, so that a block without inputs has a stimulus too.
        text.push_str("0\n");
    }
    text
}

fn testbench<B>(ports: &Ports<B>, cycles: usize) -> String {
    let bits = 1 + ports.inputs.iter().map(|port| port.width).sum::<usize>();
    let mut declarations = String::new();
    let mut connections = format!(".{}(clock)", ports.clock_name);
    let mut inputs = String::new();
    let mut offset = bits;
    for port in &ports.inputs {
        offset -= port.width;
        let (name, width) = (port.name, port.width);
        writeln!(inputs, "  wire [{}:0] p_{name} = now[{offset} +: {width}];", width - 1).expect("strings take all");
        write!(connections, ", .{name}(p_{name})").expect("strings take all");
    }
    for port in &ports.outputs {
        writeln!(declarations, "  wire [{}:0] p_{};", port.width - 1, port.name).expect("strings take all");
        write!(connections, ", .{0}(p_{0})", port.name).expect("strings take all");
    }
    let shown: Vec<String> = ports.outputs.iter().map(|port| format!("p_{}", port.name)).collect();
    let format = vec!["%b"; shown.len()].join(" ");
    let shown = shown.join(", ");
    let last = bits - 1;
    format!(
        r#"`timescale 1ns/1ns
module bench;
  reg clock = 0;
  reg [{last}:0] now;
  reg [{last}:0] inputs [0:{cycles}];
  integer file, cycle;
{inputs}{declarations}  {TOP} block({connections});
  initial begin
    file = $fopen("outputs.txt");
    $readmemb("inputs.txt", inputs, 0, {cycles} - 1);
    for (cycle = 0; cycle < {cycles}; cycle = cycle + 1) begin
      now = inputs[cycle];
      #1 $fdisplay(file, "{format}", {shown});
      clock = 1;
      #1 clock = 0;
    end
    $fclose(file);
    $finish;
  end
endmodule
"#
    )
}

fn difference<B>(ports: &Ports<B>, native: &[u64], line: &str) -> Option<(&'static str, u64, String)> {
    let mut fields = line.split_whitespace();
    ports.outputs.iter().zip(native).find_map(|(port, &value)| {
        let field = fields.next().unwrap_or("");
        (u64::from_str_radix(field, 2) != Ok(value)).then(|| (port.name, value, field.to_string()))
    })
}

/// See [`differential`](crate::support::differential).
#[macro_export]
macro_rules! differential {
    (block: $type:ty = $block:expr, $(clock: $clock:ident,)?
     inputs: [$($input:ident),* $(,)?], outputs: [$($output:ident),* $(,)?],
     cycles: $cycles:expr, seed: $seed:expr,
     stimulus: |$b:pat_param, $random:pat_param, $cycle:pat_param| $body:expr $(,)?) => {{
        let block: $type = $block;
        let ports = $crate::differential!(@ports block, $type, ($($clock)?), [$($input),*], [$($output),*]);
        let stimulus = |$b: &mut $type,
                        $random: &mut $crate::support::random::Random,
                        $cycle: u64| { $body };
        if let Err(error) =
            $crate::support::differential::compare(block, &ports, $cycles, $seed, stimulus)
        {
            panic!("{error}");
        }
    }};
    (block: $type:ty = $block:expr, $(clock: $clock:ident,)?
     inputs: [$($input:ident),* $(,)?], outputs: [$($output:ident),* $(,)?],
     cycles: $cycles:expr, seed: $seed:expr $(,)?) => {{
        let block: $type = $block;
        let ports = $crate::differential!(@ports block, $type, ($($clock)?), [$($input),*], [$($output),*]);
        let stimulus = $crate::support::differential::uniform(&ports);
        if let Err(error) =
            $crate::support::differential::compare(block, &ports, $cycles, $seed, stimulus)
        {
            panic!("{error}");
        }
    }};
    (@ports $block:ident, $type:ty, (), [$($input:ident),*], [$($output:ident),*]) => {
        $crate::ports!($block: $type, clock: clock, inputs: [$($input),*], outputs: [$($output),*])
    };
    (@ports $block:ident, $type:ty, ($clock:ident), [$($input:ident),*], [$($output:ident),*]) => {
        $crate::ports!($block: $type, clock: $clock, inputs: [$($input),*], outputs: [$($output),*])
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Correct in both worlds.
    #[derive(LogicBlock, Default)]
    struct Accumulator {
        pub clock: Signal<In, Clock>,
        pub add: Signal<In, Bit>,
        pub value: Signal<In, Bits<8>>,
        pub sum: Signal<Out, Bits<8>>,
        register: DFF<Bits<8>>,
    }

    impl Logic for Accumulator {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, register);
            if self.add.val() {
                self.register.d.next = self.register.q.val() + self.value.val();
            }
            self.sum.next = self.register.q.val();
        }
    }

    #[test]
    fn equal_blocks_agree() {
        differential! {
            block: Accumulator = Accumulator::default(),
            inputs: [add, value],
            outputs: [sum],
            cycles: 300,
            seed: 7,
        }
        differential! {
            block: Accumulator = Accumulator::default(),
            inputs: [add, value],
            outputs: [sum],
            cycles: 300,
            seed: 8,
            stimulus: |block, random, cycle| {
                block.add.next = cycle % 3 == 0;
                block.value.next = random.bits();
            }
        }
    }

    /// The carry of `+ 1` is kept in Verilog, where the literal has 32 bits.
    #[derive(LogicBlock, Default)]
    struct Carry {
        pub clock: Signal<In, Clock>,
        pub value: Signal<In, Bits<2>>,
        pub wraps: Signal<Out, Bit>,
    }

    impl Logic for Carry {
        #[hdl_gen]
        fn update(&mut self) {
            self.wraps.next = (self.value.val() + 1) == 0;
        }
    }

    #[test]
    fn the_first_difference_is_reported() {
        let block = Carry::default();
        let ports = crate::ports!(block: Carry, clock: clock, inputs: [value], outputs: [wraps]);
        let count = |block: &mut Carry, _: &mut Random, cycle: u64| {
            block.value.next = (cycle & 3).to_bits();
        };
        match compare(block, &ports, 10, 5, count) {
            Err(DifferentialError::Differs { seed, cycle, port, native, verilog }) => {
                assert_eq!((seed, cycle, port, native, &*verilog), (5, 3, "wraps", 1, "0"));
            }
            other => panic!("{other:?}"),
        }
    }

    /// All constant: `@(*)` never fires and the output stays unknown.
    #[derive(LogicBlock, Default)]
    struct Fixed {
        pub clock: Signal<In, Clock>,
        pub constant: Signal<Out, Bits<4>>,
    }

    impl Logic for Fixed {
        #[hdl_gen]
        fn update(&mut self) {
            self.constant.next = 5.into();
        }
    }

    #[test]
    fn an_unknown_value_is_a_difference() {
        let block = Fixed::default();
        let ports = crate::ports!(block: Fixed, clock: clock, inputs: [], outputs: [constant]);
        let error = compare(block, &ports, 3, 1, uniform(&ports)).unwrap_err().to_string();
        assert_eq!(error, "seed 1, cycle 0, output `constant`: native 0x5, Verilog xxxx");
    }
}
