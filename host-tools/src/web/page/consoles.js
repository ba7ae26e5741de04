// The consoles of all processors, in tabs or side by side, and what is typed.

let screens = [];
// The console that is shown, and whether somebody has chosen it.
let selected = 0;
let isChosen = false;
const typedLines = [];
let typedPlace = 0;

function showConsoles(names) {
  screens = names.map((name, number) => {
    const tab = h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${number}`,
        "aria-controls": `screen-${number}`,
        onclick: () => select(number, true),
        onkeydown: (event) => tabKey(event, number),
      },
      name,
    );
    const output = h("pre", { class: "console", tabindex: "0", "aria-label": `What ${name} has printed`, role: "log", "aria-live": "off" });
    const panel = h(
      "div",
      { role: "tabpanel", id: `screen-${number}`, "aria-labelledby": `tab-${number}` },
      h("div", { class: "whose soft", "aria-hidden": "true" }, name),
      output,
    );
    const one = { screen: new Screen(), name, tab, panel, output, isNew: false, isSeen: false, follows: true };
    // Who scrolls up wants to read, and who scrolls down again wants to see what comes.
    output.addEventListener("scroll", () => !panel.hidden && (one.follows = isAtEnd(output)));
    return one;
  });
  $("tabs").replaceChildren(...screens.map(({ tab }) => tab));
  $("screens").replaceChildren(...screens.map(({ panel }) => panel));
  isChosen = false;
  select(Math.min(1, screens.length - 1), false);
}

const isAtEnd = (output) => output.scrollTop + output.clientHeight >= output.scrollHeight - 30;

function select(number, byHand) {
  selected = number;
  isChosen ||= byHand;
  const isBeside = $("beside").checked;
  $("screens").classList.toggle("beside", isBeside);
  screens.forEach(({ tab, panel, output }, place) => {
    const isOn = place === number;
    tab.setAttribute("aria-selected", String(isOn));
    tab.tabIndex = isOn ? 0 : -1;
    panel.hidden = !isOn && !isBeside;
    output.setAttribute("aria-live", isOn ? "polite" : "off");
  });
  if (screens[number]) screens[number].isNew = false;
  label();
  paintConsoles();
}

/** A tab says, not by colour alone, whether its console has something that nobody has seen. */
function label() {
  for (const { tab, name, isNew } of screens) {
    tab.replaceChildren(name, isNew ? h("span", { "aria-label": ", new output" }, " •") : "");
  }
}

function tabKey(event, number) {
  const last = screens.length - 1;
  const to = { ArrowRight: number === last ? 0 : number + 1, ArrowLeft: number === 0 ? last : number - 1, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  select(to, true);
  screens[to].tab.focus();
}

/** Takes pairs of a processor and a byte. */
function takeConsole(pairs) {
  const parts = screens.map(() => []);
  for (let place = 0; place + 1 < pairs.length; place += 2) parts[pairs[place]]?.push(pairs[place + 1]);
  let first = -1;
  parts.forEach((bytes, number) => {
    if (!bytes.length) return;
    const one = screens[number];
    one.screen.take(new Uint8Array(bytes));
    one.isSeen = true;
    one.isDue = true;
    one.isNew = number !== selected && !$("beside").checked;
    if (first < 0) first = number;
  });
  // The console that prints first is shown, until somebody chooses one.
  if (!isChosen && first >= 0 && !screens[selected].isSeen) select(first, false);
  label();
  wantFrame();
}

function paintConsoles() {
  for (const one of screens) {
    if (one.panel.hidden) continue;
    const { output, follows } = one;
    if (one.isDue) output.textContent = one.screen.text;
    one.isDue = false;
    // Also where nothing is new: a console that was hidden has lost its place.
    if (follows && !isAtEnd(output)) output.scrollTop = output.scrollHeight;
  }
}

// What was typed before there was a machine.
let early = "";
let isStarted = false;

function give(text) {
  if (isStarted) send("give", { bytes: new TextEncoder().encode(text) });
  else early += text;
}

function giveEarly() {
  isStarted = true;
  if (early) give(early);
  early = "";
}

const RAW_KEYS = {
  Enter: "\n",
  Backspace: "\x7f",
  Escape: "\x1b",
  ArrowUp: "\x1b[A",
  ArrowDown: "\x1b[B",
  ArrowRight: "\x1b[C",
  ArrowLeft: "\x1b[D",
  Home: "\x1b[H",
  End: "\x1b[F",
  Delete: "\x1b[3~",
};

/** Each key goes to the machine at once; the tabulator still leaves the field. */
function rawKey(event) {
  if (event.altKey || event.metaKey) return;
  const letter = event.key.length === 1 ? event.key : null;
  let text = RAW_KEYS[event.key] ?? letter;
  if (event.ctrlKey) text = letter && /[a-z\]]/i.test(letter) ? String.fromCharCode(letter.toUpperCase().charCodeAt(0) - 64) : null;
  if (text === null || text === undefined) return;
  event.preventDefault();
  give(text);
}

// Ctrl-] was pressed, and not yet the number of the processor to whose shell the console is to go.
let isSwitching = false;

function switchKey(event) {
  event.preventDefault();
  isSwitching = false;
  give(`\x1d${event.key}`);
  const number = /^[0-9a-f]$/.test(event.key) ? parseInt(event.key, 16) : -1;
  if (screens[number]) select(number, true);
}

function lineKey(event) {
  const field = $("typed");
  if (isSwitching && event.key.length === 1) {
    switchKey(event);
  } else if (event.ctrlKey && event.key === "]") {
    event.preventDefault();
    isSwitching = true;
  } else if (event.ctrlKey && event.key === "d" && !field.value) {
    event.preventDefault();
    give("\x04");
  } else if (event.ctrlKey && event.key === "c" && field.selectionStart === field.selectionEnd) {
    event.preventDefault();
    interrupt();
  } else if (event.ctrlKey && event.key === "z" && !field.value) {
    event.preventDefault();
    give("\x1a");
  } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    const to = typedPlace + (event.key === "ArrowUp" ? -1 : 1);
    if (to < 0 || to > typedLines.length) return;
    event.preventDefault();
    typedPlace = to;
    field.value = typedLines[to] ?? "";
  }
}

/** Ctrl-C: what is typed on the line is given up, too. */
function interrupt() {
  $("typed").value = "";
  give("\x03");
}

/** Several lines that are pasted are sent, but for what stands behind the last newline. */
function paste(event) {
  const text = event.clipboardData.getData("text").replaceAll(/\r\n?/g, "\n");
  const field = $("typed");
  if ($("raw").checked) {
    event.preventDefault();
    return give(text);
  }
  if (!text.includes("\n")) return;
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = field;
  const lines = `${value.slice(0, selectionStart)}${text}${value.slice(selectionEnd)}`.split("\n");
  field.value = lines.pop();
  for (const line of lines) sendLine(line);
}

function sendLine(line) {
  give(`${line}\n`);
  if (line && typedLines.at(-1) !== line) typedLines.push(line);
  typedPlace = typedLines.length;
}

function listenToTyping() {
  $("typing").addEventListener("submit", (event) => {
    event.preventDefault();
    sendLine($("typed").value);
    $("typed").value = "";
  });
  $("typed").addEventListener("paste", paste);
  for (const [id, act] of [["interrupt", interrupt], ["suspend", () => give("\x1a")]]) {
    $(id).addEventListener("click", () => {
      act();
      $("typed").focus();
    });
  }
  $("typed").addEventListener("keydown", (event) => ($("raw").checked ? rawKey(event) : lineKey(event)));
  $("eof").addEventListener("click", () => give("\x04"));
  $("beside").addEventListener("change", () => {
    for (const one of screens) [one.isDue, one.isNew] = [true, false];
    select(selected, true);
  });
}
