// The time-line of a run that goes on: the report's drawing, of the last so many seconds.

let words = null;
let record = null;
let follows = true;
let isDrawn = false;

/** Whether the run began with this class of events. */
const hasClass = (wanted) => CONTENTS.classes.some(([name, , bit]) => name === wanted && (record.dgl & bit) !== 0);

/** Takes what is to be drawn now. */
function takeShown(shown) {
  const was = { ...view };
  const most = Math.max(1, ...shown.timeline.queues.flatMap(({ lane }) => lane.state.filter((length) => length >= 0 && length < words.length_unknown)));
  const tellsThreads = hasClass("profile") || shown.timeline.threads.length > 0;
  const tellsQueues = tellsThreads || hasClass("ready");
  $("untold").hidden = tellsQueues;
  take({
    ...shown,
    record,
    words,
    threads: {},
    analysis: { cpu: tellsThreads ? {} : null, queues: tellsQueues ? { processors: [{ max: most }] } : null },
  });
  if (RANGE.to <= RANGE.from) RANGE.to = RANGE.from + Math.max(TICK, 1);
  if (follows) followNow();
  else {
    const span = Math.min(was.to - was.from, RANGE.to - RANGE.from);
    view.from = Math.min(Math.max(was.from, RANGE.from), RANGE.to - span);
    view.to = view.from + span;
  }
  if (isDrawn) redraw();
}

/** The newest part: what the choice above the drawing says. */
function followNow() {
  const span = Number($("span-of").value) * CLOCK;
  view.to = RANGE.to;
  view.from = Math.max(RANGE.from, RANGE.to - span);
  if (view.to - view.from < 100) view.to = view.from + 100;
}

function showDrawing() {
  if (isDrawn) return;
  $("drawing").append(...timeline(true).flat(3).filter(Boolean));
  startTimeline();
  // Who moves or zooms wants to look at that part.
  const stop = () => setFollow(false);
  for (const kind of ["wheel", "dblclick"]) canvas.addEventListener(kind, (event) => (kind === "dblclick" || event.ctrlKey) && stop());
  canvas.addEventListener("pointermove", (event) => event.buttons && stop());
  canvas.addEventListener("keydown", (event) => ["ArrowLeft", "ArrowRight", "+", "-", "=", "Home", "PageUp", "PageDown"].includes(event.key) && stop());
  mini.addEventListener("pointerdown", stop);
  $("drawing").querySelectorAll(".bar button").forEach((button) => button.addEventListener("click", stop));
  isDrawn = true;
}

function setFollow(value) {
  follows = $("follow").checked = value;
}
