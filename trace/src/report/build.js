// Elements, tables and sections. Text from the data goes in as text only, never as markup.

const $ = (id) => document.getElementById(id);

/** An element with attributes and children; `null` children are left out. */
function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// Elements of pictures belong to a name space, which the page's own parser knows.
const PICTURES = (() => {
  const holder = document.createElement("div");
  holder.innerHTML = "<svg></svg>";
  return holder.firstChild.namespaceURI;
})();
function picture(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(PICTURES, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(3).filter((child) => child != null && child !== false));
  return element;
}

/**
 * A table: columns are texts, or pairs of a text and a class; rows are cells, each a text, an element, or a pair of one and a class.
 * The first cell of each row is its header.
 */
function table(caption, columns, rows) {
  const pair = (cell) => (Array.isArray(cell) ? cell : [cell, null]);
  const head = columns.map(pair).map(([text, kind]) => h("th", { scope: "col", class: kind }, text));
  const body = rows.map((row) =>
    h(
      "tr",
      {},
      row
        .map(pair)
        .map(([cell, kind], place) =>
          place === 0 ? h("th", { scope: "row", class: kind }, cell) : h("td", { class: kind ?? pair(columns[place])[1] }, cell),
        ),
    ),
  );
  // What is wider than the page is reached by the arrow keys.
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)),
  );
}

function folded(summary, ...children) {
  return h("details", {}, h("summary", {}, summary), children);
}

function notice(kind, ...children) {
  return h("div", { class: `notice ${kind}` }, children);
}

/** Text in which what stands between backticks is code. */
const prose = (text) => text.split("`").map((part, place) => (place % 2 ? h("code", {}, part) : part));

const list = (items) =>
  h(
    "ul",
    {},
    items.map((item) => h("li", {}, prose(item))),
  );

function legend(names, words, kind = "", title = "") {
  return h(
    "ul",
    { class: "legend" },
    title && h("li", {}, h("strong", {}, title)),
    names.map((name) =>
      h(
        "li",
        { "data-tip": words[name] },
        h("span", {
          class: `swatch ${kind} ${name === "unknown" ? "hatch" : ""}`,
          style: kind === "line" ? { "border-color": `var(--${name})` } : { "background-color": `var(--${name})` },
        }),
        kind === "line" ? words[name] : `${name}`,
      ),
    ),
  );
}

/** One bar of shares; `parts` are pairs of a state and its cycles. */
function stack(parts, total, label) {
  return h(
    "div",
    { class: "stack", role: "img", "aria-label": label },
    parts
      .filter(([, cycles]) => cycles > 0)
      .map(([name, cycles]) =>
        h("i", {
          class: name === "unknown" ? "hatch" : null,
          style: { flex: `${cycles} 0 0`, "background-color": `var(--${name})` },
          "data-tip": `${capital(name)}: ${percent(cycles, total)}\n${lengths(cycles)}`,
        }),
      ),
  );
}

// Sections are filled again when the unit changes.
const sections = [];
function section(id, title, content) {
  sections.push({ id, title, content });
}

function showSections() {
  $("nav").replaceChildren(
    h(
      "ul",
      {},
      sections.map(({ id, title }) => h("li", {}, h("a", { href: `#${id}` }, title))),
    ),
  );
  for (const { id, title, content } of sections) {
    const body = h("div", {});
    $("main").append(h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), body));
    body.append(...[content()].flat(3).filter(Boolean));
  }
}

function refill() {
  for (const { id, content } of sections.filter((section) => section.id !== "timeline")) {
    const open = [...$(id).querySelectorAll("details")].map((one) => one.open);
    $(id).lastChild.replaceChildren(...[content()].flat(3).filter(Boolean));
    $(id)
      .querySelectorAll("details")
      .forEach((one, place) => (one.open = open[place] ?? false));
  }
}

// One tip for all that has one, beside the pointer or the focus.
function showTip(text, x, y) {
  const tip = $("tip");
  tip.textContent = text;
  tip.hidden = !text;
  if (!text) return;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(Math.max(6, x + 14), innerWidth - width - 6);
  const top = y + 18 + height > innerHeight - 6 ? Math.max(6, y - height - 12) : y + 18;
  tip.style.left = `${left}px`;
  tip.style.top = `${top}px`;
}

document.addEventListener("pointermove", (event) => {
  if (event.target instanceof HTMLCanvasElement) return;
  const holder = event.target.closest?.("[data-tip]");
  showTip(holder ? holder.dataset.tip : "", event.clientX, event.clientY);
});
document.addEventListener("keydown", (event) => event.key === "Escape" && showTip(""));
document.addEventListener("scroll", () => showTip(""), { passive: true, capture: true });
