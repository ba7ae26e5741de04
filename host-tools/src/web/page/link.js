// A link that holds an experiment: what the form says, behind the page's address.

/** The fragment of an experiment; what is as it is by itself is left out. */
function encodeLink(experiment) {
  const usual = usualExperiment();
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(experiment)) {
    if (value !== usual[name] || name === "program") parts.set(name, value);
  }
  return parts.toString();
}

/** The experiment of a fragment; what it does not say, or says wrongly, is as it is by itself. */
function decodeLink(fragment) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const experiment = usualExperiment();
  for (const name of Object.keys(experiment)) if (parts.has(name)) experiment[name] = parts.get(name);
  return experiment;
}

/** Every part is a text. `toml` is empty for a machine that is known by its name. */
function usualExperiment() {
  return {
    program: "sh",
    arguments: "",
    machine: CONTENTS.machines[0].name,
    toml: "",
    seed: "1",
    kernel: "default",
    balance: "",
    sample: "",
    settings: "",
    placement: "",
    classes: CONTENTS.classes_default,
    filters: "",
    speed: "1",
  };
}
