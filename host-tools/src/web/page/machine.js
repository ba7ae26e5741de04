// What the machine does now: processors, links, moves; and files of its trace to take away.

let before = null;
let rates = null;

/** Instructions and cycles per second of real time, between two states. */
function measure(state, time) {
  if (before && time - before.time >= 400) {
    const seconds = (time - before.time) / 1000;
    const cycles = state.cycle - before.state.cycle;
    rates = {
      cycles: cycles / seconds,
      instructions: state.instructions.map((count, place) => ((count - (before.state.instructions[place] ?? 0)) / Math.max(1, cycles)) * CLOCK),
    };
    before = { state, time };
  }
  before ??= { state, time };
}

function forgetRates() {
  before = rates = null;
}

const many = (number) =>
  number >= 1e6 ? `${short(number / 1e6)} M` : number >= 1e4 ? `${short(number / 1e3)} k` : grouped(number);

function showNow(state) {
  const open = $("now").querySelector("details")?.open ?? false;
  const whole = 1e6;
  const stacked = state.processors.map(({ number, shares, running, ready }) => [
    h("span", {}, processorName(number)),
    stack(
      shares.map(([name, share]) => [name, Math.round(share * whole)]),
      whole,
      `${processorName(number)}: ${shares.map(([name, share]) => `${name} ${percent(share, 1)}`).join(", ") || "nothing told yet"}`,
    ),
    h("span", {}, running ? `runs ${running}` : ready === null ? "unknown" : "", ready ? ` · ${plural(ready, "ready", "ready")}` : ""),
  ]);
  // A folder does not tell them while its run goes on.
  const knowsInstructions = state.instructions.length > 0;
  const rows = RUN.machine.processors.map((name, number) => {
    const seen = state.processors.find((one) => one.number === number);
    return [
      name,
      ...(knowsInstructions ? [rates ? many(rates.instructions[number] ?? 0) : ""] : []),
      seen ? many(seen.event_rate) : "no monitor",
      seen?.load ? seen.load[0].toFixed(2) : "",
      seen?.load ? percent(seen.load[1], 1) : "",
    ];
  });
  const link = ({ from, to, packets, packet_rate, messages }) => [
    `${processorName(from)} → ${to === null ? "all others" : processorName(to)}`,
    grouped(packets),
    many(packet_rate),
    grouped(messages),
  ];
  const moves = state.moves.map(({ thread, from, to, cycle }) => [thread, `${processorName(from)} → ${processorName(to)}`, moment(cycle)]);
  const parts = [
    A.cpu
      ? [
          h("p", { class: "soft" }, `Shares of the last second; ${plural(state.threads, "thread")} known, moved ${plural(state.moved, "time")}.`),
          legend(usedStates(state), DOING),
          h("div", { class: "named" }, stacked),
        ]
      : h("p", { class: "soft" }, "What processors did is told by the event class profile, which this run does not record."),
    table("Per second of machine time", ["processor", ...(knowsInstructions ? ["instructions"] : []), "events", "load: ready", "load: user"], rows),
    moves.length ? table("Last moves of threads, the newest first", ["thread", ["from and to", "l"], "when"], moves.slice(0, 8)) : "",
    state.links.length
      ? h(
          "details",
          { open },
          h("summary", {}, `Links: ${plural(state.links.length, "direction")}`),
          table("Packets and messages of threads", [["link", "l"], "packets", "a second", "messages"], state.links.map(link)),
        )
      : "",
  ];
  $("now").replaceChildren(...parts.flat());
  const lost = state.dropped ? `, ${plural(state.dropped, "event")} lost in full queues` : "";
  const filtered = state.filtered ? `, ${plural(state.filtered, "event")} taken out by filters` : "";
  $("traced").textContent = `${plural(state.events, "event")} in order so far${lost}${filtered}; mmi.raw has ${plural(state.bytes, "byte")}.`;
}

const usedStates = (state) => {
  const used = new Set(state.processors.flatMap(({ shares }) => shares.map(([name]) => name)));
  return D.words.doing.filter((name) => used.has(name));
};

const FILES = [
  ["mmi.raw", "mmi.raw", "application/octet-stream"],
  ["console.txt", "console.txt", "text/plain"],
  ["input", "input", "text/plain"],
  ["run.json", "run.json", "application/json"],
  ["balance.log", "balance.log", "text/plain"],
  ["trace.perfetto", "for Perfetto", "application/octet-stream"],
  ["report.html", "a report", "text/html"],
];

const fileButton = (name, text) => h("button", { type: "button", onclick: () => send("file", { name }) }, text);

/** The files of a run that has begun: one that balances its load has a log of that. */
function fillDownloads(balances) {
  const files = FILES.filter(([name]) => name !== "balance.log" || balances);
  const buttons = files.map(([name, text]) => fileButton(name, name === text ? name : `${name}, ${text}`));
  const open = h("button", { type: "button", onclick: openPerfetto }, "Open in Perfetto");
  $("downloads").replaceChildren(...buttons, open);
}

/** Files that the shell's `get` has handed over, with their sizes. */
function showKept(files) {
  $("kept").hidden = !files.length;
  const isNew = $("kept-files").children.length !== files.length;
  const texts = files.map(([name, bytes]) => `${name} (${plural(bytes, "byte")})`);
  if (!isNew && [...$("kept-files").children].every((button, place) => button.textContent === texts[place])) return;
  $("kept-files").replaceChildren(...files.map(([name], place) => fileButton(name, texts[place])));
}

/** Hands a file over to the browser. */
function download({ name, bytes, message }) {
  if (message) return trouble(message);
  const [, , type] = FILES.find(([known]) => known === name) ?? [];
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  const link = h("a", { href: url, download: name === "trace.perfetto" ? "trace.perfetto-trace" : name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
