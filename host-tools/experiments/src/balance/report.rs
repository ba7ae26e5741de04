//! What the report (ECS-CSG-3-94) says in its section 4: Tables 8 and 9, and its figures.

/// Table 8: metric; event driven, cost, relevant, timeliness.
pub const TABLE_8: [(&str, [&str; 4]); 4] = [
    ("N-THREADS", ["yes", "low", "no", "guaranteed"]),
    ("RQ-LENGTH", ["yes", "high", "yes", "guaranteed"]),
    ("CPU-TIME", ["yes", "very high", "perhaps", "guaranteed"]),
    ("REM-COMM", ["sampling", "low", "yes", "depends"]),
];

/// A line of Table 9, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    pub sequential: Option<f64>,
    pub random: f64,
    pub balancing: f64,
}

/// Table 9, in the order of its lines.
pub const TABLE_9: [Times; 4] = [
    Times { sequential: Some(54.0), random: 15.0, balancing: 21.0 },
    Times { sequential: Some(72.0), random: 41.0, balancing: 35.0 },
    Times { sequential: Some(93.0), random: 183.0, balancing: 126.0 },
    Times { sequential: None, random: 900.0, balancing: 550.0 },
];

/// What the report says of a figure, and its title.
const FIGURES: [(u8, &str, &str); 22] = [
    (33, "N-THREADS: threads on each processor", "About 100 events in 33 s. It says nothing of who competes for processors: neither the phases nor the time between them can be seen."),
    (34, "RQ-LENGTH: length of the ready queues", "About 16,800 events in 33 s, 500 a second. The running thread is counted. The four phases that compute stand out; the pattern of communication does not show."),
    (35, "CPU-TIME: user time in 20 ms", "About 615 events a second, too many for the master to take in real time."),
    (36, "CPU-TIME: user time in 200 ms", "The same over the preceding ten periods of 20 ms."),
    (37, "CPU-TIME: user time in 2 s", "The same over the preceding hundred: its peaks are about two seconds behind those of Figure 35."),
    (38, "REM-COMM: communication on each link in a second", "Twenty events a second. A peak where the work is distributed, small ones from phases 3 and 4, large ones from phases 7 and 8. Lengths of messages don't show."),
    (42, "Ready queues, 20 compute-bound threads", "Earth’s queue builds up, and then loses a thread each second; after about 17 seconds the load is level."),
    (43, "Links, 20 compute-bound threads", "Hardly any: a burst from 2 to 18 s, of migrations and the pages that follow."),
    (44, "Migrations, 20 compute-bound threads", "All of them lead away from earth, to the others in turn; none leads back."),
    (45, "Ready queues, 20 communicating pairs", "Level only after 30 seconds."),
    (46, "Links, 20 communicating pairs", "Balanced within about 20 messages a second; 1-3, 1-4, 1-5 and 2-3 end up with no traffic at all."),
    (47, "Migrations, 20 communicating pairs", "Most in the first 30 seconds; several lead back from space and air."),
    (48, "Ready queues, 20 mixed threads", "Very similar to that of communicating threads."),
    (50, "Ready queues, adder", "Below the balancer’s threshold: a tenth of those before."),
    (51, "Links, adder", "From 15 s on all but 1-2, 2-5, 3-5 and 1-5 have no traffic; requests to mend these found no thread."),
    (52, "Migrations, adder", "Between 1 and 12 s."),
    (53, "Fish and sharks, wator", "Booms and busts, followed by those of the sharks."),
    (54, "Ready queues, wator without balancing", "The region with most fish has the longest queue; one busy processor holds up the others."),
    (55, "Links, wator without balancing", "Peaks and troughs, since a period has a step of the simulation or two."),
    (56, "Ready queues, wator with balancing", "Shorter on average than without."),
    (57, "Links, wator with balancing", "More traffic than without."),
    (58, "Migrations, wator", "Highly dynamic: no steady state is reached, and threads move until the end."),
];

/// Title of a figure and what the report says of it.
pub fn figure(number: u8) -> (&'static str, &'static str) {
    FIGURES.iter().find(|figure| figure.0 == number).map_or(("", ""), |figure| (figure.1, figure.2))
}
