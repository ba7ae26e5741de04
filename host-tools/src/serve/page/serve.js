// The page about a run that goes on elsewhere: it asks its server now and then, and shows what has changed.

// Between two questions, in milliseconds. The page may spend one part in so many of its time on the answers.
const TOLD = 80;
const PART = 5;
// Where nothing changes, or nobody looks.
const SELDOM = 1000;
const ALL = "Infinity";

let run = "";
let printed = 0;
let drawn = "";
let patience = TOLD;
let isGone = false;
let files = "";

/** What has been typed and not been sent: bytes go one request after the other, in their order. */
let typed = [];
let isSending = false;

async function post(path, body = "") {
  const response = await fetch(path, { method: "POST", body });
  if (!response.ok) throw new Error(await response.text());
}

async function sendTyped() {
  if (isSending) return;
  isSending = true;
  while (typed.length) {
    const bytes = new Uint8Array(typed.splice(0, CONTENTS.typed_max));
    await tried(() => post("give", bytes));
  }
  isSending = false;
}

async function tried(act) {
  try {
    await act();
  } catch (error) {
    trouble(error.message);
  }
}

function send(kind, more) {
  if (kind === "give") {
    typed.push(...more.bytes);
    sendTyped();
  } else if (kind === "span") {
    tried(() => post(`draw?last=${more.span === Infinity ? "all" : Math.round(more.span * 1000)}`));
  }
}

function painted(took) {
  patience = Math.max(TOLD, PART * took);
}

const STATUS = {
  starting: (said) => `The run is being prepared: ${said || "its program is started"}.`,
  checking: (said) => `The run is over, and its folder is checked: ${said}.`,
  live: () => "The run goes on.",
  reading: () => "The folder is being read.",
  over: (said) => `${said[0].toUpperCase()}${said.slice(1)}.`,
};

function hear(told) {
  if (told.record && told.run !== run) {
    run = told.run;
    drawn = "";
    begun(told.record);
    describe(told.record);
    if (told.draws_all) $("span-of").value = ALL;
  }
  const bytes = Uint8Array.from(atob(told.pairs), (character) => character.charCodeAt(0));
  if (bytes.length) takeConsole(bytes);
  printed = told.printed;
  isRunning = told.mode === "live";
  const codes = told.mode === "over" && told.state.exits.length > 1 ? `; exits${exitCodes(told.state.exits)}` : "";
  showStatus(`${told.mode} ${told.said}${codes}`, STATUS[told.mode](told.said + codes));
  showTyping(told);
  if (!told.state) return;
  state = told.state;
  showFiles(told.files);
  showDamage(told);
  // What is drawn counts as known when it has been drawn, not before.
  const draw = () => {
    if (told.shown) drawn = told.drawn;
    return told.shown;
  };
  fresh = { state, time: performance.now(), draw };
  wantFrame();
}

async function poll() {
  let wait = SELDOM;
  try {
    const response = await fetch(`state?${new URLSearchParams({ run, printed, drawn })}`);
    if (!response.ok) throw new Error(await response.text());
    const told = await response.json();
    if (isGone) trouble("");
    isGone = false;
    hear(told);
    const isStill = document.hidden || (told.mode === "over" && !told.shown);
    wait = told.more ? 0 : isStill ? SELDOM : patience;
  } catch (error) {
    if (!isGone) trouble(`The server does not answer: ${error.message}\nIt ends with \`testbed serve\`; what has come so far stays here.`);
    isGone = true;
  }
  setTimeout(poll, wait);
}

function showTyping({ no_typing, can_end }) {
  $("end").hidden = !can_end;
  $("typing").hidden = $("typing-help").hidden = no_typing !== null;
  $("no-typing").hidden = no_typing === null;
  $("no-typing").textContent = no_typing ?? "";
  const isShell = no_typing === null && record?.program === "sh";
  $("monitors").hidden = !isShell;
  $("fixed").hidden = isShell;
}

/** What runs, as its record says. */
function describe(record) {
  const classes = CONTENTS.classes.filter(([, , bit]) => record.dgl & bit).map(([name]) => name);
  const rows = [
    ["program", [record.program, ...record.arguments].join(" ")],
    ["machine", `${record.machine.name}: ${record.machine.processors.join(", ")}`],
    ["engine", record.engine],
    ["seed", String(record.seed)],
    ["event classes", classes.join(" + ") || "none"],
    ["filters", record.filters.join("; ") || "none"],
    ["balancing", record.balance ? `${record.balance.policy}, a sample each ${record.balance.sample_us / 1000} ms` : "none"],
  ];
  $("what").textContent = `${rows[0][1]} on ${record.machine.name}`;
  document.title = `${rows[0][1]} · Testbed`;
  $("facts").replaceChildren(table("As the run's record says", [["what", "l"], ["is", "l"]], rows));
  for (const box of $("classes").querySelectorAll("input")) box.checked = classes.includes(box.value);
}

function showDamage({ damage, waiting, requests, no_requests }) {
  const told = [];
  if (damage.length) told.push(notice("warn", ...damage.map((what) => h("div", {}, what))));
  if (waiting) told.push(h("p", { class: "soft" }, `${plural(waiting[0], "event")} wait for those of ${waiting[1]}, before which their order is not proven.`));
  if (requests) {
    const { requests: asked, moved, standing, expired, refused, unanswered, open } = requests;
    const rest = [["said where new threads start", standing], ["expired", expired], ["refused", refused], ["unanswered", unanswered], ["open", open]];
    const others = rest.filter(([, count]) => count).map(([what, count]) => `, ${count} ${what}`);
    told.push(h("p", { class: "soft" }, `The balancer has asked for ${plural(asked, "move")}: ${moved} came about${others.join("")}.`));
  }
  if (no_requests) told.push(h("p", { class: "soft" }, `Of the balancer's requests nothing is known: ${no_requests}.`));
  $("damage").replaceChildren(...told);
}

/** Links to what there is; only when that has changed, so that the focus stays. */
function showFiles(names) {
  if (names.join() === files) return;
  files = names.join();
  $("downloads").replaceChildren(
    ...names.map((name) => h("a", { class: "button", href: `file/${name}`, download: name }, FILE_WORDS[name] ?? name)),
  );
}
const FILE_WORDS = { "trace.perfetto": "trace.perfetto, for Perfetto", "report.html": "report.html, a report" };

function listenToMonitors() {
  $("classes").append(
    ...CONTENTS.classes.map(([name, tells]) =>
      h("label", { class: "switch", "data-tip": tells }, h("input", { type: "checkbox", value: name }), name),
    ),
  );
  $("monitors").addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = [...$("classes").querySelectorAll("input:checked")].map(({ value }) => value);
    give(`dgl ${chosen.join("+") || "none"}\n`);
  });
  const setRule = () => $("rule").value.trim() && give(`filter ${$("rule").value.trim()}\n`);
  $("set-rule").addEventListener("click", setRule);
  $("rule").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    setRule();
  });
}

const CONTENTS = JSON.parse($("contents").textContent);
words = CONTENTS.words;
listenToDrawing();
$("span-of").append(...options([[ALL, "all of the run"]]));
listenToTyping();
listenToMonitors();
$("end").addEventListener("click", () => tried(() => post("end")));
giveEarly();
poll();
