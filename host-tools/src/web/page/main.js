// The page: unpacks the module, starts its worker, and passes on what either side says.

const STRIDES = [
  [32, "a window (32 cycles)"],
  [8192, "8 192 cycles"],
  [65536, "65 536 cycles"],
  [250_000, "250 000 cycles"],
  [2_500_000, "2 500 000 cycles"],
];
const SPEEDS = [
  ["0.001", "1/1000 of real time"],
  ["0.01", "1/100"],
  ["0.1", "1/10"],
  ["1", "real time"],
  ["Infinity", "as fast as possible"],
];

let worker = null;
let module = null;
let parts = null;
// The page has all that its link asks for.
let isKnown = true;

function send(kind, more = {}) {
  worker?.postMessage({ kind, ...more });
}

const ENDS = {
  exit: "The program is over",
  limit: "The time given is over",
  user: "You have ended the run",
  full: "The run was ended: its trace has filled the memory that this page has for it",
};

function showState() {
  const { stopped, exits } = state;
  $("go").textContent = isRunning ? "Pause" : "Go on";
  $("go").disabled = $("end").disabled = stopped !== null;
  $("step").disabled = stopped !== null || isRunning;
  const ended = `${ENDS[stopped] ?? stopped}${stopped === "exit" ? exitCodes(exits) : ""}.`;
  showStatus(stopped ?? (isRunning ? "running" : "paused"), stopped ? ended : isRunning ? "The machine runs." : "The machine stands still.");
}

const painted = (took) => send("shown", { took });

const heard = {
  ready(message) {
    words = message.words;
    $("start").disabled = false;
    for (const [name, { bytes }] of given) send("put", { name, bytes });
    if (isKnown) startRun();
    else say("Nothing runs: the link asks for what this page does not have.");
  },
  started(message) {
    begun(message.record);
    fillDownloads(message.record.balance);
    $("look").disabled = false;
    $("waiting").hidden = true;
    giveEarly();
  },
  console({ bytes }) {
    takeConsole(bytes);
  },
  state(message) {
    state = message.state;
    isRunning = message.running;
    showKept(message.kept);
    fresh = { ...message, draw: () => JSON.parse(new TextDecoder().decode(message.shown)) };
    showState();
    wantFrame();
  },
  file: (message) => (message.to === "perfetto" ? handOver(message) : download(message)),
  waits({ text }) {
    $("waiting").hidden = false;
    $("waiting").textContent = text;
  },
  wrong({ message, isRefused }) {
    trouble(message);
    if (!isRefused) return;
    forgetRefused(message);
    if (record) $("trouble").firstElementChild.append(h("div", {}, "The run that was there is still there."));
    else nothingRuns();
  },
  failed({ message }) {
    record = null;
    trouble(`The machine has failed, which it never should: ${message}\nStart it anew; the trace so far is lost.`);
    nothingRuns();
    beginWorker(false);
  },
};

function nothingRuns() {
  say("Nothing runs.");
  delete $("status").dataset.what;
  isRunning = false;
  for (const id of ["go", "step", "end", "look"]) $(id).disabled = true;
}

function beginWorker(starts = true) {
  worker?.terminate();
  const source = new Blob([$("worker").textContent], { type: "text/javascript" });
  const url = URL.createObjectURL(source);
  worker = new Worker(url);
  URL.revokeObjectURL(url);
  worker.onmessage = ({ data }) => (data.kind === "ready" && !starts ? (words = data.words) : heard[data.kind](data));
  worker.onerror = (event) => trouble(`The page's script has failed: ${event.message}`);
  send("begin", { module, parts });
}

function startRun() {
  send("speed", { speed: Number($("speed").value) });
  send("start", { wishes: wishes(), run: true, span: Number($("span-of").value) });
}

/** The module and all programs, from the page itself. */
async function unpack() {
  const packed = Uint8Array.from(atob($("pack").textContent.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const all = CONTENTS.parts.map(({ kind, name, at, bytes: length }) => ({ kind, name, bytes: bytes.slice(at, at + length) }));
  module = await WebAssembly.compile(all.find(({ kind }) => kind === "module").bytes);
  parts = all.filter(({ kind }) => kind !== "module");
}

function listenToBar() {
  $("stride").append(...options(STRIDES));
  $("speed").append(...options(SPEEDS));
  $("stride").value = "65536";
  $("speed").value = "1";
  $("go").addEventListener("click", () => send(isRunning ? "pause" : "run"));
  $("step").addEventListener("click", () => send("step", { cycles: Number($("stride").value) }));
  $("look").addEventListener("click", () => send("waits"));
  $("end").addEventListener("click", () => send("end"));
  $("speed").addEventListener("change", () => send("speed", { speed: Number($("speed").value) }));
  document.addEventListener("keydown", (event) => {
    if (!event.altKey || event.ctrlKey) return;
    const button = { KeyR: $("go"), KeyS: $("step"), KeyW: $("look") }[event.code];
    if (!button || button.disabled) return;
    event.preventDefault();
    button.click();
  });
}

async function main() {
  listenToBar();
  listenToDrawing();
  listenToTyping();
  fillForm();
  fillDownloads(false);
  isKnown = showLink(decodeLink(location.hash));
  // What is typed from now on the machine gets as soon as there is one.
  $("typed").focus({ preventScroll: true });
  addEventListener("hashchange", () => isPlace(location.hash) || showLink(decodeLink(location.hash)));
  try {
    await unpack();
  } catch (error) {
    say("Nothing runs.");
    return trouble(`This browser can't unpack the machine: ${error.message}\nhelp: it needs WebAssembly and DecompressionStream, which browsers have had since 2023`);
  }
  beginWorker();
}

const CONTENTS = JSON.parse($("contents").textContent);
main();
