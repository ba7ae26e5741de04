//! The report's four metrics of load, from a [`Load`]: as they are shown, and as they are averaged.
//!
//! A *slot* is a piece of machine time; slots follow each other from the start of the run. The last
//! one is left out unless it is whole.

use std::collections::BTreeMap;

use crate::load::{Load, Message, Stay};

/// A number that holds from a cycle until the next one.
pub type Steps = Vec<(u64, u32)>;

/// How many of these stays there are on a processor, from each cycle on at which that changes.
pub fn count(stays: &[Stay], processor: u8) -> Steps {
    let mut changes = BTreeMap::<u64, i64>::new();
    for stay in stays.iter().filter(|stay| stay.processor == processor && stay.to > stay.from) {
        *changes.entry(stay.from).or_default() += 1;
        *changes.entry(stay.to).or_default() -= 1;
    }
    let mut now = 0;
    let mut steps = vec![(0, 0)];
    for (cycle, change) in changes.into_iter().filter(|(_, change)| *change != 0) {
        now += change;
        match steps.last_mut() {
            Some(last) if last.0 == cycle => last.1 = now as u32,
            _ => steps.push((cycle, now as u32)),
        }
    }
    steps
}

/// How often threads come to or leave a processor among these stays: what an instrumented kernel
/// would tell, an event each.
pub fn changes(stays: &[Stay]) -> u64 {
    2 * stays.iter().filter(|stay| stay.to > stay.from).count() as u64
}

/// The mean in each of `slots` slots of `slot` cycles.
pub fn means(steps: &Steps, slot: u64, slots: usize) -> Vec<f64> {
    let ends = steps.iter().skip(1).map(|step| step.0).chain([u64::MAX]);
    let spans = steps.iter().zip(ends).map(|(&(from, value), to)| (from, to, f64::from(value)));
    spread(spans, slot, slots)
}

/// The value at the end of each slot.
pub fn held(steps: &Steps, slot: u64, slots: usize) -> Vec<f64> {
    let at = |cycle: u64| {
        let after = steps.partition_point(|step| step.0 <= cycle);
        after.checked_sub(1).map_or(0.0, |place| f64::from(steps[place].1))
    };
    (1..=slots as u64).map(|end| at(end * slot)).collect()
}

/// The share of each slot for which a processor ran threads, in per cent.
pub fn user(load: &Load, processor: u8, slot: u64, slots: usize) -> Vec<f64> {
    let own = load.user.iter().filter(|span| span.0 == processor);
    spread(own.map(|&(_, from, to)| (from, to, 100.0)), slot, slots)
}

/// Gives each slot the value of every span, as much of it as lies in the slot.
fn spread(spans: impl Iterator<Item = (u64, u64, f64)>, slot: u64, slots: usize) -> Vec<f64> {
    let slot = slot.max(1);
    let mut sums = vec![0.0; slots];
    for (from, to, value) in spans {
        let to = to.min(slot * slots as u64);
        let mut at = from;
        while at < to {
            let index = at / slot;
            let end = to.min((index + 1) * slot);
            sums[index as usize] += value * (end - at) as f64 / slot as f64;
            at = end;
        }
    }
    sums
}

/// The mean of each slot and those before it, `width` in all: what is known when the slot is over.
/// Before the start there was nothing.
pub fn trailing(values: &[f64], width: usize) -> Vec<f64> {
    windows(values, width, width)
}

/// The mean of `width` slots in whose middle each slot is, of which the later half is known only
/// afterwards.
pub fn centred(values: &[f64], width: usize) -> Vec<f64> {
    windows(values, width, width.div_ceil(2))
}

/// The mean of `width` slots, of which so many are `before` the end of each slot.
fn windows(values: &[f64], width: usize, before: usize) -> Vec<f64> {
    let width = width.max(1);
    let mut sums = vec![0.0];
    for value in values {
        sums.push(sums[sums.len() - 1] + value);
    }
    let mean = |place: usize| {
        let from = (place + 1).saturating_sub(before);
        let to = (place + 1 + width).saturating_sub(before).min(values.len());
        (sums[to] - sums[from]) / width as f64
    };
    (0..values.len()).map(mean).collect()
}

/// What passed between two processors in each period: messages, or their bytes, as `of` says.
pub fn link(messages: &[Message], ends: (u8, u8), period: u64, periods: usize, of: fn(&Message) -> u64) -> Vec<f64> {
    let mut sums = vec![0u64; periods];
    let is_there = |one: &&Message| one.processors == ends || one.processors == (ends.1, ends.0);
    for one in messages.iter().filter(is_there) {
        if let Some(sum) = sums.get_mut((one.cycle / period.max(1)) as usize) {
            *sum += of(one);
        }
    }
    sums.into_iter().map(|sum| sum as f64).collect()
}

/// What a collector that is told once a period knows at the end of each slot: the last whole period.
/// A period has `width` slots.
pub fn sampled(periods: &[f64], width: usize, slots: usize) -> Vec<f64> {
    let known = |slot: usize| ((slot + 1) / width.max(1)).checked_sub(1).and_then(|period| periods.get(period));
    (0..slots).map(|slot| known(slot).copied().unwrap_or(0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stay(thread: u16, processor: u8, from: u64, to: u64) -> Stay {
        Stay { thread, processor, from, to }
    }

    #[test]
    fn stays_are_counted_where_they_are() {
        let stays = [stay(1, 1, 0, 100), stay(2, 1, 10, 40), stay(2, 2, 40, 90), stay(3, 1, 40, 60)];
        assert_eq!(count(&stays, 1), [(0, 1), (10, 2), (60, 1), (100, 0)]);
        assert_eq!(count(&stays, 2), [(0, 0), (40, 1), (90, 0)]);
        assert_eq!(changes(&stays), 8);
        let steps = count(&stays, 1);
        assert_eq!(means(&steps, 20, 6), [1.5, 2.0, 2.0, 1.0, 1.0, 0.0]);
        assert_eq!(held(&steps, 20, 6), [2.0, 2.0, 1.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn user_time_is_shared_out_to_slots() {
        let load = Load { user: vec![(1, 5, 15), (2, 0, 100), (1, 18, 45)], ..Load::default() };
        assert_eq!(user(&load, 1, 10, 4), [50.0, 70.0, 100.0, 100.0]);
    }

    #[test]
    fn trailing_windows_lag_by_half_their_width_and_centred_ones_do_not() {
        let mut values = vec![0.0; 40];
        values[20] = 10.0;
        let middle = |values: &[f64]| {
            let weight: f64 = values.iter().sum();
            assert!((weight - 10.0).abs() < 1e-9, "the mean of all stays");
            values.iter().enumerate().map(|(place, value)| place as f64 * value).sum::<f64>() / weight
        };
        for width in [1, 5, 9] {
            let half = (width - 1) as f64 / 2.0;
            assert!((middle(&trailing(&values, width)) - 20.0 - half).abs() < 1e-9);
            assert!((middle(&centred(&values, width)) - 20.0).abs() < 1e-9);
        }
        // An even window has no slot in its middle.
        assert!((middle(&centred(&values, 10)) - 19.5).abs() < 1e-9);
        assert_eq!(trailing(&[4.0, 8.0], 4), [1.0, 3.0]);
    }

    #[test]
    fn links_have_two_directions_and_samples_are_late() {
        let message =
            |cycle, from, to, bytes| Message { cycle, threads: (1, 2), processors: (from, to), channel: None, bytes };
        let messages = [message(5, 1, 2, 10), message(12, 2, 1, 20), message(15, 1, 3, 40), message(31, 1, 2, 80)];
        assert_eq!(link(&messages, (1, 2), 10, 4, |_| 1), [1.0, 1.0, 0.0, 1.0]);
        assert_eq!(link(&messages, (1, 2), 10, 4, |one| one.bytes), [10.0, 20.0, 0.0, 80.0]);
        assert_eq!(sampled(&[7.0, 9.0], 3, 8), [0.0, 0.0, 7.0, 7.0, 7.0, 9.0, 9.0, 9.0]);
    }
}
