// Threads, ledger and losses, console. At last the page is put together.

function threads() {
  if (!A?.threads) return missing("threads");
  const found = A.threads.threads;
  const names = D.words.states.filter((name) => found.some(({ states }) => states[name]));
  const on = (on) => {
    if (typeof on === "string") return on === "some_channel" ? "a channel that no event names" : "something that no event names";
    const [[kind, number]] = Object.entries(on);
    return {
      send: `sending on ${number}`,
      receive: `receiving on ${number}`,
      alternative: `alternative, first channel ${number}`,
      page: `page 0x${number.toString(16)}`,
      call: D.words.calls[number],
    }[kind];
  };
  return [
    h(
      "p",
      { class: "soft" },
      "Named by the home of their process, its place there, and their number. A thread's life begins with its first event.",
    ),
    legend(names, STATES),
    h(
      "div",
      { class: "named" },
      found.slice(0, 60).map(({ thread, states, elapsed_cycles: whole }) => [
        h("span", {}, threadName(thread)),
        stack(
          names.map((name) => [name, states[name] ?? 0]),
          whole,
          `${threadName(thread)}: ${names
            .filter((name) => states[name])
            .map((name) => `${name} ${percent(states[name], whole)}`)
            .join(", ")}`,
        ),
        h("span", {}, length(whole)),
      ]),
    ),
    found.length > 60 && h("p", { class: "soft" }, `The first 60 of ${found.length} are drawn; the table has all.`),
    folded(
      "As a table",
      table(
        "Threads: per cent of their time in each state",
        ["thread", "lives", "first event", "time", ...names, ["processors", "l"], ["blocked longest on", "l"]],
        found.map((one) => [
          threadName(one.thread),
          one.lives,
          moment(one.born_cycle),
          length(one.elapsed_cycles),
          ...names.map((name) => percent(one.states[name] ?? 0, one.elapsed_cycles)),
          Object.entries(one.processors)
            .map(([number, cycles]) => `${processorName(+number)} ${percent(cycles, one.elapsed_cycles)}`)
            .join(", "),
          one.blocked
            .slice(0, 3)
            .map((blocked) => `${on(blocked.on)} ${percent(blocked.cycles, one.elapsed_cycles)}`)
            .join(", "),
        ]),
      ),
    ),
  ];
}

function ledger() {
  const { ledger } = RUN;
  const sum = ({ delivered, queued, dropped, refused, filtered }) => delivered + queued + dropped + refused + filtered;
  const wraps = (number) => ((number % 2 ** 32) + 2 ** 32) % 2 ** 32;
  const balances = (line) => wraps(line.emitted + line.markers - sum(line)) === 0;
  return [
    h(
      "p",
      { class: "soft" },
      "From the hardware's own counters: every event that was emitted is delivered, still queued, dropped since a queue was full, refused since its value is a marker's, or taken out by the filter.",
    ),
    ledger
      ? [
          table(
            "Monitors: emitted + markers = delivered + queued + dropped + refused + filtered, in words of 16 bits",
            ["processor", "emitted", "markers", "delivered", "queued", "dropped", "refused", "filtered", ["balance", "l"]],
            ledger.smis.map((line) => [
              line.processor,
              ...["emitted", "markers", "delivered", "queued", "dropped", "refused", "filtered"].map((key) =>
                grouped(line[key]),
              ),
              balances(line) ? "✓ balances" : "✗ does not balance",
            ]),
          ),
          folded(
            "Packets on the bus, by processor",
            table(
              "Stations of the bus, in packets",
              ["processor", "sent", "to all", "received", "retries", "dropped", "CRC errors", "no such station", "refused"],
              ledger.stations.map((line) =>
                [
                  line.processor,
                  line.tx_packets,
                  line.tx_broadcasts ?? "not counted",
                  line.rx_packets,
                  line.tx_retries,
                  line.tx_dropped,
                  line.rx_crc_errors,
                  line.tx_no_station,
                  line.tx_refused,
                ].map((cell) => (typeof cell === "number" ? grouped(cell) : cell)),
              ),
            ),
          ),
        ]
      : h("p", {}, "There is no ledger: the run did not come to its end."),
    h("h3", {}, "Losses"),
    D.losses_count === 0
      ? h("p", {}, "None: no event was discarded, and every event's time is proven.")
      : [
          h(
            "p",
            {},
            `${plural(D.losses_count, "place")} where events are missing or their time is not proven; red lines in the time-line.`,
          ),
          folded(
            "List of losses",
            table(
              "Losses, in their order",
              ["processor", "when", ["what", "l"]],
              D.losses.map((loss) => [
                processorName(loss.processor),
                `${loss.ambiguous ? "not before " : ""}${moment(loss.cycle)}`,
                loss.ambiguous
                  ? "an event whose time is not proven"
                  : loss.discarded === null
                    ? "events discarded, count unknown"
                    : `${plural(loss.discarded, "event")} discarded`,
              ]),
            ),
          ),
        ],
    h("h3", {}, "Events"),
    eventTable(),
  ];
}

function eventTable() {
  const monitored = RUN.machine.processors.slice(1);
  const rows = Object.entries(D.counts).map(([name, counts]) => [
    name,
    ...monitored.map((_, place) => grouped(counts[place + 1] ?? 0)),
    grouped(counts.reduce((sum, one) => sum + one, 0)),
  ]);
  return rows.length
    ? folded(
        `Counts of ${plural(rows.length, "kind")} of events`,
        table("Events by kind and processor", ["event", ...monitored, "all"], rows),
      )
    : h("p", {}, "No events.");
}

function printed() {
  return D.console
    ? h("pre", { class: "console", tabindex: "0", role: "region", "aria-label": "What the programs printed" }, D.console)
    : h("p", {}, "Nothing.");
}

take(JSON.parse(document.getElementById("data").textContent));
section("overview", "What ran", overview);
section("timeline", "Time-line", timeline);
section("processors", "Processors", processors);
section("queues", "Ready queues", queues);
section("links", "Links", links);
if (D.balancing) section("load", "Load and moves", balancing);
section("latencies", "Latencies", latencies);
section("phases", "Protocol phases", phases);
if (A?.bsp?.groups.length) section("supersteps", "Supersteps", supersteps);
section("threads", "Threads", threads);
section("ledger", "Ledger and losses", ledger);
section("console", "Console", printed);

$("head").append(...head());
showSections();
startTimeline();
$("foot").append(
  h(
    "p",
    {},
    `Made by testbed ${D.version} from the events of the machine's monitors. The page holds all its data and asks nothing of the network.`,
  ),
);
