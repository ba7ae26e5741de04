//! Why each figure is as it is, in a few sentences with its numbers.

use itertools::Itertools;
use testbed_trace::analysis::protocol::{Phase, Protocol};
use testbed_trace::capture::KernelKind;

use super::effects::{extent, interrupted, steps};
use super::material::{Found, Material};
use super::multi_phase::latencies_of_phase;
use super::report;
use crate::fit;
use crate::model::Fit;

/// What the quiet runs show, of the default kernel and of `tos94`.
struct Both<'a> {
    material: &'a Material,
    default: Option<&'a Found<'a>>,
    tos94: Option<&'a Found<'a>>,
}

/// The sentences of a figure, from the quiet runs.
pub fn explain(material: &Material, figure: u8, found: &[Found]) -> String {
    let quiet = |kernel| found.iter().find(|found| found.kernel == kernel && !found.is_busy);
    let both = Both { material, default: quiet(KernelKind::Default), tos94: quiet(KernelKind::Tos94) };
    let text = match figure {
        9 => both.local_send(),
        10 => both.local_corrected(),
        11 => both.requests(),
        12 => both.services(),
        13 => both.flights(),
        14 => both.msg(),
        15 => both.delays(),
        16 => both.migration(),
        17 => both.pages(),
        19 => both.queues(),
        20 => both.sends(),
        21 => both.latencies(),
        22 => both.distributions(),
        24 | 25 => both.linear(figure),
        26 | 27 => both.constant(figure),
        _ => None,
    };
    let text = text.unwrap_or_default();
    match both.inverted(figure) {
        Some(remark) if !text.is_empty() => format!("{text} {remark}"),
        _ => text,
    }
}

/// Groups of values beyond this number are no groups but a spread.
const GROUPS_MAX: usize = 6;

impl Both<'_> {
    fn line(&self, found: Option<&Found>, series: &str) -> Option<Fit> {
        fit::line(series, found?.series(series))
    }

    /// Mean of a series, in cycles.
    fn mean(&self, found: Option<&Found>, series: &str) -> Option<f64> {
        Some(fit::constant(series, found?.series(series))?.intercept)
    }

    /// Median latency of the sends in a phase of `multi-phase`, in milliseconds.
    fn median_of_phase(&self, found: Option<&Found>, phase: usize) -> Option<f64> {
        let observed = &found?.source.observed;
        let latencies = latencies_of_phase(observed, &observed.subject(), phase).ok()?;
        Some(self.ms(fit::median(latencies.into_iter().map(|latency| latency as f64))?))
    }

    /// A remark where the series of a figure lie in another order than the report's, by their means on
    /// the default kernel, with the same of `tos94`.
    fn inverted(&self, figure: u8) -> Option<String> {
        let (_, order) = report::ORDERS.iter().find(|one| one.0 == figure)?;
        let mut remarks = order.iter().copied().tuple_windows().filter_map(|(upper, lower)| {
            let mean = |found, series| self.mean(found, series);
            let (above, below) = (mean(self.default, upper)?, mean(self.default, lower)?);
            let old = mean(self.tos94, upper).zip(mean(self.tos94, lower));
            let old = match old {
                Some((above, below)) if above < below => "; so it does with tos94",
                Some(_) => "; with tos94 the order is the report's",
                None => "",
            };
            (above < below).then(|| {
                format!(
                    "The order is inverted against the report's: there {upper} lies above {lower}, here {upper} takes {above:.0} cycles on \
                     average and {lower} {below:.0}{old}."
                )
            })
        });
        let remarks = remarks.join(" ");
        (!remarks.is_empty()).then_some(remarks)
    }

    fn us(&self, cycles: f64) -> String {
        format!("{cycles:.0} cycles ({:.1} µs)", self.material.microseconds(cycles))
    }

    fn ms(&self, cycles: f64) -> f64 {
        self.material.milliseconds(cycles)
    }

    fn local_send(&self) -> Option<String> {
        let fit = self.line(self.default, "send request")?;
        let (count, hit, _) = interrupted(&self.default?.source.observed, Protocol::Local, Phase::SecondRequest);
        Some(format!(
            "Linear, since the receiver is there first and the send copies the message: {:.3} cycles a byte after {}. It is one line and not two: \
             {hit} of {count} services, the empty message's too, contain a timer interrupt, which the kernel takes between services only.",
            fit.slope,
            self.us(fit.intercept)
        ))
    }

    fn local_corrected(&self) -> Option<String> {
        let found = self.default?;
        let fit = self.line(self.default, "send request")?;
        let jumps = steps(found.series("send request"), f64::from(self.material.tick_cycles));
        let receive = self.mean(self.default, "receive request")?;
        let what = match jumps.places.len() {
            0 => "no step is higher than a tick of the clock".into(),
            count => format!(
                "{count} steps of {:.0} cycles on average, {:.1} for each 1,024 bytes, where the copy goes on to another page of either buffer",
                jumps.height, jumps.a_page
            ),
        };
        Some(format!(
            "Without what the kernel's own events cost: {:.3} cycles a byte (R² {:.5}), and {what}. The receive, which comes first, copies nothing and is constant: {}.",
            fit.slope,
            fit.r2.unwrap_or(0.0),
            self.us(receive)
        ))
    }

    fn requests(&self) -> Option<String> {
        let found = self.default?;
        let (least, most) = extent(found.series("send request"));
        let mut receives =
            [("default", self.default), ("tos94", self.tos94)].into_iter().filter_map(|(kernel, found)| {
                let (least, most) = extent(found?.series("receive request"));
                Some(match least == most {
                    true => format!("always {least:.0} cycles ({kernel})"),
                    false => format!("{least:.0} to {most:.0} cycles ({kernel})"),
                })
            });
        Some(format!(
            "No copy is made here. A send takes {least:.0} to {most:.0} cycles, a step more for each page of the message, since the kernel looks up all of them before it \
             promises anything; a receive, which looks up all pages of its buffer whatever the message has, takes {}. Points lie a tick of the clock (25 cycles) apart.",
            receives.join(", ")
        ))
    }

    fn services(&self) -> Option<String> {
        let rtr = self.line(self.default, "rtr")?;
        let focus = self.mean(self.default, "focus")?;
        let (least, most) = extent(self.default?.series("msg"));
        Some(format!(
            "rtr copies the whole message into packets: {:.3} cycles a byte after {}. A msg of more than 2,028 bytes comes in several packets, each copied when it \
             arrives, and the figure shows the last one's service ({least:.0} to {most:.0} cycles): hence the saw-tooth. focus is constant: {}.",
            rtr.slope,
            self.us(rtr.intercept),
            self.us(focus)
        ))
    }

    fn flights(&self) -> Option<String> {
        let (focus, rtr) = (self.mean(self.default, "focus")?, self.mean(self.default, "rtr")?);
        let (least, most) = extent(self.tos94?.series("msg"));
        Some(format!(
            "focus and rtr have the same few bytes always: {} and {}. msg grows with the message while that is one packet; the last one of several waits for those before it. \
             With tos94 a msg is on its way for {:.2} to {:.2} ms, since it waits for the sender's processor to come round to its send phase (Figure 14), \
             and the focus behind such a msg takes as long as the msg's own flight.",
            self.us(focus),
            self.us(rtr),
            self.ms(least),
            self.ms(most)
        ))
    }

    fn msg(&self) -> Option<String> {
        let (_, default) = extent(self.default?.series("queued"));
        let (least, most) = extent(self.tos94?.series("queued"));
        Some(format!(
            "Default kernel: a msg is handed to Centrenet in the service that made it, after {:.3} ms at most. tos94: the sender, which computes, keeps the \
             processor until it calls the kernel or its slice of 20 ms ends, so queueing takes {:.2} to {:.2} ms. Pure flight is linear as long as the message is one \
             packet; the last one of several leaves when those before it, of 2,028 bytes each, have left the station.",
            self.ms(default),
            self.ms(least),
            self.ms(most)
        ))
    }

    fn delays(&self) -> Option<String> {
        let sender = self.line(self.default, "sender")?;
        let receiver = self.line(self.default, "receiver")?;
        let (least, most) = extent(self.tos94?.series("receiver"));
        Some(format!(
            "Sums of the phases before. Sender: {:.3} cycles a byte after {}; receiver, which waits for flight and second copy too: {:.3} after {}. With tos94 the \
             receiver waits {:.2} to {:.2} ms, as the msg's queueing varies.",
            sender.slope,
            self.us(sender.intercept),
            receiver.slope,
            self.us(receiver.intercept),
            self.ms(least),
            self.ms(most)
        ))
    }

    fn migration(&self) -> Option<String> {
        let found = self.default?;
        let of = |series| self.mean(self.default, series);
        let first = found.series("unpacking, first visit");
        let (least, most) = extent(found.series("flight"));
        Some(format!(
            "Packing takes {}, unpacking {}, whatever the thread has; flight {least:.0} to {most:.0} cycles. {} arrivals \
             were the first of their program on a processor, which has to be made known there: unpacking then takes {}. They are shown apart.",
            self.us(of("packing")?),
            self.us(of("unpacking")?),
            first.len(),
            self.us(extent(first).1)
        ))
    }

    fn pages(&self) -> Option<String> {
        let range = |series| {
            let points = self.default?.series(series);
            let (least, most) = extent(points);
            let median = fit::median(points.iter().map(|point| point.1))?;
            Some(format!("{least:.0} to {most:.0} cycles (median {median:.0})"))
        };
        let (_, most) = extent(self.tos94?.series("page flight"));
        Some(format!(
            "Fault until the request leaves: {}; request flight {}; page flight, with locating the page and taking it in, {}. With tos94 a page's flight takes up to {:.1} ms: it waits for the send phase at its owner, as the \
             report explains.",
            range("fault, to the request's departure")?,
            range("request flight")?,
            range("page flight")?,
            self.ms(most)
        ))
    }

    fn queues(&self) -> Option<String> {
        let found = self.default?;
        let mut highest = found.answer.iter().map(|(name, points)| format!("{name} {:.1}", extent(points).1));
        Some(format!(
            "Means of 50 ms; the running thread is not counted. Eight humps, one a phase, longest: {}. Between them only thread 1 runs, and the queues are empty.",
            highest.join(", ")
        ))
    }

    fn sends(&self) -> Option<String> {
        let points = self.default?.series("send requests");
        let all: f64 = points.iter().map(|point| point.1).sum();
        Some(format!(
            "{all:.0} requests in all, at most {:.0} in 50 ms. The phases that compute send only to begin and to end. Phases 5 to 8 send equally many; a phase lasts \
             some 100 ms here and the pauses between them a second, so each is a peak or two where the report's slower machine shows a hump.",
            extent(points).1
        ))
    }

    fn latencies(&self) -> Option<String> {
        let medians = |found| {
            let of = |phase| Some(format!("{:.3}", self.median_of_phase(found, phase)?));
            Some((1..=8).map(of).collect::<Option<Vec<_>>>()?.join(", "))
        };
        Some(format!(
            "From the call to where the sender is ready again. Medians of phases 1 to 8, in ms: {} (tos94: {}). Of equal length, remote sends (3, 4, 7, 8) take longer than \
             local ones (1, 2, 5, 6), as in the report; with the default kernel a short remote one takes less than a long local one. The greatest are waits for the partner's turn on a processor \
             that five threads share. Thread 1, which keeps the phases, is left out.",
            medians(self.default)?,
            medians(self.tos94)?
        ))
    }

    fn distributions(&self) -> Option<String> {
        let median = |found, phase| self.median_of_phase(found, phase);
        Some(format!(
            "Medians: default kernel local {:.2} ms, remote {:.2} ms; tos94 local {:.2} ms, remote {:.2} ms. Four steps of the histogram make a factor of two; all sends of \
             the phases are shown, the report's figure leaves out 5 % of the remote ones.",
            median(self.default, 6)?,
            median(self.default, 8)?,
            median(self.tos94, 6)?,
            median(self.tos94, 8)?
        ))
    }

    /// The groups that latencies fall into, as the end of a sentence; nothing where they spread evenly.
    fn groups(&self, points: &[(f64, f64)]) -> String {
        // Two stamps lie within a tick each.
        let gap = 2.0 * f64::from(self.material.tick_cycles);
        let found = fit::clusters(points.iter().map(|point| point.1), gap);
        if !(2..=GROUPS_MAX).contains(&found.len()) {
            return String::new();
        }
        let groups = found.iter().map(|one| format!("{:.0} ({})", one.mean, one.count)).join(", ");
        format!(", in groups around {groups} cycles (how many in brackets)")
    }

    fn linear(&self, figure: u8) -> Option<String> {
        let series = self.default?.answer.first()?.0;
        let (ours, old) = (self.line(self.default, series)?, self.line(self.tos94, series)?);
        let (what, old_why) = if figure == 24 {
            ("one copy of the message", "")
        } else {
            (
                "one copy into packets; the flight of the msg does not delay the sender",
                ". Its points lie on two lines: where the msg of one send still waits when the next one begins (Figure 14), both leave together, and the \
                 next focus travels behind it",
            )
        };
        Some(format!(
            "Linear: {what}. Default kernel {:.3} cycles a byte after {}, R² {:.5}; tos94 {:.3} after {}, R² {:.5}{old_why}.",
            ours.slope,
            self.us(ours.intercept),
            ours.r2.unwrap_or(0.0),
            old.slope,
            self.us(old.intercept),
            old.r2.unwrap_or(0.0)
        ))
    }

    fn constant(&self, figure: u8) -> Option<String> {
        let of = |found: Option<&Found>| fit::constant("", &found?.answer.first()?.1);
        let (ours, old) = (of(self.default)?, of(self.tos94)?);
        let what = if figure == 26 {
            "Packing, flight and unpacking, until the thread is ready where it has gone; its pages follow as it touches them"
        } else {
            "From the fault to where the thread is ready again"
        };
        Some(format!(
            "{what}. Default kernel {} on average, -{:.0} +{:.0} cycles{}. tos94 \
             {:.2} ms of this machine's time, -{:.2} +{:.2}: there each message waits for the main loop, and the axis, which counts instructions, counts waiting as if it \
             were work.",
            self.us(ours.intercept),
            ours.below,
            ours.above,
            self.groups(&self.default?.answer.first()?.1),
            self.ms(old.intercept),
            self.ms(old.below),
            self.ms(old.above)
        ))
    }
}
