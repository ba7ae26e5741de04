// What both pages have: the machine that runs in one, the run that a server tells of. Each of them
// has besides: `send`, what is to be done elsewhere, and `painted`, called when a change is shown.

const SPANS = [
  ["0.002", "the last 2 ms"],
  ["0.02", "the last 20 ms"],
  ["0.2", "the last 200 ms"],
  ["1", "the last second"],
  ["10", "the last 10 seconds"],
];

let isRunning = false;
let state = null;
// The newest state, with its moment and `draw`, which has what is to be drawn, or nothing if that is as it was.
let fresh = null;
let isWanted = false;
// What a test reads: how often the page has shown what the machine does, and how long the last time took.
window.testbed = {};

const options = (pairs) => pairs.map(([value, text]) => h("option", { value }, text));

function say(text) {
  $("status").textContent = text;
}

function trouble(text) {
  $("trouble").replaceChildren(text ? notice("bad", ...text.split("\n").map((line) => h("div", {}, prose(line.trim())))) : "");
}

/** A run has begun, of which this is the record. */
function begun(started) {
  record = started;
  forgetRates();
  delete $("status").dataset.what;
  CLOCK = record.machine.clock_hz;
  showConsoles(record.machine.processors);
  trouble("");
  setFollow(true);
  chosen = null;
}

/** One frame for all that has changed. */
function wantFrame() {
  if (isWanted) return;
  isWanted = true;
  requestAnimationFrame(() => {
    isWanted = false;
    paintConsoles();
    if (!fresh) return;
    const { state: now, draw, time } = fresh;
    fresh = null;
    const start = performance.now();
    measure(now, time);
    const shown = draw();
    if (shown) takeShown(shown);
    showDrawing();
    showNow(now);
    showClock();
    window.testbed.took = performance.now() - start;
    window.testbed.shown = (window.testbed.shown ?? 0) + 1;
    painted(window.testbed.took);
  });
}

function showClock() {
  const speed = rates && isRunning ? `, ${many(rates.cycles)} cycles a second (${short(rates.cycles / CLOCK)} × real time)` : "";
  $("clock").textContent = `${machineTime(state.cycle)}, cycle ${grouped(state.cycle)}${speed}`;
}

/** Says how it goes when that is not what was said last; `what` names it. */
function showStatus(what, text) {
  if ($("status").dataset.what === what) return;
  $("status").dataset.what = what;
  say(text);
}

const exitCodes = (exits) => exits.map(([processor, , code]) => ` with exit code ${code} on ${processor}`).join(",");

function listenToDrawing() {
  $("span-of").append(...options(SPANS));
  $("span-of").value = "1";
  $("span-of").addEventListener("change", () => {
    setFollow(true);
    send("span", { span: Number($("span-of").value) });
  });
  $("follow").addEventListener("change", () => {
    setFollow($("follow").checked);
    if (follows && D) {
      followNow();
      redraw();
    }
  });
}
