//! On what it was measured.

use std::fmt;
use std::fs;
use std::process::Command;

use harness::Database;
use serde::Serialize;
use sqlx::{Connection, PgConnection, query_as};

/// Notes on the machine.
#[derive(Serialize)]
pub struct Machine {
    processor: String,
    cores: usize,
    memory_gib: u64,
    kernel: String,
    postgresql: String,
    fsync: String,
    build: &'static str,
    revision: String,
}

impl Machine {
    pub async fn look() -> Self {
        let database = Database::create().await;
        let mut connection = PgConnection::connect(database.url())
            .await
            .expect("the database answers");
        let (postgresql, fsync): (String, String) =
            query_as("SELECT current_setting('server_version'), current_setting('fsync')")
                .fetch_one(&mut connection)
                .await
                .expect("the database answers");
        Self {
            processor: field("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism()
                .map_or(1, usize::from)
                .max(cores()),
            memory_gib: memory_gib(),
            kernel: read("/proc/sys/kernel/osrelease"),
            postgresql,
            fsync,
            build: if cfg!(debug_assertions) {
                "debug"
            } else {
                "release"
            },
            revision: revision(),
        }
    }
}

impl Machine {
    /// Whether absolute times of both say anything about each other.
    pub fn is_like(&self, processor: &str, cores: usize) -> bool {
        self.processor == processor && self.cores == cores
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}, {} cores, {} GiB, Linux {}",
            self.processor, self.cores, self.memory_gib, self.kernel
        )?;
        write!(
            f,
            "PostgreSQL {}, fsync {}; {} build of {}",
            self.postgresql, self.fsync, self.build, self.revision
        )
    }
}

fn read(path: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.trim().to_owned()
}

fn field(path: &str, name: &str) -> String {
    let text = read(path);
    let line = text.lines().find(|line| line.starts_with(name));
    let value = line.and_then(|line| line.split_once(':'));
    value
        .map_or("unknown", |(_, value)| value)
        .trim()
        .to_owned()
}

/// All cores, since this process restricted itself to one of them.
fn cores() -> usize {
    let cpuinfo = read("/proc/cpuinfo");
    cpuinfo
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count()
}

fn memory_gib() -> u64 {
    let total = field("/proc/meminfo", "MemTotal");
    let kib = total.split_whitespace().next().map(str::parse::<u64>);
    kib.and_then(Result::ok).unwrap_or_default() >> 20
}

/// Which commit was measured, and whether files differ from it.
fn revision() -> String {
    let described = Command::new("git")
        .args(["describe", "--always", "--dirty"])
        .current_dir(harness::places::repository())
        .output();
    let text = described.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.ok()
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| "no repository".to_owned())
}
