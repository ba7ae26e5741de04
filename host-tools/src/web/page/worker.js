// The machine, in a worker of its own: it runs for a few milliseconds, then looks for messages. Only messages go between it and the page.
"use strict";

// What one turn takes of the worker's time, in milliseconds, and how often the page is told at most.
const TURN = 8;
const TOLD = 80;
// The page may spend one part in so many of its time on what it is told.
const PART = 5;
// Behind by more than this many milliseconds, the machine's time is stretched: nothing is made up for, and nothing skipped.
const LATE = 100;

let wasm = null;
let clock = 0;
let cycle = 0;
let speed = 1;
let running = false;
let over = false;
// Real time and cycle from which the machine's time is counted.
let origin = { time: 0, cycle: 0 };
// Cycles that take about a millisecond.
let piece = 8192;
let told = 0;
// The page has shown what it was told, and after how many milliseconds it wants more.
let isShown = true;
let patience = TOLD;
let planned = false;

const encode = (text) => new TextEncoder().encode(text);
const decode = (bytes) => new TextDecoder().decode(bytes);
const at = (place, length) => new Uint8Array(wasm.memory.buffer, place >>> 0, length);

/** Hands inputs over; what is called next takes them. */
function hand(...inputs) {
  for (const bytes of inputs) {
    const place = wasm.room(bytes.length);
    at(place, bytes.length).set(bytes);
  }
}

/** The output that a call has left, of so many bytes; its error is thrown. */
function answer(length) {
  const count = Number(length);
  if (count < 0) throw new Error(decode(at(wasm.output(), -count - 1)));
  return at(wasm.output(), count).slice();
}

function send(kind, more = {}, transfer = []) {
  postMessage({ kind, ...more }, transfer);
}

function tellConsole() {
  const bytes = answer(wasm.console());
  if (bytes.length) send("console", { bytes }, [bytes.buffer]);
}

function tell() {
  told = performance.now();
  isShown = false;
  tellConsole();
  const state = answer(wasm.state());
  const shown = answer(wasm.shown());
  const kept = JSON.parse(decode(answer(wasm.kept())));
  const parsed = JSON.parse(decode(state));
  const wasOver = over;
  over = parsed.stopped !== null;
  if (over) running = false;
  if (over && !wasOver && !parsed.exits.length) actions.waits();
  send("state", { state: parsed, shown, kept, running, time: told }, [shown.buffer]);
}

function runTo(until) {
  const reached = wasm.advance(BigInt(Math.floor(until)));
  if (reached < 0n) answer(reached);
  cycle = Number(reached);
}

function plan(wait) {
  if (planned) return;
  planned = true;
  if (wait > 1) setTimeout(turn, wait);
  else soon.port1.postMessage(0);
}
const soon = new MessageChannel();
soon.port2.onmessage = () => turn();

function turn() {
  planned = false;
  guard(() => {
    if (!running) return;
    const start = performance.now();
    let due = Infinity;
    if (speed !== Infinity) {
      const perMillisecond = (clock * speed) / 1000;
      due = origin.cycle + (start - origin.time) * perMillisecond;
      if (due - cycle > LATE * perMillisecond) {
        origin = { time: start, cycle };
        due = cycle + TURN * perMillisecond;
      }
    }
    let now = start;
    while (now - start < TURN && cycle + 1 <= due && running) {
      const before = cycle;
      runTo(Math.min(due, cycle + piece));
      const after = performance.now();
      const took = after - now;
      now = after;
      if (cycle === before) {
        // The run is over.
        tell();
        return;
      }
      if (cycle - before >= piece) {
        if (took < 0.5) piece = Math.min(piece * 2, 1 << 22);
        else if (took > 3) piece = Math.max(piece / 2, 1024);
      }
    }
    if (isShown && now - told >= patience) tell();
    else tellConsole();
    // Up to the next 4 ms of its time there is nothing to do.
    plan(speed === Infinity || cycle + 1 <= due ? 0 : 4);
  });
}

/** Does something; what goes wrong is told, and whether the module is at its end. */
function guard(act) {
  try {
    act();
  } catch (error) {
    running = false;
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
      const words = decode(at(wasm.last_words_at(), wasm.last_words()));
      send("failed", { message: words || String(error) });
    } else send("wrong", { message: error.message });
  }
}

function restart() {
  origin = { time: performance.now(), cycle };
  plan(0);
}

const actions = {
  async begin({ module, parts }) {
    wasm = (await WebAssembly.instantiate(module, {})).exports;
    wasm.begin();
    guard(() => {
      for (const { kind, name, bytes } of parts) {
        hand(encode(kind), encode(name), bytes);
        answer(wasm.put());
      }
      send("ready", { words: JSON.parse(decode(answer(wasm.lane_words()))) });
    });
  },
  put({ name, bytes }) {
    hand(encode("file"), encode(name), bytes);
    answer(wasm.put());
  },
  start({ wishes, run, span }) {
    hand(encode(JSON.stringify(wishes)));
    let record;
    try {
      record = JSON.parse(decode(answer(wasm.start())));
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      send("wrong", { message: error.message, isRefused: true });
      // What runs goes on: no time has passed for it.
      if (running) restart();
      return;
    }
    clock = record.machine.clock_hz;
    cycle = 0;
    over = false;
    answer(wasm.draw_last(BigInt(Math.floor(span * clock))));
    running = run;
    send("started", { record });
    tell();
    restart();
  },
  run() {
    if (over) return;
    running = true;
    restart();
    tell();
  },
  pause() {
    running = false;
    tell();
  },
  step({ cycles }) {
    if (running || over) return;
    runTo(cycle + cycles);
    tell();
  },
  shown({ took }) {
    isShown = true;
    patience = Math.max(TOLD, PART * took);
  },
  speed(message) {
    speed = message.speed;
    if (running) restart();
  },
  span({ span }) {
    if (!clock) return;
    answer(wasm.draw_last(BigInt(Math.floor(span * clock))));
    tell();
  },
  give({ bytes }) {
    hand(bytes);
    answer(wasm.give());
  },
  end() {
    answer(wasm.end());
    tell();
  },
  waits() {
    send("waits", { text: decode(answer(wasm.waits())) });
  },
  file({ name, to }) {
    try {
      hand(encode(name));
      const bytes = answer(wasm.file());
      send("file", { name, to, bytes }, [bytes.buffer]);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      send("file", { name, to, message: error.message });
    }
  },
};

onmessage = ({ data }) => guard(() => actions[data.kind](data));
