//! `run.json`: what ran, and how it ended.

use serde::{Deserialize, Serialize};
use testbed_definitions::{boot, event};
use testbed_machine::{Core, Machine, Order};

use super::ATTACHED;
use crate::ledger::Ledger;

/// Contents of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Whether the run came to its end; `false` while it runs and for ever if it was killed.
    pub complete: bool,
    pub program: String,
    pub arguments: Vec<String>,
    pub engine: String,
    pub seed: u32,
    /// `None` of a program without kernel.
    #[serde(default = "default_kernel")]
    pub kernel: Option<KernelKind>,
    /// Files in the start processor's filestore, the program first.
    #[serde(default)]
    pub files: Vec<String>,
    /// Event classes that were enabled; decides how words are read as events.
    pub dgl: u32,
    /// What the monitors' filters were programmed to do, and the ticks between totals, as on the command line.
    #[serde(default)]
    pub filters: Vec<String>,
    #[serde(default)]
    pub totals: Option<u32>,
    /// How the load was balanced, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<BalanceRecord>,
    /// What stations lost and damaged, and sent again, if they did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<FaultsRecord>,
    pub machine: MachineRecord,
    /// Machine cycles done, known when complete; of one that was looked at through a port, those that its events show.
    pub cycles: u64,
    /// Why it stopped; absent until complete, and where it was looked at through a port.
    pub stopped: Option<Stop>,
    /// Retired, by processor.
    pub instructions: Vec<u64>,
    pub exits: Vec<ExitRecord>,
    pub ledger: Option<Ledger>,
    pub wall_seconds: f64,
}

/// What stations lost and damaged of what they sent, as probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultsRecord {
    pub loss_millionths: u32,
    pub damage_millionths: u32,
    /// How often what processes exchanged at the ends of supersteps left as datagrams, in rounds; 0:
    /// as packets that are sent again if they are lost.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub copies: u32,
    /// Who had sent went on at the end of a round's time, and not before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole_rounds: bool,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl std::fmt::Display for FaultsRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let percent = |millionths: u32| f64::from(millionths) / 1e4;
        write!(
            f,
            "packets lost with {} %, damaged with {} %",
            percent(self.loss_millionths),
            percent(self.damage_millionths)
        )?;
        match (self.copies, self.whole_rounds) {
            (0, _) => Ok(()),
            (copies, false) => write!(f, "; supersteps in rounds of {copies} copies"),
            (copies, true) => write!(f, "; supersteps in whole rounds of {copies} copies"),
        }
    }
}

/// How the load was balanced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BalanceRecord {
    pub policy: String,
    /// The period of samples, in microseconds.
    pub sample_us: u32,
    /// What of the policy was set, each as `NAME=VALUE`; all else was as it is by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<String>,
}

impl BalanceRecord {
    /// The balancer's arguments.
    pub fn arguments(&self) -> Vec<String> {
        let first = [self.policy.clone(), self.sample_us.to_string()];
        first.into_iter().chain(self.settings.iter().cloned()).collect()
    }

    /// What the balancer is to do that is given these arguments; `None` if they are not those of
    /// [`BalanceRecord::arguments`].
    pub fn of_arguments(arguments: &[String]) -> Option<Self> {
        let [policy, period, settings @ ..] = arguments else { return None };
        Some(BalanceRecord { policy: policy.clone(), sample_us: period.parse().ok()?, settings: settings.to_vec() })
    }
}

/// What ran before records said it.
fn default_kernel() -> Option<KernelKind> {
    Some(KernelKind::Default)
}

/// Which of its policies the kernel followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KernelKind {
    /// Message components are served when they arrive.
    #[default]
    Default,
    /// As in the report: they wait for the main loop.
    Tos94,
    /// The small kernel, which processors with little RAM have, and which has no other policy.
    Small,
}

impl KernelKind {
    /// Those that one can choose from. `bench kernel` and the experiment `profile` measure each.
    pub const ALL: [KernelKind; 2] = [KernelKind::Default, KernelKind::Tos94];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            KernelKind::Default => "default",
            KernelKind::Tos94 => "tos94",
            KernelKind::Small => "small",
        }
    }

    /// Bits of `boot::option`.
    pub fn options(self) -> u32 {
        match self {
            KernelKind::Default | KernelKind::Small => 0,
            KernelKind::Tos94 => boot::option::TOS94,
        }
    }
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// A processor stored to EXIT, and what the monitors held has been delivered.
    Exit,
    /// The machine time asked for is over.
    Limit,
    /// Its user ended it.
    User,
}

/// A processor's first store to EXIT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitRecord {
    pub processor: String,
    pub cycle: u64,
    pub code: u32,
}

/// A [`Machine`] as `run.json` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineRecord {
    pub name: String,
    pub clock_hz: u32,
    pub processors: Vec<String>,
    #[serde(default)]
    pub headless: bool,
    #[serde(default = "first_core")]
    pub core: Core,
    pub ram_bytes: u32,
    pub smi_queue: u32,
    pub mmi_queue: u32,
    pub tick_cycles: u32,
    pub poll_cycles: u32,
    #[serde(default = "port_queue")]
    pub port_queue: u32,
    #[serde(default = "port_cycles")]
    pub port_cycles: u32,
    #[serde(default)]
    pub order: Order,
    pub board: Option<String>,
}

/// What machines had before descriptions said it.
fn first_core() -> Core {
    Core::Multicycle
}

fn port_queue() -> u32 {
    Machine::testbed6().port_queue
}

fn port_cycles() -> u32 {
    Machine::testbed6().port_cycles
}

impl MachineRecord {
    /// Number of slaves, as [`Machine::slaves`]; 0 of a record without processors.
    pub fn slaves(&self) -> usize {
        self.processors.len().saturating_sub(1)
    }
}

impl From<&Machine> for MachineRecord {
    fn from(machine: &Machine) -> Self {
        let Machine {
            name,
            clock_hz,
            processors,
            headless,
            core,
            ram_bytes,
            smi_queue,
            mmi_queue,
            tick_cycles,
            poll_cycles,
            port_queue,
            port_cycles,
            order,
            board,
        } = machine.clone();
        MachineRecord {
            name,
            clock_hz,
            processors,
            headless,
            core,
            ram_bytes,
            smi_queue,
            mmi_queue,
            tick_cycles,
            poll_cycles,
            port_queue,
            port_cycles,
            order,
            board,
        }
    }
}

impl From<&MachineRecord> for Machine {
    fn from(record: &MachineRecord) -> Self {
        let MachineRecord {
            name,
            clock_hz,
            processors,
            headless,
            core,
            ram_bytes,
            smi_queue,
            mmi_queue,
            tick_cycles,
            poll_cycles,
            port_queue,
            port_cycles,
            order,
            board,
        } = record.clone();
        Machine {
            name,
            clock_hz,
            processors,
            headless,
            core,
            ram_bytes,
            smi_queue,
            mmi_queue,
            tick_cycles,
            poll_cycles,
            port_queue,
            port_cycles,
            order,
            board,
        }
    }
}

impl RunRecord {
    /// What is known before a run begins, for the caller to complete: no arguments, files, engine
    /// or seed, the default kernel with its default event classes.
    pub fn new(machine: &Machine, program: &str) -> Self {
        RunRecord {
            complete: false,
            program: program.into(),
            arguments: Vec::new(),
            engine: String::new(),
            seed: 0,
            kernel: default_kernel(),
            files: Vec::new(),
            dgl: event::DIAG_DEFAULT,
            filters: Vec::new(),
            totals: None,
            balance: None,
            faults: None,
            machine: machine.into(),
            cycles: 0,
            stopped: None,
            instructions: Vec::new(),
            exits: Vec::new(),
            ledger: None,
            wall_seconds: 0.0,
        }
    }

    /// The kernel's name, or `none`.
    pub fn kernel_name(&self) -> &'static str {
        self.kernel.map_or("none", KernelKind::name)
    }

    /// Whether it came from a port, where nobody counts the machine's cycles: `cycles` is then that of the last event.
    pub fn is_attached(&self) -> bool {
        self.engine == ATTACHED
    }

    /// The last epoch of the global clock that the run can have reached; `None` if it never came to
    /// its end, or nobody counted its cycles.
    pub fn last_epoch(&self) -> Option<u64> {
        (self.complete && !self.is_attached()).then(|| self.cycles / u64::from(self.machine.tick_cycles) / 65_536)
    }
}
