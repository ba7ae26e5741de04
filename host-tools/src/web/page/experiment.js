// The form that describes an experiment, files that are dropped, and the link.

const given = new Map();

function fillForm() {
  const programs = CONTENTS.programs.map(({ name }) => h("option", { value: name }, name));
  $("program").replaceChildren(h("optgroup", { label: "Programs" }, programs));
  $("machine").replaceChildren(
    ...CONTENTS.machines.map(({ name }) => h("option", { value: name }, name)),
    h("option", { value: "" }, "your own, described below"),
  );
  $("classes").append(
    ...CONTENTS.classes.map(([name, tells]) =>
      h("label", { class: "switch", "data-tip": tells }, h("input", { type: "checkbox", value: name }), name),
    ),
  );
  $("balance").append(...CONTENTS.policies.map(({ name, about }) => h("option", { value: name, title: about }, name)));
  $("balance").addEventListener("change", () => {
    // A balancer needs the slaves' samples, and keeps up if there is little else.
    showClasses($("balance").value ? "load" : CONTENTS.classes_default);
    $("sample").value = $("settings").value = "";
    showBalancing();
  });
  $("program").addEventListener("change", about);
  $("machine").addEventListener("change", () => {
    const known = CONTENTS.machines.find(({ name }) => name === $("machine").value);
    if (known) $("toml").value = known.toml;
    else $("description").open = true;
  });
  $("toml").addEventListener("input", () => ($("machine").value = machineOf($("toml").value)));
  $("given").addEventListener("change", () => takeFiles($("given").files));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    takeFiles(event.dataTransfer.files);
  });
  $("wishes").addEventListener("submit", (event) => {
    event.preventDefault();
    startRun();
  });
  $("link").addEventListener("click", copyLink);
}

const machineOf = (toml) => CONTENTS.machines.find((machine) => machine.toml === toml)?.name ?? "";

function about() {
  const name = $("program").value;
  const program = CONTENTS.programs.find((one) => one.name === name);
  $("about").replaceChildren(...prose(given.has(name) ? `${name}: the file that you have given.` : `${name}: ${program?.about ?? ""}`));
}

const chosenPolicy = () => CONTENTS.policies.find(({ name }) => name === $("balance").value);

/** What there is to say of the policy that is chosen. */
function showBalancing() {
  const policy = chosenPolicy();
  $("balancing").hidden = !policy;
  $("placing").hidden = policy?.name !== "static";
  if (!policy) return;
  $("sample").placeholder = String(policy.sample_us / 1000);
  $("settings").disabled = !policy.settings.length;
  const known = policy.settings.length ? `Settings, as they are by themselves: ${policy.settings.join(" ")}.` : "It has no settings.";
  $("settings-about").textContent = `${policy.name}: ${policy.about}. ${known}`;
}

/** What the form says, as texts. */
function experiment() {
  const toml = $("toml").value;
  const machine = machineOf(toml);
  const classes = [...$("classes").querySelectorAll("input:checked")].map(({ value }) => value);
  return {
    program: $("program").value,
    arguments: $("arguments").value,
    machine,
    toml: machine ? "" : toml,
    seed: $("seed").value,
    kernel: $("kernel").value,
    balance: $("balance").value,
    sample: $("sample").value,
    settings: $("settings").value,
    placement: $("placement").value,
    classes: classes.join("+") || "none",
    filters: $("filters").value,
    speed: $("speed").value,
  };
}

const valuesOf = (id) => [...$(id).options].map(({ value }) => value);

/** What of a link this page does not have, in sentences. */
function unknownOf({ experiment: wanted, strange }) {
  const unknown = strange.map((name) => `An experiment has no “${name}”; it has ${Object.keys(wanted).join(", ")}.`);
  const check = (what, value, known) => {
    if (!known.includes(value)) unknown.push(`This page has no ${what} “${value}”; it has ${known.filter(Boolean).join(", ")}.`);
  };
  if (!valuesOf("program").includes(wanted.program)) unknown.push(`This page has no program “${wanted.program}”; choose one, or drop it here.`);
  if (!wanted.toml) check("machine", wanted.machine, CONTENTS.machines.map(({ name }) => name));
  check("kernel", wanted.kernel, valuesOf("kernel"));
  check("policy", wanted.balance, valuesOf("balance"));
  check("speed", wanted.speed, valuesOf("speed"));
  for (const name of wanted.classes.split("+")) check("event class", name, ["none", ...CONTENTS.classes.map(([known]) => known)]);
  const isSeed = /^\d+$/.test(wanted.seed) && Number(wanted.seed) <= 0xffffffff;
  if (!isSeed) unknown.push(`“${wanted.seed}” is no seed: it is a whole number up to 4 294 967 295.`);
  return unknown;
}

/** Fills the form as a link says; the result is whether this page has all of that. */
function showLink(link) {
  const unknown = unknownOf(link);
  const wanted = link.experiment;
  if (unknown.length) trouble(["The link can't be shown as it is:", ...unknown].join("\n"));
  const machine = CONTENTS.machines.find(({ name }) => name === wanted.machine);
  $("toml").value = wanted.toml || (machine ?? CONTENTS.machines[0]).toml;
  $("machine").value = machineOf($("toml").value);
  for (const name of ["program", "kernel", "balance", "speed"]) {
    if (valuesOf(name).includes(wanted[name])) $(name).value = wanted[name];
  }
  $("arguments").value = wanted.arguments;
  $("seed").value = wanted.seed;
  for (const name of ["sample", "settings", "placement"]) $(name).value = wanted[name];
  showBalancing();
  $("filters").value = wanted.filters;
  showClasses(wanted.classes);
  $("watching").open = wanted.filters !== "" || wanted.classes !== CONTENTS.classes_default;
  $("description").open = wanted.toml !== "";
  about();
  return !unknown.length;
}

function showClasses(text) {
  const classes = text.split("+");
  for (const box of $("classes").querySelectorAll("input")) box.checked = classes.includes(box.value);
}

/** The wishes that the module reads. */
function wishes() {
  const { program, arguments: words, seed, kernel, sample, settings, placement, classes, filters } = experiment();
  const policy = chosenPolicy();
  const balance = policy && {
    policy: policy.name,
    sample_us: Math.round(1000 * Number(sample)) || policy.sample_us,
    settings: settings.split(/\s+/).filter(Boolean),
  };
  return {
    machine: $("toml").value,
    program,
    arguments: words.split(/\s+/).filter(Boolean),
    seed: Number(seed) >>> 0,
    kernel,
    balance: balance ?? null,
    placement: policy?.name === "static" ? placement : null,
    classes,
    filters: filters.split("\n").filter((line) => line.trim()),
    files: [...given.keys()].filter((name) => name !== program),
  };
}

async function takeFiles(files) {
  for (const file of files) {
    const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
    const isProgram = [0x7f, 0x45, 0x4c, 0x46].every((byte, place) => start[place] === byte);
    // Of a program the machine gets less: what only debuggers read stays outside.
    const most = isProgram ? CONTENTS.program_max : CONTENTS.file_max;
    if (file.size > most) {
      trouble(`${file.name} has ${plural(file.size, "byte")}; ${isProgram ? "a program that is given here" : "a file of the machine"} has at most ${grouped(most)}.`);
      continue;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    given.set(file.name, { bytes, isProgram });
    send("put", { name: file.name, bytes });
    if (!isProgram) continue;
    let group = $("program").querySelector("optgroup.given");
    if (!group) $("program").append((group = h("optgroup", { label: "Given", class: "given" })));
    if (![...group.children].some(({ value }) => value === file.name)) group.append(h("option", { value: file.name }, file.name));
    $("program").value = file.name;
    about();
    startRun();
  }
  listFiles();
}

function listFiles() {
  $("files").replaceChildren(
    ...[...given].map(([name, { bytes, isProgram }]) =>
      h("li", {}, `${name}: ${plural(bytes.length, "byte")}, ${isProgram ? "a program" : "for the filestore of the next run"}; “put ${name}” brings it to this one`),
    ),
  );
}

/** A file that the machine can't take is not there for the next run; `message` begins with its name. */
function forgetRefused(message) {
  for (const name of [...given.keys()].filter((name) => message.startsWith(`${name}:`))) {
    given.delete(name);
    $("program").querySelector(`option[value="${CSS.escape(name)}"]`)?.remove();
  }
  listFiles();
  about();
}

async function copyLink() {
  location.hash = encodeLink(experiment());
  const hidden = given.has($("program").value) ? " It does not hold the file that you have given." : "";
  try {
    await navigator.clipboard.writeText(location.href);
    $("linked").textContent = `Copied.${hidden}`;
  } catch {
    $("linked").textContent = `The page's address is the link now.${hidden}`;
  }
}
