// Lanes of the time-line: cells one after the other, each with a state or with shares of several.

class Lane {
  constructor(columns) {
    const count = columns.cycles.length;
    this.starts = new Float64Array(count + 1);
    this.starts[0] = columns.from;
    columns.cycles.forEach((cycles, cell) => (this.starts[cell + 1] = this.starts[cell] + cycles));
    this.states = columns.state;
    this.mixed = columns.mixed;
    this.count = count;
    this.at = columns.at;
    this.on = columns.on;
  }

  get from() {
    return this.starts[0];
  }
  get to() {
    return this.starts[this.count];
  }

  /** The cell of a moment; -1 outside. */
  find(cycle) {
    if (cycle < this.from || cycle >= this.to) return -1;
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= cycle) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The first cell that ends after a moment. */
  after(cycle) {
    return cycle < this.from ? 0 : cycle >= this.to ? this.count : this.find(cycle);
  }

  /** Pairs of a state and its part of the cell, from 0 to 1. */
  shares(cell) {
    const state = this.states[cell];
    if (state >= 0) return [[state, 1]];
    const mixed = this.mixed[-state - 1];
    const whole = this.starts[cell + 1] - this.starts[cell];
    const shares = [];
    for (let place = 0; place < mixed.length; place += 2) shares.push([mixed[place], mixed[place + 1] / whole]);
    return shares.sort((one, other) => one[0] - other[0]);
  }

  isPure(cell) {
    return this.states[cell] >= 0;
  }

  static #held(changes, cell) {
    let [low, high] = [0, changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (changes[middle][0] <= cell) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? null : changes[low - 1][1];
  }
  processor(cell) {
    return Lane.#held(this.at, cell);
  }
  blockedOn(cell) {
    return Lane.#held(this.on, cell);
  }

  /** Cycles of one state between two moments. */
  cyclesOf(wanted, from, to) {
    let sum = 0;
    for (let cell = this.after(from); cell < this.count && this.starts[cell] < to; cell++) {
      const cycles = Math.min(to, this.starts[cell + 1]) - Math.max(from, this.starts[cell]);
      if (this.states[cell] === wanted) sum += cycles;
      else if (this.states[cell] < 0) for (const [state, share] of this.shares(cell)) if (state === wanted) sum += share * cycles;
    }
    return sum;
  }
}

const lanesOf = (rows) => rows.map(({ number, name, lane }) => ({ number, name, lane: new Lane(lane) }));
let PROCESSORS = [];
let QUEUES = [];
let THREADS = [];
let RUNNING, NOTHING, LENGTH_UNKNOWN;
whenTaken.push(() => {
  PROCESSORS = A?.cpu ? lanesOf(D.timeline.processors) : [];
  QUEUES = A?.queues ? lanesOf(D.timeline.queues) : [];
  THREADS = lanesOf(D.timeline.threads);
  RUNNING = D.words.states.indexOf("running");
  NOTHING = D.words.nothing;
  LENGTH_UNKNOWN = D.words.length_unknown;
});

/** The thread that runs on a processor at a moment, if the lanes are exact there. */
function runnerAt(processor, cycle) {
  for (const { name, lane } of THREADS) {
    const cell = lane.find(cycle);
    if (cell >= 0 && lane.states[cell] === RUNNING && lane.processor(cell) === processor) return name;
  }
  return null;
}

/** Mean length of a ready queue over a cell; `null` if nothing is known. */
function meanLength(lane, cell) {
  let [sum, known] = [0, 0];
  for (const [length, share] of lane.shares(cell)) {
    if (length >= LENGTH_UNKNOWN) continue;
    sum += length * share;
    known += share;
  }
  return known > 0 ? sum / known : null;
}
