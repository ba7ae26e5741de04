// Elements of the picture. They are made once for each unit, and moved when it is turned, so that the
// focus stays where it is.

const $ = (id) => document.getElementById(id);
const { points } = JSON.parse($("data").textContent);
const machines = [...new Set(points.map((point) => point.machine))];
// Elements of pictures belong to a name space, which the page's own parser knows.
const PICTURES = (() => {
  const holder = document.createElement("div");
  holder.innerHTML = "<svg></svg>";
  return holder.firstChild.namespaceURI;
})();

function picture(tag, attributes = {}, ...children) {
  const element = document.createElementNS(PICTURES, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes))
    element.setAttribute(name, typeof value === "number" ? Math.round(value * 10) / 10 : value);
}

/** A number to three digits, thousands apart. */
function number(value) {
  const rounded = Number(value.toPrecision(value >= 1000 ? 4 : 3));
  const [whole, part] = String(rounded).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return part ? `${grouped}.${part}` : grouped;
}

const UNITS = {
  cycles: { l: (point) => point.l_cycles, g: (point) => point.g_cycles, l_label: "l, cycles", g_label: "g, cycles a word" },
  flops: { l: (point) => point.l_flops, g: (point) => point.g_flops, l_label: "l, flops", g_label: "g, flops a word" },
};

// A machine's mark: another form for each, for those who see no colours.
const FORMS = [
  "M-6 0A6 6 0 1 1 6 0A6 6 0 1 1 -6 0Z",
  "M-5.5 -5.5H5.5V5.5H-5.5Z",
  "M0 -7L6.5 5H-6.5Z",
  "M0 -7.5L7.5 0L0 7.5L-7.5 0Z",
  "M-2 -6.5H2V-2H6.5V2H2V6.5H-2V2H-6.5V-2H-2Z",
];
// How near one has to point to a mark.
const NEAR = 13;
const form = (machine) => FORMS[machines.indexOf(machine) % FORMS.length];
const colour = (machine) => `s${machines.indexOf(machine) % FORMS.length}`;

function describe(point) {
  return (
    `${point.machine}, p = ${point.processes}: l = ${number(point.l_cycles)} cycles (${number(point.l_flops)} flops), ` +
    `g = ${number(point.g_cycles)} cycles a word (${number(point.g_flops)} flops), ` +
    `s = ${number(point.speed_mflops)} Mflop/s at ${number(point.clock_mhz)} MHz`
  );
}

/** The picture in a unit, as elements and a function that puts them into their places for a view. */
function build(unit, choose) {
  const of = UNITS[unit];
  const scales = {
    p: scaleOf(points.map((point) => point.processes)),
    l: scaleOf(points.map(of.l)),
    g: scaleOf(points.map(of.g)),
  };
  const place = (point) => [scales.p.place(point.processes), scales.l.place(of.l(point)), scales.g.place(of.g(point))];
  const moves = [];
  const root = picture("svg", {
    class: "space", viewBox: `0 0 ${VIEW.width} ${VIEW.height}`, tabindex: "0", role: "group",
    "aria-label": "Machines by p, l and g. Arrow keys turn the picture, Home turns it back.",
  });
  frame(root, moves, scales, of);
  for (const machine of machines) {
    const own = points.filter((point) => point.machine === machine).sort((one, other) => one.processes - other.processes);
    const path = picture("path", { class: `joined ${colour(machine)}` });
    root.append(path);
    moves.push((view) => set(path, { d: `M${own.map((point) => at(project(view, place(point)))).join("L")}` }));
  }
  points.forEach((point, index) => marker(root, moves, point, place(point), () => choose(index), index));
  const put = (view) => moves.forEach((move) => move(view));
  /** The mark that is nearest to a place on the screen, and near enough; `null` if none is. */
  const near = (view, { clientX, clientY }) => {
    const { left, top, width } = root.getBoundingClientRect();
    const fine = VIEW.width / width;
    const far = points.map((point) => {
      const { x, y } = project(view, place(point));
      return Math.hypot(x - (clientX - left) * fine, y - (clientY - top) * fine);
    });
    const least = Math.min(...far);
    return least < NEAR * Math.max(1, fine) ? far.indexOf(least) : null;
  };
  return { root, put, near };
}

const at = ({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** A point with its line to the floor, and its place there. */
function marker(root, moves, point, place, choose, index) {
  const drop = picture("path", { class: `drop ${colour(point.machine)}` });
  const shadow = picture("circle", { class: `shadow ${colour(point.machine)}`, r: "2.5" });
  const name = describe(point);
  const mark = picture(
    "g",
    { class: `point ${colour(point.machine)}${point.ours ? " ours" : ""}`, id: `point-${index}`, tabindex: "0", role: "img", "aria-label": name },
    picture("title", {}, name),
    picture("circle", { class: "target", r: NEAR }),
    picture("path", { d: form(point.machine) }),
  );
  mark.addEventListener("focus", choose);
  root.append(drop, shadow, mark);
  moves.push((view) => {
    const top = project(view, place);
    const foot = project(view, [place[0], -0.5, place[2]]);
    set(mark, { transform: `translate(${at(top)})` });
    set(drop, { d: `M${at(top)}L${at(foot)}` });
    set(shadow, { cx: foot.x, cy: foot.y });
  });
}

/** A line between two places that depend on the view. */
function line(root, moves, kind, ends) {
  const path = picture("path", { class: kind });
  root.append(path);
  moves.push((view) => {
    const [from, to] = ends(view);
    set(path, { d: `M${at(project(view, from))}L${at(project(view, to))}` });
  });
}

/** A text beside a place that depends on the view; `away` is where it lies from there, in the cube. */
function label(root, moves, kind, text, where, away) {
  const element = picture("text", { class: kind, "text-anchor": "middle" }, text);
  root.append(element);
  moves.push((view) => {
    const from = project(view, where(view));
    const to = project(view, where(view).map((value, axis) => value + away(view)[axis]));
    const [x, y] = [to.x - from.x, to.y - from.y];
    const length = Math.hypot(x, y) || 1;
    const far = kind === "label" ? 44 : 16;
    // Beside its place, but not out of the picture.
    const half = element.getComputedTextLength() / 2;
    const beside = x > 0.4 * length ? half : x < -0.4 * length ? -half : 0;
    const wanted = from.x + (far * x) / length + beside;
    const middle = Math.min(VIEW.width - half, Math.max(half, wanted));
    // What had to move lies below the ticks, not on them.
    const below = Math.min(34, Math.abs(wanted - middle));
    set(element, { x: middle, y: from.y + (far * y) / length + 4 + below });
  });
}

/** The floor with its grid, the vertical axis, ticks and names. */
function frame(root, moves, scales, of) {
  for (const tick of scales.p.ticks) {
    const p = scales.p.place(tick);
    line(root, moves, "grid", () => [[p, -0.5, -0.5], [p, -0.5, 0.5]]);
    label(root, moves, "tick", number(tick), (view) => [p, -0.5, edges(view).g], (view) => [0, 0, edges(view).g]);
  }
  for (const tick of scales.g.ticks) {
    const g = scales.g.place(tick);
    line(root, moves, "grid", () => [[-0.5, -0.5, g], [0.5, -0.5, g]]);
    label(root, moves, "tick", number(tick), (view) => [edges(view).p, -0.5, g], (view) => [edges(view).p, 0, 0]);
  }
  const left = (view) => edges(view).left;
  // To the left in the picture, whatever way the cube is turned.
  const outwards = (view) => [-Math.cos(view.yaw), 0, Math.sin(view.yaw)];
  for (const tick of scales.l.ticks) {
    const l = scales.l.place(tick);
    line(root, moves, "axis", (view) => {
      const [across, , away] = outwards(view);
      const { p, g } = left(view);
      return [[p, l, g], [p + 0.015 * across, l, g + 0.015 * away]];
    });
    label(root, moves, "tick", number(tick), (view) => [left(view).p, l, left(view).g], outwards);
  }
  line(root, moves, "axis", (view) => [[left(view).p, -0.5, left(view).g], [left(view).p, 0.5, left(view).g]]);
  line(root, moves, "axis", (view) => [[-0.5, -0.5, edges(view).g], [0.5, -0.5, edges(view).g]]);
  line(root, moves, "axis", (view) => [[edges(view).p, -0.5, -0.5], [edges(view).p, -0.5, 0.5]]);
  label(root, moves, "label", "p, processes", (view) => [0, -0.5, edges(view).g], (view) => [0, 0, edges(view).g]);
  label(root, moves, "label", of.g_label, (view) => [edges(view).p, -0.5, 0], (view) => [edges(view).p, 0, 0]);
  label(root, moves, "label", of.l_label, (view) => [left(view).p, 0.5, left(view).g], () => [0, 1, 0]);
}
