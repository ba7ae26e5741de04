// How long threads wait, and where the time of messages, moving threads and pages goes.

const FIGURES = ["count", "shortest", "median", "90 %", "99 %", "longest", "mean", "net mean"];
const figures = (one) => [
  grouped(one.count),
  length(one.min_cycles),
  length(one.median_cycles),
  length(one.p90_cycles),
  length(one.p99_cycles),
  length(one.max_cycles),
  length(one.mean_cycles),
  length(Math.max(0, one.corrected_mean_cycles)),
];
const NET = "“net” is without what the events themselves cost.";

function latencies() {
  if (!A?.latency) return missing("how long threads wait");
  const { services, channels } = A.latency;
  const name = ({ service }) => capital(D.words.services[service] ?? service);
  const process = ({ process }) => `${processorName(process >> 4)}.${process & 15}`;
  return [
    h(
      "p",
      { class: "soft" },
      "How long threads wait: from a call to where the thread is ready again. Each step of a picture is longer by the same factor.",
    ),
    services.length === 0 && h("p", {}, "No thread has waited for anything that events tell of."),
    h(
      "div",
      { class: "grid" },
      services
        .filter(({ ready }) => ready)
        .map((one) =>
          h(
            "div",
            { class: "card" },
            h("h3", {}, name(one)),
            h("div", { class: "soft" }, `${plural(one.ready.count, "wait")}; median ${lengths(one.ready.median_cycles)}`),
            histogram(name(one), one.bars),
          ),
        ),
    ),
    services.length > 0 &&
      table(
        "From the call to where the thread is ready, and to where it runs",
        [["waits", "l"], ["until", "l"], ...FIGURES],
        services.flatMap((one) =>
          [one.ready && [name(one), "ready", ...figures(one.ready)], one.runs && [name(one), "runs", ...figures(one.runs)]].filter(Boolean),
        ),
      ),
    h("p", { class: "soft" }, unitNote(), " ", NET),
    services.some((one) => one.ready_unknown > 0) &&
      notice(
        "warn",
        list(
          services
            .filter((one) => one.ready_unknown)
            .map(
              (one) =>
                `${name(one)}: of ${plural(one.ready_unknown, "wait")} no event says when they were over; they count in “runs” only.`,
            ),
        ),
      ),
    channels.length > 0 &&
      folded(
        `By channel (${plural(channels.length, "row")})`,
        table(
          "From the call to where the thread is ready, by channel",
          [["process and channel", "l"], ["waits", "l"], ...FIGURES],
          channels.map((one) => [`${process(one)}, channel ${one.channel}`, name(one), ...figures(one.ready)]),
        ),
      ),
    omitted(A.latency.omitted, "Waits that are left out"),
  ];
}

function histogram(name, bars) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const label = `Histogram of ${name}: ${bars
    .filter(({ count }) => count)
    .map((bar) => `${grouped(bar.count)} from ${length(bar.from_cycles)} to ${length(bar.to_cycles)}`)
    .join("; ")}`;
  return [
    h(
      "div",
      { class: "hist", role: "img", "aria-label": label },
      bars.map((bar) =>
        h("i", {
          style: { height: bar.count ? `max(2px, ${(100 * bar.count) / most}%)` : "0" },
          "data-tip": `${lengths(bar.from_cycles)} to ${lengths(bar.to_cycles)}\n${plural(bar.count, "wait")}`,
        }),
      ),
    ),
    h(
      "div",
      { class: "ends" },
      h("span", {}, bars.length ? length(bars[0].from_cycles) : ""),
      h("span", {}, bars.length ? length(bars[bars.length - 1].to_cycles) : ""),
    ),
  ];
}

const phaseName = (phase) => capital(D.words.phases[phase]?.[0] ?? phase);
const AWAITS = new Set(["partner_awaited", "sender_awaited", "receiver_awaited"]);
const kindOf = (phase) => (AWAITS.has(phase) ? "wait" : phase.endsWith("flight") ? "flight" : "");

function phases() {
  if (!A?.phases) return missing("the phases of protocols");
  if (!A.phases.protocols.length) return h("p", {}, "Nothing was communicated, moved or fetched of which events tell.");
  return [
    h(
      "p",
      { class: "soft" },
      "Where the time of a message, a moving thread, a page goes: the mean of each phase, one after the other. What a partner is awaited is the threads' own time, and not drawn.",
    ),
    h(
      "ul",
      { class: "legend" },
      [
        ["user", "a kernel works, or a packet waits to leave"],
        ["message", "a packet is on its way or waits to be served"],
      ].map(([colour, text]) => h("li", {}, h("span", { class: "swatch", style: { "background-color": `var(--${colour})` } }), text)),
    ),
    A.phases.protocols.map(protocol),
    h("p", { class: "soft" }, unitNote(), " ", NET, " In brackets: beside the others, not a part of the whole."),
  ];
}

function protocol({ protocol, whole, phases, omitted: reasons }) {
  const parts = phases.filter(({ beside, phase }) => !beside && !AWAITS.has(phase));
  // A phase that is not in every one takes its share of the mean.
  const mean = ({ figures }) => figures.total_cycles / whole.count;
  const total = parts.reduce((sum, part) => sum + mean(part), 0);
  let at = 0;
  const falls =
    whole &&
    parts.map((part) => {
      const left = at;
      at += mean(part);
      return [
        h("span", {}, phaseName(part.phase)),
        h(
          "span",
          { class: "track" },
          h("i", {
            class: kindOf(part.phase),
            style: { left: `${(100 * left) / total}%`, width: `${(100 * mean(part)) / total}%` },
            "data-tip": `${phaseName(part.phase)}: ${D.words.phases[part.phase]?.[1]}\nmean ${lengths(mean(part))}, ${percent(mean(part), total)}`,
          }),
        ),
        h("span", {}, length(mean(part))),
      ];
    });
  const path = A.path?.protocols.find((one) => one.protocol === protocol);
  return [
    h(
      "h3",
      {},
      `${capital(D.words.protocols[protocol] ?? protocol)}: ${whole ? `${grouped(whole.count)} followed, ${lengths(total)} on average without waiting for partners` : "none followed to its end"}`,
    ),
    falls && h("div", { class: "fall" }, falls),
    phases.length > 0 &&
      folded(
        "All figures",
        table(
          `Phases of ${D.words.protocols[protocol]}`,
          [["phase", "l"], ["from, to", "l"], ...FIGURES],
          [
            ...phases.map(({ phase, beside, figures: one }) => [
              beside ? `(${phaseName(phase)})` : phaseName(phase),
              D.words.phases[phase]?.[1],
              ...figures(one),
            ]),
            ...(whole ? [["Whole", "first event to last", ...figures(whole)]] : []),
          ],
        ),
      ),
    path?.slowest.length > 0 && folded(`The slowest ${path.slowest.length}, phase by phase`, path.slowest.map(slow)),
    omitted(reasons, "Left out"),
  ];
}

function slow({ channel, threads: [one, other], from_cycle: from, whole, awaited, steps }) {
  const sum = whole.cycles + awaited.cycles;
  const who = one === other ? `Thread ${threadName(one)}` : `${threadName(one)} to ${threadName(other)}`;
  const busy = (parts) =>
    Object.entries(parts)
      .map(([name, cycles]) => `${name} ${lengths(cycles)}`)
      .join(", ");
  const see =
    canvas &&
    h(
      "button",
      {
        type: "button",
        onclick: () => {
          show(from - sum * 0.08, from + sum * 1.08);
          $("timeline").scrollIntoView();
          canvas.focus({ preventScroll: true });
        },
      },
      "Show in the time-line",
    );
  return h(
    "div",
    { class: "card", style: { "margin-top": ".6rem" } },
    h(
      "div",
      { class: "bar" },
      h("strong", {}, `${who}${channel === null ? "" : `, channel ${channel}`}, from ${moment(from)} on: ${lengths(whole.cycles)}`),
      awaited.cycles > 0 && ` and ${lengths(awaited.cycles)} until the partner asked`,
      see,
    ),
    h(
      "div",
      { class: "fall" },
      steps.map((step) => [
        h("span", {}, `${phaseName(step.phase)} (${processorName(step.processor)})`),
        h(
          "span",
          { class: "track" },
          h("i", {
            class: kindOf(step.phase),
            style: { left: `${(100 * (step.from_cycle - from)) / sum}%`, width: `${(100 * step.span.cycles) / sum}%` },
            "data-tip": `${phaseName(step.phase)}: ${lengths(step.span.cycles)}${Object.keys(step.busy).length ? `\nits receiver meanwhile: ${busy(step.busy)}` : ""}`,
          }),
        ),
        h("span", {}, length(step.span.cycles)),
      ]),
    ),
  );
}
