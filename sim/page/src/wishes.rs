//! What a page asks for when it starts a run.

use serde::Deserialize;
use testbed_balance::policies::{placement, Placement, NAMES};
use testbed_balance::settings::Values;
use testbed_definitions::boot::is_small;
use testbed_definitions::event::{DIAG_DEFAULT, DIAG_LOAD, DIAG_READY};
use testbed_definitions::load::PERIODS_US;
use testbed_kernel_core::filter::{self, Fault, CLASSES};
use testbed_machine::{brief, suggest, Machine};
use testbed_session::filter::commands;
use testbed_trace::capture::{BalanceRecord, KernelKind};

/// The policy that needs a placement.
const STATIC: &str = "static";

/// A run as a page describes it, in JSON. What is left out is as `testbed run` has it.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Wishes {
    /// The machine's description, in TOML.
    pub machine: String,
    /// A program, or a file that was given.
    pub program: String,
    #[serde(default)]
    pub arguments: Vec<String>,
    #[serde(default = "one")]
    pub seed: u32,
    /// `default` or `tos94`.
    #[serde(default)]
    pub kernel: KernelKind,
    /// Event classes, as for `--dgl`.
    pub classes: Option<String>,
    /// Rules, as for `--filter`.
    #[serde(default)]
    pub filters: Vec<String>,
    pub totals: Option<u32>,
    /// How the load is to be balanced, if it is, as for `--balance` and `--sample`.
    pub balance: Option<BalanceRecord>,
    /// Where threads go, for the policy `static`: the lines of a file as `--placement` takes it.
    pub placement: Option<String>,
    /// Machine cycles after which the run ends; without it, it takes as long as it takes.
    pub cycles: Option<u64>,
    /// Names of given files that the filestore gets too.
    #[serde(default)]
    pub files: Vec<String>,
}

fn one() -> u32 {
    1
}

/// What the wishes come to, checked.
#[derive(Clone, Debug)]
pub struct Checked {
    pub machine: Machine,
    pub kernel: KernelKind,
    pub dgl: u32,
    /// Stores that program the filters.
    pub commands: Vec<u32>,
}

impl Wishes {
    /// Reads wishes.
    ///
    /// # Errors
    /// They are not of the form.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(json).map_err(|error| format!("what the page asks for can't be read: {error}"))
    }

    /// Checks what can be checked without the program.
    ///
    /// # Errors
    /// What is wrong, with a remedy.
    pub fn check(&self) -> Result<Checked, String> {
        let machine = Machine::parse(&self.machine, "the machine's description").map_err(|error| error.to_string())?;
        let small = is_small(machine.ram_bytes);
        let kernel = match (small, self.kernel) {
            (false, KernelKind::Small) | (true, KernelKind::Tos94) => {
                let which = if small { "for so little RAM there is" } else { "with so much RAM there is no" };
                return Err(format!("{which} the small kernel\n  help: choose the kernel `default`"));
            }
            (false, kind) => kind,
            (true, _) => KernelKind::Small,
        };
        let usual = if self.balance.is_some() { DIAG_LOAD } else { DIAG_DEFAULT };
        let dgl = self.classes.as_deref().map_or(Ok(usual), classes)?;
        if let Some(balance) = &self.balance {
            check_balance(balance, &machine, dgl)?;
        }
        self.check_placement(&machine)?;
        let commands = commands(&self.filters, self.totals, dgl).map_err(|error| error.to_string())?;
        Ok(Checked { machine, kernel, dgl, commands })
    }

    /// Whether there is a placement exactly where one is needed, and the balancer can read it.
    fn check_placement(&self, machine: &Machine) -> Result<(), String> {
        let is_static = self.balance.as_ref().is_some_and(|balance| balance.policy == STATIC);
        match &self.placement {
            None if is_static => Err(
                "static: it is not said where threads go\n  help: give a placement, a line a thread, as `1-00-003 2`"
                    .into(),
            ),
            Some(_) if !is_static => Err("only the policy static has use for a placement\n  help: leave it out".into()),
            None => Ok(()),
            Some(lines) if lines.len() > placement::FILE_BYTES => Err(format!(
                "the placement has more than {} bytes\n  help: leave its comments out",
                placement::FILE_BYTES
            )),
            Some(lines) => Placement::parse(lines, machine.slaves() as u8).map(drop).map_err(|error| {
                format!("the placement: {error}\n  help: write thread and processor, as in `1-00-003 2`")
            }),
        }
    }
}

/// Whether a balancer can do what is asked for on `machine`.
fn check_balance(balance: &BalanceRecord, machine: &Machine, dgl: u32) -> Result<(), String> {
    let BalanceRecord { policy, sample_us, settings } = balance;
    if !NAMES.contains(&&policy[..]) {
        let (meant, names) = (suggest::question(policy, NAMES.iter().copied()), NAMES.join(", "));
        return Err(format!("no policy is called `{}`\n  help: {meant}use {names}", brief(policy)));
    }
    if machine.processors.len() < 3 || is_small(machine.ram_bytes) {
        return Err("a load to balance takes a master, two slaves and the whole kernel\n  help: take testbed6".into());
    }
    if dgl & DIAG_READY != 0 {
        return Err("with class ready no slave can tell of its load\n  help: leave ready out".into());
    }
    if !PERIODS_US.contains(sample_us) {
        let (least, most) = (PERIODS_US.start(), PERIODS_US.end());
        return Err(format!("{sample_us} us is no period of samples\n  help: give one from {least} to {most}"));
    }
    let mut values = Values::DEFAULT;
    settings.iter().try_for_each(|setting| values.set(policy, setting)).map_err(|error| error.to_string())
}

/// Event classes from a text.
fn classes(text: &str) -> Result<u32, String> {
    filter::classes(text).map_err(|fault| match fault {
        Fault::Class(name) => {
            let meant = suggest::question(name, CLASSES.iter().map(|class| class.0));
            let known: Vec<_> = CLASSES.iter().map(|class| class.0).collect();
            format!("`{name}` is no event class\n  help: {meant}join {} by `+`", known.join(", "))
        }
        _ => "the classes profile and ready exclude each other, since their words look alike\n  help: leave one out"
            .into(),
    })
}
