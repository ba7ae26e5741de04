// The time-line with its buttons, switches and legends.

/** All of it; of a page that is live, also what the data may come to need. */
function timeline(isLive = false) {
  if (!isLive && !PROCESSORS.length && !QUEUES.length)
    return h("p", {}, "The run has not recorded what a time-line needs: the event class profile, or ready.");
  const button = (text, label, action) => h("button", { type: "button", "aria-label": label, "data-tip": label, onclick: action }, text);
  const check = (key, text) =>
    h(
      "label",
      { class: "switch" },
      h("input", {
        type: "checkbox",
        checked: shown[key],
        onchange: (event) => {
          shown[key] = event.target.checked;
          redraw();
        },
      }),
      text,
    );
  mini = h("canvas", { role: "img", "aria-label": "The whole run in little: how busy the processors are, and which part is shown" });
  canvas = h("canvas", {
    tabindex: "0",
    role: "application",
    "aria-label": "Time-line. Left and right go from cell to cell, up and down from row to row, plus and minus zoom, Home shows all.",
    "aria-describedby": "detail",
  });
  holder = h("div", { class: "rows" }, h("div", { style: { position: "absolute", width: "1px" } }), canvas);
  const states = (words, rows) =>
    words.filter(
      (_, state) => isLive || rows.some(({ lane }) => lane.states.includes(state) || lane.mixed.some((cells) => cells.includes(state))),
    );
  const groups = new Set(isLive ? Object.keys(PACKET_GROUPS) : D.timeline.packets.map((packet) => packetGroup(packet[4])));
  return [
    h(
      "p",
      { class: "soft" },
      "What each processor and each thread did, and the packets between processors. Drag to move; pinch, double-click or Ctrl + wheel to zoom; Shift + drag zooms to a part.",
    ),
    h(
      "div",
      { class: "bar" },
      button("−", "Zoom out", () => zoom(2)),
      button("+", "Zoom in", () => zoom(0.5)),
      button("◀", "Earlier", () => pan(-0.5)),
      button("▶", "Later", () => pan(0.5)),
      button("All", "Show the whole time", () => show(RANGE.from, RANGE.to)),
      (isLive || (PROCESSORS.length > 0 && D.timeline.packets.length > 0)) && check("packets", "packets"),
      (isLive || (PROCESSORS.length > 0 && QUEUES.length > 0)) && check("queues", "ready queues"),
      (isLive || THREADS.length > 0) && check("threads", "threads"),
      h("output", { id: "span", class: "soft" }),
    ),
    h("div", { class: "mini" }, mini),
    holder,
    h("div", { class: "detail", id: "detail", "aria-live": "polite" }, h("div", {}, HINT)),
    (isLive || PROCESSORS.length > 0) && legend(states(D.words.doing, PROCESSORS), DOING, "", "Processors"),
    groups.size > 0 && legend([...groups].sort(), PACKET_GROUPS, "line", "Packets"),
    (isLive || THREADS.length > 0) && [
      legend(states(D.words.states, THREADS), STATES, "", "Threads"),
      h(
        "p",
        { class: "soft" },
        "A triangle above a thread's row: it has come to another processor. Where much happens, colours share the height as the states share the time.",
      ),
    ],
  ];
}

function startTimeline() {
  if (!canvas) return;
  readColours();
  listenToPointers();
  listenToKeys();
  holder.addEventListener("scroll", redraw, { passive: true });
  new ResizeObserver(redraw).observe(holder);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColours();
    redraw();
  });
  draw();
}
