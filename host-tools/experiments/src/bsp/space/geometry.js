// Where things are: a cube of logarithmic axes, turned, and seen from far away.

const VIEW = { width: 640, height: 560, scale: 340 };
// Radians: around the vertical axis, and from the side up.
const HOME = { yaw: -0.62, pitch: 0.42 };
const AXES = ["p", "l", "g"];

/** The decades, halved and fifthed, that hold all values: both ends, and the ticks between them. */
function scaleOf(values) {
  const steps = [];
  const least = Math.min(...values);
  const most = Math.max(...values);
  for (let decade = Math.floor(Math.log10(least)); decade <= Math.ceil(Math.log10(most)); decade += 1)
    for (const part of [1, 2, 5]) steps.push(Number(`${part}e${decade}`));
  const from = steps.filter((step) => step <= least).at(-1);
  let to = steps.find((step) => step >= most);
  if (to === from) to = steps.find((step) => step > from);
  const ticks = steps.filter((step) => step >= from && step <= to);
  const decades = ticks.filter((tick) => /^1(e|0*$)/.test(String(tick)) || /^0\.0*1$/.test(String(tick)));
  // Where there are many, powers of ten are enough.
  const shown = ticks.length > 7 && decades.length > 2 ? decades : ticks;
  const place = (value) => (Math.log(value) - Math.log(from)) / (Math.log(to) - Math.log(from)) - 0.5;
  return { from, to, ticks: shown, place };
}

/** The place in the picture of a place in the cube, each of whose coordinates is from -0.5 to 0.5. */
function project(view, [p, l, g]) {
  const across = p * Math.cos(view.yaw) - g * Math.sin(view.yaw);
  const away = p * Math.sin(view.yaw) + g * Math.cos(view.yaw);
  return {
    x: VIEW.width / 2 + VIEW.scale * across,
    y: VIEW.height / 2 - VIEW.scale * (l * Math.cos(view.pitch) + away * Math.sin(view.pitch)),
    depth: away * Math.cos(view.pitch) - l * Math.sin(view.pitch),
  };
}

/** A view that is turned by so much; from the side at least, from above at most. */
function turned(view, yaw, pitch) {
  return { yaw: view.yaw + yaw, pitch: Math.min(Math.PI / 2, Math.max(0, view.pitch + pitch)) };
}

/** The floor's edges that are nearest, as signs of g and p; and the vertical edge that is furthest left. */
function edges(view) {
  const corners = [-0.5, 0.5].flatMap((p) => [-0.5, 0.5].map((g) => [p, g]));
  const left = corners
    .map(([p, g]) => ({ p, g, x: project(view, [p, 0, g]).x }))
    .reduce((one, other) => (other.x < one.x ? other : one));
  return { g: Math.cos(view.yaw) > 0 ? -0.5 : 0.5, p: Math.sin(view.yaw) > 0 ? -0.5 : 0.5, left };
}
