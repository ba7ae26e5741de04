// Sections with pictures: what ran, time-line, processors, ready queues, links.

function head() {
  const name = [RUN.program, ...RUN.arguments].join(" ");
  const ended = { exit: "The program came to its end", limit: "The time given was over" }[RUN.stopped] ?? "The run is not complete";
  const codes = RUN.exits.map(({ processor, code }) => ` with code ${code} on ${processor}`).join(",");
  const after = RUN.complete ? ` after ${lengths(RUN.cycles)} of machine time` : "";
  return [
    h("h1", {}, name),
    h("p", { class: "verdict" }, `${ended}${codes}${after}.`),
    h(
      "div",
      { class: "bar" },
      h(
        "fieldset",
        {},
        h("legend", {}, "Show times as"),
        [
          ["time", "machine time"],
          ["cycles", "cycles"],
        ].map(([value, text]) =>
          h(
            "label",
            { class: "switch" },
            h("input", { type: "radio", name: "unit", value, checked: unit === value, onchange: () => setUnit(value) }),
            text,
          ),
        ),
      ),
    ),
  ];
}

function setUnit(value) {
  unit = value;
  $("head").querySelector(".verdict").replaceWith(head()[1]);
  refill();
  redraw();
}

const fact = (name, value, more) => [h("div", {}, h("dt", {}, name), h("dd", {}, value, more && h("small", {}, more)))];

function overview() {
  const { machine } = RUN;
  const instructions = RUN.instructions.reduce((sum, count) => sum + count, 0);
  const events = Object.values(D.counts)
    .flat()
    .reduce((sum, count) => sum + count, 0);
  const part = RANGE.from > 0 || RANGE.to < (RUN.complete ? RUN.cycles : RANGE.to);
  return [
    part &&
      notice("warn", `This page shows a part of the run: ${moment(RANGE.from)} to ${moment(RANGE.to)}, ${lengths(RANGE.to - RANGE.from)}.`),
    h(
      "dl",
      { class: "facts" },
      fact("Program", RUN.program, RUN.arguments.length ? `arguments: ${RUN.arguments.join(" ")}` : "without arguments"),
      fact("Machine", machine.name, `${plural(machine.processors.length, "processor")}: ${machine.processors.join(", ")}`),
      fact(
        "Kernel",
        RUN.kernel === "tos94" ? "tos94" : "default",
        RUN.kernel === "tos94" ? "messages wait for the main loop, as in the report" : "messages are served when they arrive",
      ),
      fact("Engine", RUN.engine || "not said", `seed ${RUN.seed}`),
      fact("Clock", `${short(CLOCK / 1e6)} MHz`, `time-stamps are exact to ${machineTime(TICK)} (${cycleText(TICK)})`),
      fact("Machine time", machineTime(RANGE.to - RANGE.from), cycleText(RANGE.to - RANGE.from)),
      fact(
        "Events",
        grouped(events),
        A
          ? `${plural(A.probe.test_cycles + A.probe.store_cycles, "cycle")} each, ${A.probe.measured ? "measured in this run" : "by the time of their instructions"}`
          : null,
      ),
      fact(
        "Instructions",
        instructions ? grouped(instructions) : "not counted",
        RUN.wall_seconds ? `simulated in ${short(RUN.wall_seconds)} s` : null,
      ),
      fact("Memory", `${grouped(machine.ram_bytes / 1024)} KiB`, "on each processor"),
    ),
    reliability(),
  ];
}

/** What to know before one believes the figures. */
function reliability() {
  const doubts = A?.uncertainty;
  const wrong = [
    ...D.imbalances.map((text) => `The ledger does not balance: ${text}.`),
    ...D.damage.map((text) => `Damaged file: ${text}.`),
    !RUN.complete && "The run did not come to its end; this is a prefix of it.",
    ...D.torn.map((text) => `Cut off: ${text}.`),
  ].filter(Boolean);
  const missing = [
    doubts?.gaps &&
      `Discarded by full queues: ${plural(doubts.discarded, "event")}, in ${plural(doubts.gaps, "place")}. What went on there is left out, not guessed.`,
    doubts?.ambiguous && `Without a proven time, and left out: ${plural(doubts.ambiguous, "event")}.`,
    doubts?.doubtful && `Left out since they follow a loss and may be misread: ${plural(doubts.doubtful, "event")}.`,
    doubts?.deviations && `Not what the protocols allow: ${plural(doubts.deviations, "event")}; \`testbed conform\` lists them.`,
    RUN.stopped === "limit" && "The run was cut before its program had ended; `testbed conform` lists who waited then.",
    D.not_analysed && `Not recorded: what any analysis needs. Run the program again with \`--dgl ${D.not_analysed}\`.`,
    ...(A?.not_recorded ?? []).map(
      ([kind, option]) => `Not recorded: what the analysis “${kind}” needs. Run the program again with \`--dgl ${option}\`.`,
    ),
    ...(A?.run.classes_missing ?? []).map((text) => `Not recorded: ${text}.`),
    ...D.left_out,
    D.timeline.resolution_cycles &&
      `Time-line: what lies within ${lengths(D.timeline.resolution_cycles)} may be merged into shares; \`testbed report --from TIME --to TIME\` shows a part of the run exactly.`,
  ].filter(Boolean);
  const recorded =
    D.classes
      .filter((one) => one.recorded)
      .map((one) => one.name)
      .join(", ") || "none";
  return [
    h("h3", {}, "How far to trust it"),
    A &&
      !wrong.length &&
      !doubts.gaps &&
      !doubts.ambiguous &&
      notice("good", `No event was lost, and every time-stamp is proven${missing.length ? "." : "; nothing is left out."}`),
    wrong.length > 0 && notice("bad", list(wrong)),
    missing.length > 0 && notice("warn", list(missing)),
    folded(
      `Event classes recorded: ${recorded}`,
      table(
        "What each class of events tells",
        ["class", "recorded", ["what it tells", "wrap"]],
        D.classes.map(({ name, recorded, tells }) => [name, recorded ? "yes" : "no", tells]),
      ),
    ),
  ];
}

function processors() {
  if (!A?.cpu) return missing("what processors did");
  const total = RANGE.to - RANGE.from;
  const names = D.words.doing.filter((name) => A.cpu.processors.some(({ cycles }) => cycles[name]));
  return [
    h("p", { class: "soft" }, `Shares of ${lengths(total)}. The master (${processorName(0)}) has no monitor.`),
    legend(names, DOING),
    h(
      "div",
      { class: "named" },
      A.cpu.processors.map(({ processor, cycles }) => [
        h("span", {}, processorName(processor)),
        stack(
          names.map((name) => [name, cycles[name] ?? 0]),
          total,
          `${processorName(processor)}: ${names
            .filter((name) => cycles[name])
            .map((name) => `${name} ${percent(cycles[name], total)}`)
            .join(", ")}`,
        ),
        h("span", {}, `user ${percent(cycles.user ?? 0, total) || "0 %"}`),
      ]),
    ),
    table(
      "Per cent of the time",
      ["processor", ...names],
      A.cpu.processors.map(({ processor, cycles }) => [
        processorName(processor),
        ...names.map((name) => percent(cycles[name] ?? 0, total)),
      ]),
    ),
  ];
}

const missing = (what) => h("p", {}, `The run has not recorded ${what}; see “How far to trust it” for the option that does.`);

function queues() {
  if (!A?.queues) return missing("ready queues");
  const { processors, window_cycles, source } = A.queues;
  const most = Math.max(1, ...processors.map(({ max }) => max));
  const total = RANGE.to - RANGE.from;
  const fixed = (number) => (number === null ? "unknown" : number.toFixed(4));
  return [
    h(
      "p",
      { class: "soft" },
      `How many threads wait to run, the running one not counted; means over ${lengths(window_cycles)}, and the longest within. `,
      source === "ready" ? "From the queues' own events (class ready)." : "From the states of threads (class profile).",
    ),
    h(
      "ul",
      { class: "legend" },
      h("li", {}, h("span", { class: "swatch", style: { "background-color": "var(--user)" } }), "mean"),
      h("li", {}, h("span", { class: "swatch line", style: { "border-color": "var(--request)" } }), "longest"),
    ),
    h(
      "div",
      { class: "grid" },
      processors.map((queue) =>
        h(
          "div",
          { class: "card" },
          h("h3", {}, processorName(queue.processor)),
          queueArea(queue, most, window_cycles),
          h("div", { class: "ends" }, h("span", {}, moment(RANGE.from)), h("span", {}, `top: ${most}`), h("span", {}, moment(RANGE.to))),
        ),
      ),
    ),
    table(
      "Ready queues",
      ["processor", "mean", "longest", "perhaps besides", "changes", "empty", "unknown"],
      processors.map((queue) => [
        processorName(queue.processor),
        fixed(queue.mean),
        queue.max,
        fixed(queue.untold_mean),
        grouped(queue.changes),
        percent(queue.cycles_by_length[0] ?? 0, total),
        percent(queue.unknown_cycles, total),
      ]),
    ),
    h("p", { class: "soft" }, "“Perhaps besides”: threads in a call of which no event tells; they may be ready too."),
    omitted(A.queues.contradictions, "Events that contradict what a queue held"),
  ];
}

function queueArea({ processor, windows, window_max, mean, max }, most, window) {
  const count = windows.length;
  const up = (value) => 1 - value / most;
  const steps = (values, to) => values.map((value, x) => `L${x} ${up(value)}L${x + 1} ${up(value)}`).join("") + to;
  const lost = windows.map((value, x) => (value === null ? picture("rect", { x, y: 0, width: 1, height: 1, class: "lost" }) : null));
  const area = picture(
    "svg",
    {
      class: "area",
      viewBox: `0 -0.04 ${count} 1.08`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `Ready queue of ${processorName(processor)}: mean ${mean === null ? "unknown" : mean.toFixed(3)}, longest ${max}`,
    },
    lost,
    picture("path", {
      class: "mean",
      d: `M0 1${steps(
        windows.map((value) => value ?? 0),
        `L${count} 1Z`,
      )}`,
    }),
    picture("path", { class: "most", d: `M0 ${up(window_max[0] ?? 0)}${steps(window_max, "")}` }),
  );
  area.addEventListener("pointermove", (event) => {
    const x = Math.min(
      count - 1,
      Math.max(0, Math.floor(((event.clientX - area.getBoundingClientRect().left) / area.clientWidth) * count)),
    );
    const value = windows[x] === null ? "length unknown" : `mean ${windows[x].toFixed(3)}, longest ${window_max[x]}`;
    area.dataset.tip = `${processorName(processor)}, from ${moment(RANGE.from + x * window)}\n${value}`;
  });
  return area;
}

function links() {
  if (!A?.links) return missing("packets between processors");
  const found = A.links.links;
  const count = (counts) => Object.values(counts).reduce((sum, one) => sum + one, 0);
  const to = ({ to }) => (to === null ? "all others" : processorName(to));
  const kinds = (counts) =>
    Object.entries(counts)
      .map(([name, one]) => `${name} ${grouped(one)}`)
      .join(", ");
  const windows = found.reduce((sums, { windows }) => windows.map((one, x) => one + (sums[x] ?? 0)), []);
  const most = Math.max(1, ...windows);
  const window = A.links.window_cycles;
  return [
    h("p", { class: "soft" }, `Packets handed to the bus in each ${lengths(window)}, all links together; at most ${grouped(most)}.`),
    h(
      "div",
      { class: "hist", role: "img", "aria-label": `Packets over time: at most ${most} in ${lengths(window)}` },
      windows.map((one, x) =>
        h("i", {
          style: { height: `${(100 * one) / most}%` },
          "data-tip": `From ${moment(RANGE.from + x * window)}\n${plural(one, "packet")}`,
        }),
      ),
    ),
    h("div", { class: "ends" }, h("span", {}, moment(RANGE.from)), h("span", {}, moment(RANGE.to))),
    table(
      "Links: messages received whole, packets sent and served, and how long packets took from hand-over to service",
      [["link", "l"], "messages", "packets", "served", "median flight", "longest", ["packets by type", "wrap"]],
      found.map((link) => [
        `${processorName(link.from)} → ${to(link)}`,
        grouped(link.communications),
        link.from === 0 ? "not known" : grouped(count(link.sent)),
        grouped(count(link.served)),
        link.flights ? length(link.flights.median_cycles) : "",
        link.flights ? length(link.flights.max_cycles) : "",
        kinds(count(link.sent) ? link.sent : link.served),
      ]),
    ),
    h(
      "p",
      { class: "soft" },
      unitNote(),
      " A broadcast is sent once, to all others, and served by each. The service of create, created, exited, process and file has no event.",
    ),
    omitted(A.links.omitted, "Left out"),
  ];
}

const unitNote = () => (unit === "time" ? "Lengths are machine time." : "Lengths are machine cycles.");

function omitted(reasons, title) {
  const rows = Object.entries(reasons);
  return rows.length > 0 && notice("warn", `${title}:`, list(rows.map(([reason, count]) => `${plural(count, "time")}: ${reason}`)));
}
