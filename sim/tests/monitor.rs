//! The arithmetic model of the monitor against its RTL, natively and in Verilator: stall, register reads and trace words, all in their cycles.

#[path = "monitor/scenario.rs"]
mod scenario;
#[path = "monitor/verilated.rs"]
mod verilated;

use proptest::prelude::*;
use rust_hdl::prelude::*;
use scenario::{scenario, Cycle, Setting, OUTPUTS};
use testbed_hdl::support::bench::settle;
use verilated::Verilated;

/// Fails if `got`, the RTL's outputs in cycle `number`, is not what the model expects. The trace word counts where it is valid.
fn compare(number: usize, cycle: &Cycle, mut got: [u32; OUTPUTS], what: &str) {
    if got[1] == 0 {
        got[2] = 0;
    }
    assert_eq!(
        got, cycle.outputs,
        "{what}, cycle {number}: RTL on the left, model on the right; mmi rdata, trace valid and word, then rdata and stall of each SMI"
    );
}

/// Runs the native simulation on a recorded run.
fn check_native(setting: Setting) {
    let (cycles, _) = scenario(setting);
    let mut bench = setting.bench();
    let ports = bench.ports();
    bench.connect_all();
    for (number, cycle) in cycles.iter().enumerate() {
        (ports.clock)(&mut bench).next = false.into();
        for (port, &value) in ports.inputs.iter().zip(&cycle.inputs) {
            (port.set)(&mut bench, u64::from(value));
        }
        settle(&mut bench).unwrap();
        let got = std::array::from_fn(|i| (ports.outputs[i].get)(&bench) as u32);
        compare(number, cycle, got, &format!("{setting:?}"));
        (ports.clock)(&mut bench).next = true.into();
        settle(&mut bench).unwrap();
    }
}

fn settings() -> impl Strategy<Value = Setting> {
    let depth = || prop::sample::select(vec![2u32, 4, 8, 16, 64]);
    (any::<u64>(), depth(), depth(), 0u32..8, 0u32..5).prop_map(
        |(seed, smi_queue, mmi_queue, poll_cycles, tick_cycles)| Setting {
            seed,
            windows: 40,
            smi_queue,
            mmi_queue,
            poll_cycles,
            tick_cycles,
            retick: true,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        rng_seed: prop::test_runner::RngSeed::Fixed(6),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Many short runs in the native simulation, over sizes and rates.
    #[test]
    fn model_equals_native_rtl(setting in settings()) {
        check_native(setting);
    }
}

/// Long runs, with many wraps, on small queues that are mostly full and on queues of the default size.
#[test]
fn model_equals_verilated_rtl() {
    for (smi_queue, mmi_queue) in [(4, 8), (1024, 512)] {
        let setting =
            Setting { seed: 0, windows: 12_500, smi_queue, mmi_queue, poll_cycles: 2, tick_cycles: 1, retick: false };
        let rtl = Verilated::build(setting.bench());
        for seed in 0..6 {
            let setting = Setting { seed, retick: seed % 3 == 2, ..setting };
            let (cycles, coverage) = scenario(setting);
            println!("{setting:?}: {coverage:?}");
            rtl.check(&cycles, &format!("{setting:?}"));
            assert!(coverage.pairs > 1000 && coverage.dropped > 100 && coverage.refused > 10, "{coverage:?}");
            assert!(coverage.stalls > 100 && coverage.words_read > 100, "{coverage:?}");
        }
    }
}
