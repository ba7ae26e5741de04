// What balancing did: the slaves' load, requests and what came of them, moves.

function balancing() {
  const { slaves, log, unreadable } = D.balancing;
  const { policy, sample_us, settings } = RUN.balance ?? {};
  return [
    policy &&
      h(
        "p",
        { class: "soft" },
        `Policy ${policy}, samples ${machineTime((sample_us * CLOCK) / 1e6)} apart${settings?.length ? `, ${settings.join(", ")}` : ""}.`,
      ),
    unreadable && notice("bad", `The balancer’s log can’t be read: ${unreadable}.`),
    log && outcome(log, slaves),
    slaves.length > 0 && slaveLoads(slaves),
    log && moveMap(log.moves),
    log && requestList(log.requests),
    log?.remarks.length > 0 && notice("warn", "The balancer’s own remarks:", list(log.remarks)),
    slaves.some(({ lost }) => lost > 0) &&
      notice("warn", `Samples lost or damaged: ${slaves.map(({ processor, lost }) => `${processorName(processor)} ${lost}`).join(", ")}.`),
  ];
}

/** Events of the slaves' samples, two words each, and how many a second of machine time. */
function sampleCost() {
  const events = Object.entries(D.counts)
    .filter(([name]) => name === "LOAD" || name.startsWith("LOAD_"))
    .reduce((sum, [, counts]) => sum + counts.reduce((all, one) => all + one, 0), 0);
  const seconds = (RANGE.to - RANGE.from) / CLOCK;
  return fact("Events for samples", grouped(events), `${short(events / seconds)} a second, of all slaves; two words each`);
}

function outcome({ counts, quality }, slaves) {
  const { requests, moved, standing, expired, refused, unanswered, open } = counts;
  const rest = [
    [standing, "said where new threads start"],
    [expired, "expired"],
    [refused, "refused"],
    [unanswered, "not answered"],
    [open, "open at the end"],
  ].filter(([count]) => count > 0);
  const share = (part) => (part === null ? "not known" : `${Math.round(100 * part)} %`);
  return h(
    "dl",
    { class: "facts" },
    fact("Requests", grouped(requests), `${grouped(moved)} moved a thread`),
    fact("Without a move", grouped(requests - moved), rest.map(([count, what]) => `${grouped(count)} ${what}`).join(", ")),
    fact("Moves that hit", share(quality.hits), "what they were for was better in the two summaries behind them"),
    fact("Moves for nothing", grouped(quality.useless), "the thread went back within 2 s"),
    fact(
      "Queues level",
      quality.level_ms === null ? "never" : `at ${moment((quality.level_ms * CLOCK) / 1e3, 0)}`,
      "the longest at most one above the shortest",
    ),
    slaves.length > 0 && sampleCost(),
  );
}

function slaveLoads(slaves) {
  const all = slaves.flatMap(({ points }) => points);
  const most = Math.max(1, ...all.map(([, , average]) => average));
  return [
    h("h3", {}, "Load, as the slaves’ samples told it"),
    h(
      "ul",
      { class: "legend" },
      h("li", {}, h("span", { class: "swatch", style: { "background-color": "var(--user)" } }), "ready threads with the running one, mean"),
      h(
        "li",
        {},
        h("span", { class: "swatch line", style: { "border-color": "var(--request)" } }),
        "share of the time in which threads ran; the top is all of it",
      ),
    ),
    h(
      "div",
      { class: "grid" },
      slaves.map((slave) =>
        h(
          "div",
          { class: "card" },
          h("h3", {}, processorName(slave.processor)),
          loadArea(slave, most),
          h(
            "div",
            { class: "ends" },
            h("span", {}, moment(RANGE.from)),
            h("span", {}, `top: ${short(most)} threads`),
            h("span", {}, moment(RANGE.to)),
          ),
        ),
      ),
    ),
    folded(
      "As a table",
      table(
        "Load of each slave over the samples shown",
        ["processor", "samples", "ready, mean", "most at once", "user"],
        slaves.map(({ processor, points }) => {
          const length = points.reduce((sum, [from, to]) => sum + to - from, 0);
          const mean = (place) => points.reduce((sum, point) => sum + point[place] * (point[1] - point[0]), 0) / Math.max(1, length);
          return [
            processorName(processor),
            grouped(points.length),
            mean(2).toFixed(2),
            Math.max(0, ...points.map((point) => point[3])),
            `${(100 * mean(4)).toFixed(1)} %`,
          ];
        }),
      ),
    ),
  ];
}

/** Where a cycle is between the ends of what is shown, from 0 to 1,000. */
const across = (cycle) => (1000 * (Math.min(Math.max(cycle, RANGE.from), RANGE.to) - RANGE.from)) / Math.max(1, RANGE.to - RANGE.from);

function loadArea({ processor, points }, most) {
  const steps = (place, top) =>
    points.map((point) => `L${across(point[0])} ${1 - point[place] / top}L${across(point[1])} ${1 - point[place] / top}`).join("");
  const begin = points.length ? across(points[0][0]) : 0;
  const end = points.length ? across(points[points.length - 1][1]) : 0;
  const area = picture(
    "svg",
    {
      class: "area",
      viewBox: "0 -0.04 1000 1.08",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `Load of ${processorName(processor)} in ${plural(points.length, "sample")}`,
    },
    picture("path", { class: "mean", d: `M${begin} 1${steps(2, most)}L${end} 1Z` }),
    points.length > 0 && picture("path", { class: "most", d: `M${begin} ${1 - points[0][4]}${steps(4, 1)}` }),
  );
  area.addEventListener("pointermove", (event) => {
    const box = area.getBoundingClientRect();
    const cycle = RANGE.from + ((event.clientX - box.left) / box.width) * (RANGE.to - RANGE.from);
    const point = points.find(([from, to]) => cycle >= from && cycle <= to);
    area.dataset.tip = point
      ? `${processorName(processor)}, ${moment(point[0])} to ${moment(point[1])}\n${point[2].toFixed(2)} ready on average, ${point[3]} at the end\nthreads ran for ${(100 * point[4]).toFixed(1)} %`
      : `${processorName(processor)}: no sample`;
  });
  return area;
}

/** A line for each move, from where a thread was when that was decided to where and when it arrived. */
function moveMap(moves) {
  if (!moves.length) return h("p", {}, "No thread moved.");
  const slaves = RUN.machine.processors.length - 1;
  const row = (processor) => processor - 0.5;
  const rows = Array.from({ length: slaves }, (_, place) => place + 1);
  return [
    h("h3", {}, "Moves"),
    h("p", { class: "soft" }, "Each line is a thread’s move, from the request on its old processor to its arrival on the new one, where the dot is."),
    h(
      "div",
      { class: "moves" },
      h(
        "div",
        {},
        rows.map((processor) => h("span", {}, processorName(processor))),
      ),
      picture(
        "svg",
        {
          viewBox: `0 0 1000 ${slaves}`,
          preserveAspectRatio: "none",
          role: "img",
          "aria-label": `${plural(moves.length, "move")} between ${plural(slaves, "slave")}`,
        },
        rows.map((processor) => picture("path", { class: "row", d: `M0 ${row(processor)}H1000` })),
        moves.map(({ thread, from, to, asked_cycle, arrived_cycle }) =>
          picture(
            "g",
            { "data-tip": `${thread}: ${processorName(from)} to ${processorName(to)}\nasked at ${moment(asked_cycle)}, arrived at ${moment(arrived_cycle)}` },
            picture("path", { class: "move", d: `M${across(asked_cycle)} ${row(from)}L${across(arrived_cycle)} ${row(to)}` }),
            picture("path", { class: "dot", d: `M${across(arrived_cycle)} ${row(to)}h0` }),
          ),
        ),
      ),
    ),
    h("div", { class: "ends" }, h("span", {}, moment(RANGE.from)), h("span", {}, moment(RANGE.to))),
  ];
}

function requestList(requests) {
  if (!requests.length) return h("p", {}, "The balancer made no request.");
  return folded(
    "Requests and their answers",
    table(
      "Requests, in their order",
      [["request", "l"], "from", "to", ["what for", "l"], "asked at", "answered at", ["answer", "l"]],
      requests.map(({ number, from, to, reason, answer, asked_cycle, answered_cycle }) => [
        `#${number}`,
        processorName(from),
        processorName(to),
        reason,
        moment(asked_cycle, 0),
        answered_cycle === null ? "" : moment(answered_cycle, 0),
        answer,
      ]),
    ),
  );
}
