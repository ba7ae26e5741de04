// The time-line: rows of lanes on a canvas that shows a part of the run.

const RANGE = { from: 0, to: 0 };
const view = { from: 0, to: 0 };
let QUEUE_MOST = [];
let miniShares;
whenTaken.push(() => {
  RANGE.from = D.range.from_cycle;
  RANGE.to = D.range.to_cycle;
  Object.assign(view, RANGE);
  QUEUE_MOST = (A?.queues?.processors ?? []).map(({ max }) => max);
  miniShares = undefined;
});
const shown = { packets: true, queues: true, threads: true };
// The moment and row that the keyboard has chosen; `null` until it is used.
let chosen = null;
let rows = [];
let canvas, mini, holder, colours, textOn, hatch;
const AXIS = 26;

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Relative luminance of a colour like #2f6fb5: above 0.179 black text contrasts more than white. */
function light(colour) {
  const parts = (colour.match(/[0-9a-f]{2}/gi) ?? []).map((part) => parseInt(part, 16) / 255);
  const [red, green, blue] = parts.map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function readColours() {
  const names = [
    ...D.words.doing,
    ...D.words.states,
    ...Object.keys(PACKET_GROUPS),
    "ink",
    "soft",
    "line",
    "panel",
    "track",
    "accent",
    "bad",
    "sans",
  ];
  colours = Object.fromEntries(names.map((name) => [name, style(name)]));
  textOn = Object.fromEntries(names.map((name) => [name, light(colours[name]) > 0.179 ? "#101214" : "#ffffff"]));
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const pen = tile.getContext("2d");
  pen.fillStyle = colours.track;
  pen.fillRect(0, 0, 6, 6);
  pen.strokeStyle = colours.unknown;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const shift of [-6, 0, 6]) {
    pen.moveTo(shift, 6);
    pen.lineTo(shift + 6, 0);
  }
  pen.stroke();
  hatch = tile;
}

/** Rows from top to bottom, with their places. */
function layOut() {
  rows = [];
  let top = AXIS;
  const add = (kind, height, gap, more) => {
    rows.push({ kind, top, height, ...more });
    top += height + gap;
  };
  if (PROCESSORS.length) add("title", 18, 2, { name: "Processors" });
  for (const one of PROCESSORS) {
    add("processor", 24, shown.queues && QUEUES.length ? 2 : 14, { ...one, words: D.words.doing });
    const queue = shown.queues && QUEUES.find(({ number }) => number === one.number);
    if (queue) add("queue", 14, 14, queue);
  }
  if (!PROCESSORS.length && QUEUES.length) {
    add("title", 18, 2, { name: "Ready queues" });
    for (const queue of QUEUES) add("queue", 30, 10, queue);
  }
  if (shown.threads && THREADS.length) {
    add("title", 18, 2, { name: "Threads" });
    for (const one of THREADS) add("thread", 18, 5, { ...one, words: D.words.states });
  }
  return top + 4;
}

const labelWidth = () => (canvas.clientWidth < 600 ? 78 : 118);
const plotWidth = () => Math.max(1, canvas.clientWidth - labelWidth());
const xOf = (cycle) => labelWidth() + ((cycle - view.from) / (view.to - view.from)) * plotWidth();
const cycleAt = (x) => view.from + ((x - labelWidth()) / plotWidth()) * (view.to - view.from);

function fit(target, height) {
  const scale = devicePixelRatio || 1;
  target.style.height = `${height}px`;
  const [wide, high] = [Math.round(target.clientWidth * scale), Math.round(height * scale)];
  if (target.width !== wide || target.height !== high) [target.width, target.height] = [wide, high];
  const pen = target.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, target.clientWidth, height);
  return pen;
}

/** Round moments for the axis: 1, 2 or 5 and zeros apart, of the unit that is chosen. */
function marks(pen) {
  const one = unit === "time" ? CLOCK / 1e9 : 1;
  const wanted = (view.to - view.from) / Math.max(3, plotWidth() / 130) / one;
  const decade = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
  const step = one * ([1, 2, 5, 10].map((factor) => factor * decade).find((round) => round >= wanted) ?? decade);
  const decimals = Math.min(DECIMALS, Math.max(0, Math.ceil(-Math.log10((step / CLOCK) * 1e3) - 1e-9)));
  pen.font = `12px ${colours.sans}`;
  pen.textBaseline = "middle";
  for (let cycle = Math.ceil(view.from / step) * step; cycle < view.to; cycle += step) {
    const x = xOf(cycle);
    pen.fillStyle = colours.line;
    pen.fillRect(x, AXIS - 6, 1, canvas.clientHeight);
    pen.fillStyle = colours.soft;
    const text = moment(cycle, decimals);
    if (x + 3 + pen.measureText(text).width < canvas.clientWidth) pen.fillText(text, x + 3, AXIS / 2 - 2);
  }
}

function paint(pen, name, x, y, width, height) {
  pen.fillStyle = name === "unknown" ? pen.createPattern(hatch, "repeat") : colours[name];
  pen.fillRect(x, y, width, height);
}

/** Shares from the bottom up; whatever there is shows, however short it was. */
function paintShares(pen, words, shares, x, y, width, height) {
  let bottom = y + height;
  for (const [state, share] of shares) {
    if (state === NOTHING || share <= 0) continue;
    const high = Math.min(Math.max(share * height, 1.5), bottom - y);
    paint(pen, words[state], x, bottom - high, width, high);
    bottom -= high;
  }
}

function drawLane(pen, { lane, words, kind, number }, y, height) {
  const left = labelWidth();
  const scale = plotWidth() / (view.to - view.from);
  // What is narrower than a pixel is added up by pixel.
  const narrow = new Map();
  const collect = (from, to, shares) => {
    for (let x = from; x < to;) {
      const pixel = Math.floor(x);
      const end = Math.min(to, pixel + 1);
      if (!narrow.has(pixel)) narrow.set(pixel, new Map());
      const sums = narrow.get(pixel);
      for (const [state, share] of shares) sums.set(state, (sums.get(state) ?? 0) + share * (end - x));
      x = end;
    }
  };
  for (let cell = lane.after(view.from); cell < lane.count && lane.starts[cell] < view.to; cell++) {
    const from = Math.max(0, (lane.starts[cell] - view.from) * scale);
    const to = Math.min(plotWidth(), (lane.starts[cell + 1] - view.from) * scale);
    if (to - from < 1.5) {
      collect(from, to, lane.shares(cell));
    } else if (lane.isPure(cell)) {
      const name = words[lane.states[cell]];
      if (name === undefined) continue;
      paint(pen, name, left + from, y, to - from, height);
      if (to - from > 46) cellText(pen, kind, number, lane, cell, name, left + from, to - from, y, height);
    } else {
      paintShares(pen, words, lane.shares(cell), left + from, y, to - from, height);
    }
  }
  for (const [pixel, sums] of narrow) {
    paintShares(
      pen,
      words,
      [...sums].sort((one, other) => one[0] - other[0]),
      left + pixel,
      y,
      1,
      height,
    );
  }
}

function cellText(pen, kind, number, lane, cell, name, x, width, y, height) {
  if (name === "idle" || name === "unknown") return;
  const middle = Math.max(lane.starts[cell], Math.min((view.from + view.to) / 2, lane.starts[cell + 1] - 1));
  let text = kind === "processor" ? (name === "user" && runnerAt(number, middle)) || name : name;
  let brief = text;
  if (kind === "thread" && lane.blockedOn(cell) !== null) [text, brief] = D.timeline.on[lane.blockedOn(cell)];
  if (kind === "thread" && name === "running") text = brief = `on ${processorName(lane.processor(cell))}`;
  pen.font = `11px ${colours.sans}`;
  // Never a part of a text: it might say something else.
  if (pen.measureText(text).width > width - 8) text = brief;
  if (pen.measureText(text).width > width - 6) return;
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width - 3, height);
  pen.clip();
  pen.textBaseline = "middle";
  pen.fillStyle = textOn[name];
  pen.fillText(text, x + 4, y + height / 2 + 0.5);
  pen.restore();
}

/** Where a thread has come to another processor: a mark with its name. */
function drawMoves(pen, { lane }, y) {
  for (const [place, [cell, processor]] of lane.at.entries()) {
    const x = xOf(lane.starts[cell]);
    if (place === 0 || processor === null || x < labelWidth() || x > canvas.clientWidth) continue;
    pen.fillStyle = colours.moving;
    pen.beginPath();
    pen.moveTo(x - 4, y - 3);
    pen.lineTo(x + 4, y - 3);
    pen.lineTo(x, y + 4);
    pen.fill();
  }
}

function drawQueue(pen, { lane }, y, height) {
  const most = Math.max(1, ...QUEUE_MOST);
  const scale = plotWidth() / (view.to - view.from);
  const left = labelWidth();
  pen.fillStyle = colours.track;
  pen.fillRect(left, y, plotWidth(), height);
  // By pixel: length times width, and width known.
  const sums = new Float64Array(Math.ceil(plotWidth()) + 1);
  for (let cell = lane.after(view.from); cell < lane.count && lane.starts[cell] < view.to; cell++) {
    const from = Math.max(0, (lane.starts[cell] - view.from) * scale);
    const to = Math.min(plotWidth(), (lane.starts[cell + 1] - view.from) * scale);
    const mean = meanLength(lane, cell);
    if (mean === null) paint(pen, "unknown", left + from, y, to - from, height);
    else for (let x = from; x < to; x = Math.floor(x) + 1) sums[Math.floor(x)] += mean * (Math.min(to, Math.floor(x) + 1) - x);
  }
  pen.fillStyle = colours.ready;
  sums.forEach(
    (sum, pixel) =>
      sum > 0 && pen.fillRect(left + pixel, y + height - Math.max(1, (sum / most) * height), 1, Math.max(1, (sum / most) * height)),
  );
}

/** Packets that can be seen, with the ends of their lines. */
function visiblePackets() {
  if (!shown.packets) return [];
  const middle = new Map(rows.filter(({ kind }) => kind === "processor").map(({ number, top, height }) => [number, top + height / 2]));
  return D.timeline.packets
    .filter(([from, to, sent, served]) => served >= view.from && sent <= view.to && middle.has(from) && middle.has(to))
    .map((packet) => ({ packet, x0: xOf(packet[2]), x1: xOf(packet[3]), y0: middle.get(packet[0]), y1: middle.get(packet[1]) }));
}

function drawPackets(pen, down) {
  // Those that fall on the same pixels are one line.
  const lines = new Map(
    visiblePackets().map((one) => [
      [one.x0, one.x1, one.y0, one.y1, packetGroup(one.packet[4])]
        .map((part) => (typeof part === "number" ? Math.round(part) : part))
        .join(),
      one,
    ]),
  );
  const packets = [...lines.values()];
  const clear = Math.min(1, Math.max(0.06, 60 / packets.length));
  pen.save();
  pen.beginPath();
  pen.rect(labelWidth(), AXIS, plotWidth(), canvas.clientHeight);
  pen.clip();
  pen.globalAlpha = clear;
  pen.lineWidth = packets.length < 60 ? 1.8 : 1.2;
  for (const { packet, x0, x1, y0, y1 } of packets) {
    pen.strokeStyle = pen.fillStyle = colours[packetGroup(packet[4])];
    pen.beginPath();
    pen.moveTo(x0, y0 - down);
    pen.lineTo(x1, y1 - down);
    pen.stroke();
    if (packets.length > 80) continue;
    pen.beginPath();
    pen.arc(x1, y1 - down, 2.6, 0, 7);
    pen.fill();
  }
  pen.restore();
}

function drawLabels(pen, down) {
  pen.textBaseline = "middle";
  const wide = labelWidth();
  for (const { kind, name, top, height } of rows) {
    const y = top - down;
    if (y + height < AXIS || y > canvas.clientHeight) continue;
    pen.font = kind === "title" ? `600 12px ${colours.sans}` : `${kind === "queue" ? 11 : 12.5}px ${colours.sans}`;
    pen.fillStyle = kind === "title" || kind === "queue" ? colours.soft : colours.ink;
    const text = kind === "queue" && PROCESSORS.length ? "ready queue" : name;
    pen.fillText(text, kind === "queue" && PROCESSORS.length && wide > 100 ? 18 : 6, y + height / 2, wide - 10);
  }
}

function drawLosses(pen, down) {
  for (const { processor, cycle } of D.losses) {
    const row = rows.find(({ kind, number }) => kind === "processor" && number === processor);
    const x = xOf(cycle);
    if (!row || x < labelWidth() || x > canvas.clientWidth) continue;
    pen.strokeStyle = pen.fillStyle = colours.bad;
    pen.lineWidth = 2;
    pen.strokeRect(x, row.top - 4 - down, 0.5, row.height + 8);
  }
}

function drawChosen(pen, down) {
  if (!chosen) return;
  const x = xOf(chosen.cycle);
  pen.strokeStyle = colours.accent;
  pen.lineWidth = 1.5;
  if (x >= labelWidth()) pen.strokeRect(x, AXIS, 0.1, canvas.clientHeight);
  const row = rows[chosen.row];
  if (row) pen.strokeRect(1, row.top - 2 - down, canvas.clientWidth - 2, row.height + 4);
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

function draw() {
  const whole = layOut();
  const high = Math.min(whole, Math.max(220, Math.min(innerHeight * 0.72, 736)));
  holder.firstChild.style.height = `${whole - high}px`;
  const pen = fit(canvas, high);
  const down = holder.scrollTop;
  marks(pen);
  for (const row of rows) {
    const y = row.top - down;
    if (y + row.height < AXIS || y > high) continue;
    if (row.kind === "processor" || row.kind === "thread") drawLane(pen, row, y, row.height);
    if (row.kind === "thread") drawMoves(pen, row, y);
    if (row.kind === "queue") drawQueue(pen, row, y, row.height);
  }
  drawPackets(pen, down);
  drawLosses(pen, down);
  // The axis stays above rows that are scrolled under it.
  if (down > 0) {
    pen.fillStyle = colours.panel;
    pen.fillRect(0, 0, canvas.clientWidth, AXIS - 4);
    marks(pen);
  }
  drawLabels(pen, down);
  drawChosen(pen, down);
  drawMini();
  $("span").textContent = `${moment(view.from)} to ${moment(view.to)}: ${lengths(view.to - view.from)}`;
}

/** The whole run in little: the part of their time in which processors run threads, and which part is seen above. */
function drawMini() {
  const pen = fit(mini, 36);
  const wide = mini.clientWidth;
  const step = (RANGE.to - RANGE.from) / wide;
  pen.fillStyle = colours.user;
  const lanes = PROCESSORS.map(({ lane }) => lane);
  miniShares ??= new Map();
  if (!miniShares.has(wide)) {
    miniShares.set(
      wide,
      Array.from(
        { length: wide },
        (_, x) =>
          lanes.reduce((sum, lane) => sum + lane.cyclesOf(0, RANGE.from + x * step, RANGE.from + (x + 1) * step), 0) /
          step /
          Math.max(1, lanes.length),
      ),
    );
  }
  miniShares.get(wide).forEach((share, x) => pen.fillRect(x, 36 - share * 34, 1, share * 34));
  const [left, right] = [view.from, view.to].map((cycle) => ((cycle - RANGE.from) / (RANGE.to - RANGE.from)) * wide);
  pen.fillStyle = colours.panel;
  pen.globalAlpha = 0.65;
  pen.fillRect(0, 0, left, 36);
  pen.fillRect(right, 0, wide - right, 36);
  pen.globalAlpha = 1;
  pen.strokeStyle = colours.accent;
  pen.lineWidth = 2;
  pen.strokeRect(left + 1, 1, Math.max(2, right - left - 2), 34);
}

/** Shows a part of the run, as much of it as there is. */
function show(from, to) {
  const least = Math.min(RANGE.to - RANGE.from, Math.max(20 * TICK, 100));
  const span = Math.min(Math.max(to - from, least), RANGE.to - RANGE.from);
  const middle = (from + to) / 2;
  view.from = Math.min(Math.max(middle - span / 2, RANGE.from), RANGE.to - span);
  view.to = view.from + span;
  redraw();
}

function zoom(factor, cycle = (view.from + view.to) / 2) {
  const span = (view.to - view.from) * factor;
  const part = (cycle - view.from) / (view.to - view.from);
  const from = cycle - part * span;
  show(from, from + span);
}

function pan(part) {
  const by = (view.to - view.from) * part;
  show(view.from + by, view.to + by);
}
