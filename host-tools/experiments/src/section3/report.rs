//! What the report (ECS-CSG-3-94) says: values of its section 3, Tables 6 and 7, and the captions of Figures 24 to 27.

/// Instructions in a millisecond of the report's processor (about 1.2 MIPS).
pub const INSTRUCTIONS_A_MS: f64 = 1_200.0;
/// A time-slice, in milliseconds: the report's and ours.
pub const SLICE_MS: f64 = 20.0;
/// Bytes of a page, which the copy of a message crosses in steps.
pub const PAGE_BYTES: f64 = 1024.0;
/// Bytes of the KB in which Table 6 counts: the captions of Figures 24 and 25 have its coefficients
/// for bytes, divided by 1,000.
pub const KB: f64 = 1000.0;

/// A line of Table 6, in milliseconds; n in KB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Service {
    pub name: &'static str,
    pub figure: u8,
    /// Milliseconds a KB.
    pub slope: Option<f64>,
    pub intercept: f64,
    pub below: f64,
    pub above: f64,
}

/// Table 6.
pub const SERVICES: [Service; 4] = [
    Service {
        name: "local communication",
        figure: 24,
        slope: Some(1.95),
        intercept: 1.025,
        below: 0.275,
        above: 0.275,
    },
    Service { name: "remote communication", figure: 25, slope: Some(2.77), intercept: 7.35, below: 0.35, above: 0.35 },
    Service { name: "thread migration", figure: 26, slope: None, intercept: 8.4, below: 0.5, above: 0.5 },
    Service { name: "remote page copy", figure: 27, slope: None, intercept: 16.9, below: 3.0, above: 15.3 },
];

/// Table 7: project, service, milliseconds; and which line of Table 6 is nearest, with a message of
/// so many bytes if it has any.
pub const OTHERS: [(&str, &str, f64, u8, f64); 8] = [
    ("Charlotte", "local communication (1 byte)", 10.0, 24, 1.0),
    ("Charlotte", "remote communication (1 byte)", 23.0, 25, 1.0),
    ("Charlotte", "migrate process (32K)", 240.0, 26, 0.0),
    ("Emerald", "migrate process (600 bytes)", 40.0, 26, 0.0),
    ("MMK", "local communication (5K)", 13.0, 24, 5.0 * KB),
    ("MMK", "remote communication (5K)", 56.0, 25, 5.0 * KB),
    ("Sprite", "remote communication (5K)", 10.0, 25, 5.0 * KB),
    ("Sprite", "migrate Unix process", 300.0, 26, 0.0),
];

/// The intercepts of the two lines between which a figure's caption traps the latencies, where that
/// contradicts Table 6 (which has 1.025 - 0.275 to 1.025 + 0.275 for Figure 24), in milliseconds.
pub const CAPTIONS: [(u8, f64, f64); 1] = [(24, 0.8, 1.5)];

/// The series of a figure from top to bottom as the report shows them, by the names of our queries.
/// Neighbours that the report calls "virtually the same" are not listed as ordered.
pub const ORDERS: [(u8, &[&str]); 6] = [
    (10, &["send request", "receive request"]),
    (11, &["send request", "receive request"]),
    (12, &["rtr", "msg", "focus"]),
    (15, &["receiver", "sender"]),
    (16, &["packing", "unpacking"]),
    (17, &["page flight", "request flight", "fault, to the request's departure"]),
];

/// What the report says of a figure, and its title.
pub const FIGURES: [(u8, &str, &str); 19] = [
    (9, "Service of a local send", "Linear with the message's length; two lines, since a timer interrupt falls into some services and adds 0.25 ms."),
    (10, "Services of local requests, corrected", "Without timer interrupts: linear for the send, with pairs of steps every 1,024 bytes where the copy crosses pages; constant for the receive."),
    (11, "Services of remote requests", "Constant: 1.2 ms for a send, 0.45 ms for a receive; blips of 0.25 ms from timer interrupts."),
    (12, "Services of messages", "rtr and msg linear, since each copies the message (about 4.5 and 3.5 ms for 1 KB); focus constant."),
    (13, "Flights, from queueing to service", "focus and rtr constant at about 1.5 ms; msg varies by up to a time-slice of 20 ms."),
    (14, "msg: queueing and pure flight", "Queueing varies by up to 20 ms, until the timer preempts the sender; pure flight is linear (about 3 ms for 1 KB)."),
    (15, "Delays of sender and receiver", "The sender's linear; the receiver's varies as the msg's flight does."),
    (16, "Migration: packing, flight, unpacking", "Constant: packing 3.4 ms, flight and unpacking about 2.5 ms each."),
    (17, "Pages: fault, request flight, page flight", "Fault to departure of the request constant, about 2 ms; request flight more variable; page flight the most variable, about 12 ms."),
    (18, "Threads, processors and channels of multi-phase", "Five threads on each of five slaves; horizontal channels are remote, vertical ones local; thread 1 releases each phase."),
    (19, "Length of the ready queues", "Eight humps, one a phase; between them only thread 1 runs."),
    (20, "Send requests in 50 ms", "Few while the program computes; most in phases 5 and 6 (local), fewer and longer in 7 and 8 (remote)."),
    (21, "Latency of sends", "Longer in remote phases than in local ones."),
    (22, "Distribution of latencies in phases 6 and 8", "Local 1 to 3 ms, predictable; remote 10 to 130 ms, variable."),
    (23, "Pathways of events", "28,000 pairs a second and slave could be collected; the logger sustained 1,100 in all."),
    (24, "Latency of a local send", "1.95 n + 1.025 ms, ±0.275 (n in KB) by Table 6; between 1.95 n + 0.8 and 1.95 n + 1.5 by the figure's caption, which is drawn."),
    (25, "Latency of a remote send", "2.77 n + 7.35 ms, ±0.35 (n in KB)."),
    (26, "Latency of a migration", "8.4 ms, ±0.5."),
    (27, "Latency of a remote page copy", "16.9 ms, +15.3 -3."),
];

/// The intercepts of the bounds that the report draws in a figure of [`SERVICES`], in milliseconds.
pub fn bounds(service: &Service) -> (f64, f64) {
    let caption = CAPTIONS.iter().find(|caption| caption.0 == service.figure);
    caption
        .map_or((service.intercept - service.below, service.intercept + service.above), |&(_, low, high)| (low, high))
}

/// Title of a figure and what the report says of it.
pub fn figure(number: u8) -> (&'static str, &'static str) {
    FIGURES.iter().find(|figure| figure.0 == number).map_or(("", ""), |figure| (figure.1, figure.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The captions of Figures 24 to 27, to the letter.
    #[test]
    fn the_bounds_are_those_of_the_captions() {
        let drawn = SERVICES.each_ref().map(bounds);
        let expected = [(0.8, 1.5), (7.0, 7.7), (7.9, 8.9), (13.9, 32.2)];
        for ((low, high), (wanted_low, wanted_high)) in drawn.into_iter().zip(expected) {
            assert!((low - wanted_low).abs() < 1e-9 && (high - wanted_high).abs() < 1e-9, "{drawn:?}");
        }
    }
}
