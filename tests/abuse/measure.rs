//! Runs an abuse beside the quiet tenant and tells how both fared.

use std::time::Duration;

use harness::{Database, Edge, Stack};
use sqlx::{Connection, PgConnection, query_as};
use tokio::time::{interval, sleep};

use crate::{
    attacker::Attacker,
    quiet::{KINDS, Quiet, Times},
};

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

    /// What became of it, besides the answers.
    fn outcome(&self, _: &Attacker) -> String {
        String::new()
    }
}

/// Which abuses are run.
pub struct Plan {
    wanted: Vec<String>,
}

impl Plan {
    /// Those whose names contain one of these, or all. Who misspells one is told the names that there are.
    pub fn new(wanted: Vec<String>, names: &[&str]) -> Result<Self, String> {
        let is_known = |wanted: &&String| names.iter().any(|name| name.contains(wanted.as_str()));
        match wanted.iter().find(|wanted| !is_known(wanted)) {
            Some(unknown) => Err(format!(
                "there is no abuse `{unknown}`; there are {}",
                names.join(", ")
            )),
            None => Ok(Self { wanted }),
        }
    }

    /// Says what the columns are, and on which PostgreSQL they are measured.
    pub async fn explain(&self) {
        let database = Database::create().await;
        let mut connection = PgConnection::connect(database.url())
            .await
            .expect("the database answers");
        let (version, fsync): (String, String) =
            query_as("SELECT current_setting('server_version'), current_setting('fsync')")
                .fetch_one(&mut connection)
                .await
                .expect("the database answers");
        println!("PostgreSQL {version}, fsync {fsync}");
        println!(
            "times of the quiet tenant in ms, p50/p99/longest, alone and beside each abuse; memory in MiB before, at most, after"
        );
        let columns = KINDS.map(|kind| format!("{kind:>16}")).join(" ");
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
        let mails = tempfile::tempdir().expect("a temporary folder");
        let smtp_url = format!("dir:{}", mails.path().display());
        let settings = [
            ("LOG_LEVEL", "warn"),
            // Attackers have many addresses.
            ("TRUSTED_PROXIES", "127.0.0.1/32"),
            ("SMTP_URL", &smtp_url),
        ];
        let mut stack = Stack::start_with(&settings).await;
        let edge = stack.edge_with(&[("LOG_LEVEL", "warn")]).await;
        let quiet = Quiet::begin(&stack, &edge).await;
        let attacker = Attacker::new(&stack, &edge, mails.path()).await;
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
        let told = attacker.answers() + &abuse.outcome(&attacker);
        print(A::NAME, &together, Some((memory, told)));
    }
}

fn print(name: &str, times: &Times, more: Option<([Memory; 3], String)>) {
    let columns = times.columns().map(|column| format!("{column:>16}"));
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
