//! Runs an abuse beside the quiet tenant and tells how both fared.

use std::time::Duration;

use harness::{Edge, Stack};
use tokio::time::{interval, sleep};

use crate::attacker::Attacker;
use crate::quiet::{KINDS, Quiet, Times};

/// How long the quiet tenant is alone, and how long it is not.
const ALONE: Duration = Duration::from_secs(5);
const TOGETHER: Duration = Duration::from_secs(20);
/// How long memory has to be given back.
const AFTER: Duration = Duration::from_secs(3);

/// What a tenant does to others.
pub trait Abuse: Sized {
    /// What it is called on the command line.
    const NAME: &str;

    /// What can be made before the time runs.
    async fn prepare(attacker: &Attacker) -> Self;

    /// Does it, until it is cancelled.
    async fn attack(&self, attacker: &Attacker);
}

/// Which abuses are run.
pub struct Plan {
    wanted: Vec<String>,
}

impl Plan {
    /// Those whose names contain one of these, or all.
    pub const fn new(wanted: Vec<String>) -> Self {
        Self { wanted }
    }

    /// Says what the columns are.
    pub fn explain(&self) {
        println!(
            "times of the quiet tenant in ms, p50/p99, alone and beside each abuse; memory in MiB before, at most, after"
        );
        let columns = KINDS.map(|kind| format!("{kind:>11}")).join(" ");
        println!(
            "{:<27} {columns}   {:>15} {:>15}   refused of the quiet; answers to the abuser",
            "", "control plane", "edge"
        );
    }

    /// Runs one, if it is wanted, on a service of its own.
    pub async fn run<A: Abuse>(&self) {
        let is_wanted = |wanted: &String| A::NAME.contains(wanted.as_str());
        if !self.wanted.is_empty() && !self.wanted.iter().any(is_wanted) {
            return;
        }
        let mut stack = Stack::start_with(&[
            ("LOG_LEVEL", "warn"),
            // Attackers have many addresses.
            ("TRUSTED_PROXIES", "127.0.0.1/32"),
        ])
        .await;
        let edge = stack.edge_with(&[("LOG_LEVEL", "warn")]).await;
        let quiet = Quiet::begin(&stack, &edge).await;
        let attacker = Attacker::new(&stack, &edge).await;
        let abuse = A::prepare(&attacker).await;

        let before = Memory::of(&stack, &edge);
        let alone = quiet.watch(sleep(ALONE)).await;
        let (mut most, mut ticks) = (before, interval(Duration::from_millis(200)));
        let watching = async {
            loop {
                ticks.tick().await;
                most = most.max(Memory::of(&stack, &edge));
            }
        };
        let abused = async {
            tokio::select! {
                () = abuse.attack(&attacker) => panic!("{} ended by itself", A::NAME),
                () = watching => {}
                () = sleep(TOGETHER) => {}
            }
        };
        let together = quiet.watch(abused).await;
        sleep(AFTER).await;
        let after = Memory::of(&stack, &edge);

        print(&format!("{}: alone", A::NAME), &alone, None);
        let memory = [before, most, after];
        print(A::NAME, &together, Some((memory, attacker.answers())));
    }
}

fn print(name: &str, times: &Times, more: Option<([Memory; 3], String)>) {
    let columns = times.columns().map(|column| format!("{column:>11}"));
    print!("{name:<27} {}", columns.join(" "));
    match more {
        Some((memory, answers)) => {
            let series = |part: fn(&Memory) -> u64| {
                let [before, most, after] = memory.each_ref().map(part);
                format!("{before}/{most}/{after}")
            };
            println!(
                "   {:>15} {:>15}   {}; {answers}",
                series(|memory| memory.control),
                series(|memory| memory.edge),
                times.refused()
            );
        }
        None => println!(),
    }
}

/// Resident memory, MiB.
#[derive(Clone, Copy)]
struct Memory {
    control: u64,
    edge: u64,
}

impl Memory {
    fn of(stack: &Stack, edge: &Edge) -> Self {
        let mib = |bytes: Option<u64>| bytes.unwrap_or_default() >> 20;
        Self {
            control: mib(stack.control.resident_bytes()),
            edge: mib(edge.process.resident_bytes()),
        }
    }

    fn max(self, other: Self) -> Self {
        Self {
            control: self.control.max(other.control),
            edge: self.edge.max(other.edge),
        }
    }
}
