// The data, and how its times, counts and states are said.

let D, RUN, CLOCK, TICK, A;
// As many decimals of a millisecond as a tick of the global clock has.
let DECIMALS = 0;
// What other scripts make of the data, in the order of the scripts.
const whenTaken = [];

/** Takes the data of a page; of one that is live, again and again. */
function take(data) {
  D = data;
  RUN = D.record;
  CLOCK = RUN.machine.clock_hz;
  TICK = RUN.machine.tick_cycles;
  A = D.analysis;
  DECIMALS = Math.max(0, Math.ceil(-Math.log10((TICK / CLOCK) * 1e3) - 1e-9));
  for (const make of whenTaken) make();
}

// How times are shown: as machine time, or as cycles of the machine's clock.
let unit = "time";

const grouped = (number) =>
  Math.round(number)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, "\u202f");
const plural = (count, one, more = one + "s") => `${grouped(count)} ${count === 1 ? one : more}`;

/** A number with about three digits that count, and no zeros behind. */
function short(number) {
  if (number >= 1000) return grouped(number);
  return String(+number.toPrecision(number >= 100 ? 4 : 3));
}

/** A length of machine time for a number of cycles. */
function machineTime(cycles) {
  const seconds = cycles / CLOCK;
  const size = Math.abs(seconds);
  if (size === 0) return "0 µs";
  if (size >= 1) return `${short(seconds)} s`;
  if (size >= 1e-3) return `${short(seconds * 1e3)} ms`;
  if (size >= 1e-6) return `${short(seconds * 1e6)} µs`;
  return `${short(seconds * 1e9)} ns`;
}

const cycleText = (cycles) => plural(cycles, "cycle");

/** A length in the unit that is chosen; for cells of tables. */
const length = (cycles) => (unit === "time" ? machineTime(cycles) : cycles < 100 && cycles % 1 ? cycles.toFixed(1) : grouped(cycles));

/** A length in both units; for sentences. */
const lengths = (cycles) =>
  unit === "time" ? `${machineTime(cycles)} (${cycleText(cycles)})` : `${cycleText(cycles)} (${machineTime(cycles)})`;

/** A moment: time since the start of the machine, exact to a tick, or to `decimals` of a millisecond. */
function moment(cycles, decimals = DECIMALS) {
  if (unit !== "time") return `cycle ${grouped(cycles)}`;
  const [whole, rest] = ((cycles / CLOCK) * 1e3).toFixed(decimals).split(".");
  return `${grouped(+whole)}${rest ? "." + rest : ""} ms`;
}

function percent(part, whole) {
  if (!whole || !part) return "";
  const share = (100 * part) / whole;
  return share < 0.01 ? "< 0.01 %" : `${share.toFixed(share < 10 ? 2 : 1)} %`;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const processorName = (number) => RUN.machine.processors[number] ?? `#${number}`;
const threadName = (number) => D.threads[number] ?? `thread ${number}`;

// What each state means.
const DOING = {
  user: "a thread runs",
  request: "the kernel serves a request to communicate",
  message: "the kernel serves a message from another processor",
  fault: "the kernel serves a page fault",
  timer: "the end of a time-slice",
  packing: "the kernel packs a thread that moves away",
  kernel: "the kernel between services, while somebody is ready",
  idle: "no thread is ready",
  untold: "a thread is in a call of which no event tells",
  unknown: "before the first event, or after a loss",
};
const STATES = {
  running: "runs",
  interrupted: "its processor serves a message; it goes on afterwards",
  ready: "in the ready queue",
  serviced: "its request or fault is being served",
  channel: "blocked on a channel",
  page: "blocked on a page that is elsewhere",
  children: "waits for its children",
  call: "waits in another call: for console input, a time, an answer",
  moving: "packed, on its way, or being unpacked",
  untold: "gave the processor up, and no event tells why",
  unknown: "events of its processor were lost",
};

// Messages between kernels, by what they are about.
const PACKET_GROUPS = {
  exchange: "messages of threads (focus, advert, rtr, msg)",
  migration: "threads that move (thread, ends)",
  paging: "pages",
};
function packetGroup(kind) {
  const name = D.timeline.packet_names[kind] ?? "";
  if (name === "thread" || name === "ends") return "migration";
  return name.startsWith("page") ? "paging" : "exchange";
}
