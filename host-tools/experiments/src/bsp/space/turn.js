// Mouse, fingers, keys and buttons.

const STEP = Math.PI / 24;
let view = { ...HOME };
let drawn = null;
let chosen = null;

const rows = [...document.querySelectorAll("#numbers tbody tr")];

/** Shows a point's numbers, and which row of the table it is; `null` for none. */
function choose(index) {
  if (chosen !== null) {
    $(`point-${chosen}`)?.classList.remove("chosen");
    rows[chosen]?.classList.remove("chosen");
  }
  chosen = index;
  if (index === null) return;
  $(`point-${index}`).classList.add("chosen");
  rows[index]?.classList.add("chosen");
  $("detail").textContent = `${describe(points[index])}. ${points[index].what}. Source: ${points[index].source}.`;
}

function turn(yaw, pitch) {
  view = turned(view, yaw, pitch);
  drawn.put(view);
}

function home() {
  view = { ...HOME };
  drawn.put(view);
}

function draw(unit) {
  drawn = build(unit, choose);
  $("picture").replaceChildren(drawn.root);
  // Texts have a width only where they are shown.
  drawn.put(view);
  drawn.root.addEventListener("keydown", key);
  drawn.root.addEventListener("pointerdown", drag);
  drawn.root.addEventListener("pointermove", point);
  if (chosen !== null) choose(chosen);
}

function key(event) {
  const turns = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Home") home();
  else if (turns[event.key]) turn(...turns[event.key]);
  else return;
  event.preventDefault();
}

/** Shows the mark that is pointed at, unless the picture is being turned. */
function point(event) {
  const index = event.buttons === 0 || event.type === "pointerdown" ? drawn.near(view, event) : null;
  if (index !== null && index !== chosen) choose(index);
}

/** Turns with the pointer until it is let go; a finger up or down scrolls the page instead. */
function drag(event) {
  if (!event.isPrimary || event.button !== 0) return;
  point(event);
  const root = drawn.root;
  let [x, y] = [event.clientX, event.clientY];
  const move = (now) => {
    const speed = Math.PI / root.getBoundingClientRect().width;
    turn((now.clientX - x) * speed, (now.clientY - y) * speed);
    [x, y] = [now.clientX, now.clientY];
  };
  const end = () => {
    root.removeEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) root.removeEventListener(name, end);
  };
  root.setPointerCapture(event.pointerId);
  root.addEventListener("pointermove", move);
  for (const name of ["pointerup", "pointercancel"]) root.addEventListener(name, end);
}

for (const machine of machines) {
  const sample = picture("svg", { class: "sample", viewBox: "-9 -9 18 18", width: "18", height: "18", "aria-hidden": "true" });
  const ours = points.some((point) => point.ours && point.machine === machine) ? " ours" : "";
  sample.append(picture("path", { class: `mark ${colour(machine)}${ours}`, d: form(machine) }));
  const entry = document.createElement("li");
  entry.append(sample, ` ${machine}`);
  $("legend").append(entry);
}
rows.forEach((row, index) => row.addEventListener("pointerenter", () => choose(index)));
for (const input of document.querySelectorAll("input[name=unit]")) input.addEventListener("change", () => draw(input.value));
for (const [id, yaw, pitch] of [["left", -STEP, 0], ["right", STEP, 0], ["up", 0, STEP], ["down", 0, -STEP]])
  $(id).addEventListener("click", () => turn(yaw, pitch));
$("home").addEventListener("click", home);
// Texts are larger on a narrow page.
addEventListener("resize", () => drawn.put(view));
draw(document.querySelector("input[name=unit]:checked").value);
