//! A measurement that was interrupted and goes on is the same as one that was not.

use std::fs;
use std::path::Path;

use testbed_probe::campaign::{run, Made, Outcome};
use testbed_probe::client::settings::Failure;
use testbed_probe::estimate::estimates;
use testbed_probe::plan::{PartName, Plan, PlanError};
use testbed_probe::record::{Record, RecordError, RECORD};

use crate::support::ms;
use crate::support::path::{Loss, Traits};
use crate::support::simulated::Network;

fn plan() -> Plan {
    Plan::new(vec!["one:1".into(), "two:2".into()], &[512, 64], 2_500, 1 << 20).unwrap()
}

/// Makes a part over a network that depends on nothing but the part.
fn made(plan: &Plan, part: &PartName) -> Made<Failure> {
    let of = |share| Traits { jitter: ms(3), ..Traits::new(Loss::Bernoulli(share), ms(10)) };
    let seed = u64::from(part.packet_bytes) * 100 + u64::from(part.number) * 10 + part.host.len() as u64;
    let mut network = Network::new(of(0.05), of(0.1), seed + u64::from(part.host.starts_with('t')));
    match network.measure(plan.part(part)) {
        Ok(tally) => Made::Done(tally),
        Err(failure) => Made::Unanswered(failure),
    }
}

fn whole(folder: &Path) -> Outcome<Failure> {
    run(&mut Record::open(folder, &plan(), false).unwrap(), made).unwrap()
}

#[test]
fn interrupted_and_continued_equals_uninterrupted() {
    let (whole_folder, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let outcome = whole(whole_folder.path());
    assert_eq!((outcome.missing, outcome.unanswered.len()), (0, 0));
    let expected = fs::read_to_string(whole_folder.path().join(RECORD)).unwrap();
    assert_eq!(expected.lines().count(), 1 + plan().parts().len());

    // Two parts at a time; what is being written when it is interrupted is torn somewhere.
    let mut times = 0;
    loop {
        let mut record = Record::open(folder.path(), &plan(), false).unwrap();
        assert_eq!(record.done().len(), (2 * times).min(plan().parts().len()));
        let mut left = 2;
        let outcome = run(&mut record, |plan, part| {
            left -= 1;
            if left < 0 {
                Made::Stop
            } else {
                made(plan, part)
            }
        })
        .unwrap();
        assert_eq!(outcome.missing, plan().parts().len() - record.done().len());
        if outcome.missing == 0 {
            break;
        }
        times += 1;
        let path = folder.path().join(RECORD);
        let text = fs::read_to_string(&path).unwrap();
        let torn = &expected[text.len()..text.len() + 40 * times];
        fs::write(&path, text + torn).unwrap();
    }
    assert!(times > 3);
    assert_eq!(fs::read_to_string(folder.path().join(RECORD)).unwrap(), expected);
    let of = |folder: &Path| {
        let record = Record::open(folder, &plan(), false).unwrap();
        estimates(&plan().hosts, record.done())
    };
    assert_eq!(of(folder.path()), of(whole_folder.path()));
    assert_eq!(of(folder.path()).len(), 4);
    assert_eq!(of(folder.path())[0].forward.sent, 2_500);
}

#[test]
fn a_peer_that_does_not_answer_is_left_out_and_made_later() {
    let (whole_folder, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    whole(whole_folder.path());
    let mut record = Record::open(folder.path(), &plan(), false).unwrap();
    let outcome = run(&mut record, |plan, part| match part.host.as_str() {
        "one:1" => Made::Unanswered(Failure::Silent),
        _ => made(plan, part),
    })
    .unwrap();
    assert_eq!(outcome.unanswered, [("one:1".to_string(), Failure::Silent)]);
    assert_eq!((outcome.missing, record.done().len()), (6, 6));
    drop(record);
    assert_eq!(whole(folder.path()).missing, 0);
    let of = |folder: &Path| estimates(&plan().hosts, Record::open(folder, &plan(), false).unwrap().done());
    assert_eq!(of(folder.path()), of(whole_folder.path()));
}

#[test]
fn a_record_of_something_else_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(RECORD);
    let mut record = Record::open(folder.path(), &plan(), false).unwrap();
    let part = plan().parts().remove(0);
    let Made::Done(tally) = made(&plan(), &part) else { panic!("the network loses little") };
    record.add(part, tally).unwrap();
    drop(record);
    let other = Plan { probes: 2_400, ..plan() };
    let error = Record::open(folder.path(), &other, false).unwrap_err();
    assert!(matches!(&error, RecordError::Other { .. }), "{error}");
    assert!(error.to_string().contains("2500, and now 2400") && error.to_string().contains("--overwrite"), "{error}");

    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let [first, second] = lines[..] else { panic!("{} lines", lines.len()) };
    for (wrong, line) in [
        ("nothing\n".to_string(), 1),
        (first.replace("\"sizes\":[64", "\"sizes\":[63") + "\n", 1),
        (format!("{first}\nnothing\n"), 2),
        (format!("{first}\n{second}\n{second}\n"), 3),
        (format!("{first}\n{}\n", second.replacen("\"returned\":\"1000:", "\"returned\":\"1000:f", 1)), 2),
        (format!("{first}\n{}\n", second.replacen("\"round_trips\":[", "\"round_trips\":[5,", 1)), 2),
        (format!("{first}\n{}\n", second.replacen("\"packet_bytes\":64", "\"packet_bytes\":512", 1)), 2),
    ] {
        fs::write(&path, &wrong).unwrap();
        let error = Record::open(folder.path(), &plan(), false).unwrap_err().to_string();
        assert!(error.contains(&format!("{RECORD}:{line}: ")) && error.contains("\n  help: "), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), wrong, "what is not understood is not touched");
    }
    assert!(Record::open(folder.path(), &other, true).unwrap().done().is_empty());
}

#[test]
fn plans_that_make_no_sense_are_refused() {
    let hosts = || vec!["one:1".to_string()];
    let twice = vec!["one:1".to_string(), "one:1".to_string()];
    for (plan, wrong) in [
        (Plan::new(vec![], &[64], 1, 1), PlanError::NoHost),
        (Plan::new(vec!["one:1".into(), "t\u{1b}[2J".into()], &[64], 1, 1), PlanError::Host(2)),
        (Plan::new(vec!["x".repeat(300)], &[64], 1, 1), PlanError::Host(1)),
        (Plan::new(twice, &[64], 1, 1), PlanError::Twice("one:1".into())),
        (Plan::new(hosts(), &[64, 63], 1, 1), PlanError::Size(63)),
        (Plan::new(hosts(), &[65_508], 1, 1), PlanError::Size(65_508)),
        (Plan::new(hosts(), &[1 << 16 | 64], 1, 1), PlanError::Size(1 << 16 | 64)),
        (Plan::new(hosts(), &[], 1, 1), PlanError::Nothing { what: "number of sizes" }),
        (Plan::new(hosts(), &[64], 0, 1), PlanError::Nothing { what: "number of packets" }),
        (Plan::new(hosts(), &[64, 8_192], 1, 1 << 10), PlanError::Slow { rate: 1 << 10, bytes: 8_192 }),
        (Plan::new(hosts(), &[64], 1, 0), PlanError::Nothing { what: "rate" }),
        (Plan::new(hosts(), &[64], u32::MAX, 1 << 20), PlanError::Large(4_294_968)),
    ] {
        assert_eq!(plan, Err(wrong));
    }
    let plan = Plan::new(hosts(), &[64, 25_600, 64], 1_200, 1 << 20).unwrap();
    assert_eq!(plan.sizes, [64, 25_600]);
    let parts = plan.parts();
    let probes: Vec<_> = parts.iter().map(|part| (part.packet_bytes, plan.probes_of(part))).collect();
    // Parts of large packets end after 10 s.
    assert_eq!(probes, [(64, 1_000), (25_600, 409), (64, 200), (25_600, 409), (25_600, 382)]);
    for part in &parts {
        let part = plan.part(part);
        assert!(part.series.is_possible(), "{part:?}");
        let rate = f64::from(part.series.bytes) / part.interval.as_secs_f64();
        assert!(rate <= 1.001 * (1 << 20) as f64 && part.interval >= ms(1), "{part:?}");
        assert!(part.interval * u32::from(part.series.probes) <= ms(10_001), "{part:?}");
    }
}
