//! Settings of policies: the numbers that arguments say, and what is said of those that make no sense.

use testbed_balance::policies::gain::Settings;
use testbed_balance::policies::greedy_refine::GreedyRefine;
use testbed_balance::policies::report::Thresholds;
use testbed_balance::policies::NAMES;
use testbed_balance::settings::{of, Unit, Values, SETTINGS};
use testbed_definitions::load::ONE_READY;

#[test]
fn without_arguments_policies_are_as_they_are() {
    let Values { thresholds, greedy_refine, gain, .. } = Values::DEFAULT;
    assert_eq!(thresholds, Thresholds::default());
    assert_eq!(greedy_refine, GreedyRefine::default());
    assert_eq!(gain, Settings::default());
}

/// Each name sets one value, whose text reads back as the same; names of a policy differ.
#[test]
fn each_setting_sets_a_value_of_its_own() {
    for setting in &SETTINGS {
        assert!((setting.least..=setting.most).contains(&setting.default()), "{}", setting.name);
        for policy in setting.policies {
            assert!(NAMES.contains(policy));
            assert_eq!(of(policy).filter(|other| other.name == setting.name).count(), 1);
            for value in [setting.least, setting.most, setting.default() + 1] {
                let mut values = Values::DEFAULT;
                values.set(policy, &format!("{}={}", setting.name, setting.unit.text(value))).unwrap();
                assert_eq!(setting.value(&values), value, "{}", setting.name);
                let others = SETTINGS.iter().filter(|other| other.name != setting.name);
                assert!(others.into_iter().all(|other| other.value(&values) == other.default()), "{}", setting.name);
            }
        }
    }
}

#[test]
fn numbers_have_units_and_fractions() {
    for (unit, text, value) in [
        (Unit::Percent, "80", Some(80)),
        (Unit::Percent, "80%", Some(80)),
        (Unit::Threads, "1.0", Some(ONE_READY.into())),
        (Unit::Threads, "0.25", Some(u32::from(ONE_READY) / 4)),
        (Unit::Threads, "0.999999999", Some(ONE_READY.into())),
        (Unit::Time, "500ms", Some(500)),
        (Unit::Time, "1.5s", Some(1500)),
        (Unit::Time, "4294967s", Some(4_294_967_000)),
        (Unit::Time, "4294968s", None),
        (Unit::Time, "500", None),
        (Unit::Times, "2x", None),
        (Unit::Times, "-2", None),
        (Unit::Times, "", None),
        (Unit::Times, ".5", None),
        (Unit::Times, "5.", None),
        (Unit::Times, "1.2.3", None),
        (Unit::Times, "4294967296", None),
        (Unit::Threads, "0.0000000001", None),
    ] {
        assert_eq!(unit.parse(text), value, "{unit:?} {text}");
    }
    let texts = [(Unit::Time, 500), (Unit::Time, 2000), (Unit::Time, 0), (Unit::Percent, 5), (Unit::Threads, 129)];
    let texts = texts.map(|(unit, value)| unit.text(value).to_string());
    assert_eq!(texts, ["500ms", "2s", "0s", "5%", "0.50390625"]);
}

#[test]
fn arguments_that_make_no_sense_change_nothing() {
    let mut values = Values::DEFAULT;
    values.set("report", "period=1s").unwrap();
    let before = values.clone();
    for (policy, argument, said) in [
        ("report", "80", "`80` is not NAME=VALUE"),
        ("report", "link-precent=80", "there is no setting `link-precent`"),
        ("report", "horizon=1s", "there is no setting `horizon`"),
        ("gain", "link-percent=80", "there is no setting `link-percent`"),
        ("none", "link-percent=80", "there is no setting `link-percent`"),
        ("report", "link-percent=much", "link-percent: `much` is not written as 50%"),
        ("report", "link-percent=1001", "link-percent: `1001` is not from 0% to 1000%"),
        ("gain", "horizon=0ms", "horizon: `0ms` is not from 1ms to 600s"),
        ("report", "period=2s", "period is set twice"),
    ] {
        assert_eq!(values.set(policy, argument).unwrap_err().to_string(), said);
        assert_eq!(values, before);
    }
}
