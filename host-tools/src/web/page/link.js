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

/** A fragment leads to a place in the page, as that of the link for who skips the bar. */
const isPlace = (fragment) => $(fragment.slice(1)) !== null;

/** The experiment of a fragment, what it does not say as it is by itself; and the names in it that no experiment has. */
function decodeLink(fragment) {
  const experiment = usualExperiment();
  const strange = [];
  if (isPlace(fragment)) return { experiment, strange };
  for (const [name, value] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    // A plus that somebody has written by hand is one, though in a link it stands for a blank.
    if (name === "classes") experiment.classes = value.replaceAll(" ", "+");
    else if (name in experiment) experiment[name] = value;
    else strange.push(name);
  }
  return { experiment, strange };
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
