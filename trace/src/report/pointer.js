// What is under the pointer or chosen by keys, in words; mouse, fingers and keys on the time-line.

/** The row and cycle at a place of the canvas; packets first, since they lie above. */
function under(x, y) {
  const down = holder.scrollTop;
  if (x < labelWidth() || y < AXIS) return null;
  const near = visiblePackets();
  if (near.length <= 1500) {
    const closest = near
      .map((line) => ({ line, distance: distanceTo(line, x, y + down) }))
      .reduce((best, one) => (one.distance < best.distance ? one : best), { distance: 5 });
    if (closest.line) return { packet: closest.line.packet };
  }
  const row = rows.findIndex(({ kind, top, height }) => kind !== "title" && y + down >= top - 2 && y + down <= top + height + 2);
  return row < 0 ? null : { row, cycle: cycleAt(x) };
}

function distanceTo({ x0, y0, x1, y1 }, x, y) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const part = Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - x0 - part * dx, y - y0 - part * dy);
}

/** Lines of text about what was found. */
function describe(found) {
  if (!found) return [];
  if (found.packet) return describePacket(found.packet);
  const row = rows[found.row];
  const cell = row?.lane ? row.lane.find(found.cycle) : -1;
  const name = row?.kind === "queue" ? `Ready queue of ${row.name}` : row?.kind === "thread" ? `Thread ${row.name}` : row?.name;
  if (!row?.lane) return [];
  if (cell < 0 || row.lane.states[cell] === NOTHING)
    return [name, `${moment(found.cycle)}: ${row.kind === "thread" ? "not alive, as far as events tell" : "nothing known"}`];
  const { lane } = row;
  const [from, to] = [lane.starts[cell], lane.starts[cell + 1]];
  const when = `${moment(from)} to ${moment(to)}: ${lengths(to - from)}`;
  if (row.kind === "queue") return [name, queueText(lane, cell), when];
  const lines = [name];
  const words = row.kind === "processor" ? DOING : STATES;
  if (lane.isPure(cell)) {
    const state = row.words[lane.states[cell]];
    lines.push(`${capital(state)}: ${words[state]}`);
    const runner = row.kind === "processor" && state === "user" && runnerAt(row.number, Math.min(Math.max(found.cycle, from), to - 1));
    if (runner) lines.push(`Thread ${runner}`);
    if (row.kind === "thread" && lane.blockedOn(cell) !== null) lines.push(`Blocked: ${D.timeline.on[lane.blockedOn(cell)][0]}`);
  } else {
    lines.push("Merged, since much happens here:");
    for (const [state, share] of lane.shares(cell)) lines.push(`  ${row.words[state] ?? "not alive"} ${percent(share, 1)}`);
  }
  if (row.kind === "thread") {
    const at = lane.processor(cell);
    lines.push(at === null ? "On several processors" : `On ${processorName(at)}`);
  }
  return [...lines, when];
}

function queueText(lane, cell) {
  const mean = meanLength(lane, cell);
  if (mean === null) return "Length unknown after a loss";
  if (!lane.isPure(cell)) return `${mean.toFixed(2)} threads are ready on average, besides the running one`;
  return `${plural(mean, "thread")} ready, besides the running one`;
}

function describePacket([from, to, sent, served, kind, channel]) {
  const name = D.timeline.packet_names[kind];
  const about = packetGroup(kind) === "exchange" ? `, channel ${channel}` : "";
  return [
    `Packet ${name}${about}: ${processorName(from)} to ${processorName(to)}`,
    `Handed over at ${moment(sent)}`,
    `Served at ${moment(served)}, after ${lengths(served - sent)}`,
  ];
}

function tell(lines) {
  $("detail").replaceChildren(...lines.map((line, place) => h(place ? "div" : "strong", {}, line)));
}

const HINT =
  "Point at a row or a packet. With keys: left and right go from cell to cell, up and down from row to row, plus and minus zoom, Home shows all.";

function place(event, element) {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function listenToPointers() {
  const fingers = new Map();
  let start = null;
  let moved = false;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, place(event, canvas));
    start = { ...view, x: place(event, canvas).x, select: event.shiftKey, span: spread(fingers) };
    moved = false;
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = place(event, canvas);
    if (!fingers.has(event.pointerId)) {
      const lines = describe(under(at.x, at.y));
      showTip(lines.join("\n"), event.clientX, event.clientY);
      return;
    }
    fingers.set(event.pointerId, at);
    moved ||= Math.abs(at.x - start.x) > 4;
    if (!moved) return;
    showTip("");
    if (fingers.size === 2) return pinch(fingers, start);
    if (start.select) return;
    const by = ((start.x - at.x) / plotWidth()) * (start.to - start.from);
    show(start.from + by, start.to + by);
  });
  const end = (event) => {
    const at = fingers.get(event.pointerId);
    fingers.delete(event.pointerId);
    if (!at || !start) return;
    if (!moved && event.type === "pointerup") choose(under(at.x, at.y));
    if (moved && start.select && event.type === "pointerup") {
      const ends = [start.x, at.x].map(cycleAt).sort((one, other) => one - other);
      show(...ends);
    }
    start = fingers.size ? { ...view, x: [...fingers.values()][0].x, span: 0 } : null;
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => showTip(""));
  canvas.addEventListener("dblclick", (event) => zoom(0.25, cycleAt(place(event, canvas).x)));
  canvas.addEventListener("wheel", wheel, { passive: false });
  const jump = (event) => {
    if (!event.buttons) return;
    const middle = RANGE.from + (place(event, mini).x / mini.clientWidth) * (RANGE.to - RANGE.from);
    const half = (view.to - view.from) / 2;
    show(middle - half, middle + half);
  };
  mini.addEventListener("pointerdown", (event) => {
    mini.setPointerCapture(event.pointerId);
    jump(event);
  });
  mini.addEventListener("pointermove", jump);
}

function spread(fingers) {
  const [one, other] = [...fingers.values()];
  return other ? Math.max(20, Math.abs(one.x - other.x)) : 0;
}

function pinch(fingers, start) {
  if (!start.span) return;
  const factor = start.span / spread(fingers);
  const span = (start.to - start.from) * factor;
  const xs = [...fingers.values()].map(({ x }) => x);
  const part = ((xs[0] + xs[1]) / 2 - labelWidth()) / plotWidth();
  const middle = start.from + part * (start.to - start.from);
  show(middle - part * span, middle + (1 - part) * span);
}

// A wheel alone scrolls the page, as everywhere.
function wheel(event) {
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    zoom(1.0018 ** event.deltaY, cycleAt(place(event, canvas).x));
  } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    pan(event.deltaX / plotWidth());
  }
}

function choose(found) {
  if (found && !found.packet) chosen = found;
  tell(found ? describe(found) : [HINT]);
  redraw();
}

/** The chosen row's cell before or after the chosen one. */
function step(by) {
  const { lane } = rows[chosen.row];
  const cell = Math.min(Math.max(lane.find(chosen.cycle) + by, 0), lane.count - 1);
  const [from, to] = [lane.starts[cell], lane.starts[cell + 1]];
  chosen.cycle = (from + to) / 2;
  const seen = view.to - view.from;
  if (chosen.cycle < view.from || chosen.cycle > view.to) show(chosen.cycle - seen / 2, chosen.cycle + seen / 2);
}

function otherRow(by) {
  let row = chosen.row;
  do row += by;
  while (rows[row]?.kind === "title");
  if (!rows[row]) return;
  chosen.row = row;
  const { top, height } = rows[row];
  if (top - 40 < holder.scrollTop) holder.scrollTop = top - 40;
  if (top + height + 6 > holder.scrollTop + canvas.clientHeight) holder.scrollTop = top + height + 6 - canvas.clientHeight;
}

function listenToKeys() {
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const first = rows.findIndex(({ kind }) => kind !== "title");
    chosen ??= { row: first, cycle: (view.from + view.to) / 2 };
    if (!rows[chosen.row]?.lane) chosen.row = first;
    const actions = {
      ArrowLeft: () => (event.shiftKey ? pan(-0.25) : step(-1)),
      ArrowRight: () => (event.shiftKey ? pan(0.25) : step(1)),
      ArrowUp: () => otherRow(-1),
      ArrowDown: () => otherRow(1),
      "+": () => zoom(0.5, chosen.cycle),
      "=": () => zoom(0.5, chosen.cycle),
      "-": () => zoom(2, chosen.cycle),
      Home: () => show(RANGE.from, RANGE.to),
      PageUp: () => pan(-0.9),
      PageDown: () => pan(0.9),
    };
    const action = actions[event.key];
    if (!action || first < 0) return;
    event.preventDefault();
    action();
    tell(describe(chosen));
    redraw();
  });
}
