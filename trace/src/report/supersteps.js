// Supersteps of bulk-synchronous programs, and what the cost model says of them.

const DRAWN_STEPS = 40;
const TERMS = { latency: "l", work: "w", sent: "g hs", received: "g hr" };

function supersteps() {
  const { groups, model } = A.bsp;
  const { g_cycles: g, l_cycles: l, l0_cycles: none } = model.figures;
  const given = model.given;
  const whence = (figure) => (figure === null ? "fitted to this run" : "given");
  const figure = (name, value, from) => (value === null ? `${name} is not known` : `${name} is ${value.toFixed(1)} (${whence(from)})`);
  return [
    h(
      "p",
      { class: "soft" },
      "A superstep lasts from where its first process begins to where the last one has what the others had for it: work of the busiest processor first, then what came besides: words, waiting, and the work of others that was not done at the same time.",
    ),
    legendOf([
      ["user", "the most work of a processor, w"],
      ["message", "the rest"],
    ]),
    groups.map(group),
    h(
      "p",
      { class: "soft" },
      `Cost model, in cycles a word and cycles: ${figure("g", g, given.g_cycles)}; ${figure("l", l, given.l_cycles)}; ${figure("l of supersteps without words", none, given.l0_cycles ?? given.l_cycles)}.`,
      given.g_cycles === null || given.l_cycles === null
        ? ` Fitted by w + g h + l to ${plural(model.with_words, "superstep")} with words and ${grouped(model.without_words)} without, which the predictions are of too.`
        : "",
    ),
    omitted(A.bsp.omitted, "Supersteps that are left out"),
  ];
}

const legendOf = (parts) =>
  h(
    "ul",
    { class: "legend" },
    parts.map(([colour, text]) => h("li", {}, h("span", { class: "swatch", style: { "background-color": `var(--${colour})` } }), text)),
  );

function group({ process, processes, supersteps: steps, beyond, totals, incomplete }) {
  const name = `${processorName(process >> 4)}.${process & 15}`;
  const complete = steps.filter(({ sums }) => sums);
  const drawn = complete.slice(0, DRAWN_STEPS);
  const longest = Math.max(1, ...drawn.map(({ sums }) => sums.cycles));
  const share = (cycles) => `${(100 * cycles) / longest}%`;
  const rows = drawn.map(({ exchange, sums }) => {
    const work = Math.min(sums.w_cycles, sums.cycles);
    const tip = `superstep ${exchange}: ${lengths(sums.cycles)}\nwork ${lengths(sums.w_cycles)}, ${plural(Math.max(sums.hs_words, sums.hr_words), "word")}, last process ${sums.last}`;
    return [
      h("span", {}, exchange),
      h(
        "span",
        { class: "track" },
        h("i", { style: { left: "0", width: share(work) }, "data-tip": tip }),
        h("i", { class: "flight", style: { left: share(work), width: share(sums.cycles - work) }, "data-tip": tip }),
      ),
      h("span", {}, length(sums.cycles)),
    ];
  });
  return [
    h("h3", {}, `Group of ${name}: ${plural(processes, "process", "processes")}, ${plural(totals.supersteps, "complete superstep")}`),
    rows.length > 0 && h("div", { class: "fall" }, rows),
    complete.length > drawn.length && h("p", { class: "soft" }, `The first ${drawn.length} are drawn.`),
    beyond > 0 && h("p", { class: "soft" }, `${plural(beyond, "superstep")} behind these count in the sums only.`),
    folded(`All figures of ${name}`, stepTable(name, steps)),
    folded(`Processes of ${name} by superstep`, memberTable(name, steps)),
    omitted(incomplete, "Incomplete supersteps"),
  ];
}

function stepTable(name, steps) {
  const cells = ({ exchange, sums, predicted, incomplete }) => [
    exchange,
    ...(sums
      ? [length(sums.w_cycles), grouped(sums.hs_words), grouped(sums.hr_words), length(sums.waited_cycles), sums.last, length(sums.cycles)]
      : ["", "", "", "", "", ""]),
    ...(predicted ? [length(predicted.max_cycles), TERMS[predicted.rules], length(predicted.sum_cycles)] : ["", "", ""]),
    incomplete ?? "",
  ];
  return table(
    `Supersteps of the group of ${name}`,
    ["superstep", "w", "hs", "hr", "waited", "last", "measured", "max{l, w, g hs, g hr}", ["rules", "l"], "w + g h + l", ["incomplete", "l"]],
    steps.map(cells),
  );
}

function memberTable(name, steps) {
  const told = (value, say) => (value === null ? "?" : say(value));
  return table(
    `Processes of the group of ${name} by superstep`,
    ["superstep", "rank", ["on", "l"], "w", "sent", "received", "waited"],
    steps.flatMap(({ exchange, members }) =>
      members.map((one) => [
        exchange,
        one.rank,
        processorName(one.processor),
        told(one.w_cycles, length),
        told(one.sent_words, grouped),
        told(one.received_words, grouped),
        one.through_cycle === null ? "?" : length(one.through_cycle - one.sync_cycle),
      ]),
    ),
  );
}
