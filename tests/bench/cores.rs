//! Which core does what: servers that are measured have one of their own, and whoever loads them has another.
//!
//! Processes and threads begin on the cores of the thread that starts them. This program has one thread, so it moves itself
//! before it starts a server, and back afterwards.

use std::fs;
use std::process::{Command, Stdio};

/// The two cores.
#[derive(Clone)]
pub struct Cores {
    server: String,
    generator: String,
    all: String,
}

impl Cores {
    /// The first two that this process may use.
    pub fn choose() -> Result<Self, String> {
        let allowed = allowed().ok_or("this system does not say which cores it has")?;
        let &[server, generator, ..] = allowed.as_slice() else {
            return Err("benchmarks need two cores".to_owned());
        };
        let all = allowed.iter().map(u32::to_string).collect::<Vec<_>>();
        let cores = Self {
            server: server.to_string(),
            generator: generator.to_string(),
            all: all.join(","),
        };
        if !pin(&cores.generator) {
            return Err("benchmarks need taskset".to_owned());
        }
        Ok(cores)
    }

    /// Starts something on the core of servers.
    pub async fn start_server<T>(&self, start: impl Future<Output = T>) -> T {
        self.start_on(&self.server, start).await
    }

    /// Runs something, and starts what it starts, on all cores.
    pub async fn everywhere<T>(&self, start: impl Future<Output = T>) -> T {
        self.start_on(&self.all, start).await
    }

    /// Starts something on the core of servers, at once.
    pub fn start_server_now<T>(&self, start: impl FnOnce() -> T) -> T {
        pin_or_fail(&self.server);
        let started = start();
        pin_or_fail(&self.generator);
        started
    }

    async fn start_on<T>(&self, cores: &str, start: impl Future<Output = T>) -> T {
        pin_or_fail(cores);
        let started = start.await;
        pin_or_fail(&self.generator);
        started
    }
}

fn pin_or_fail(cores: &str) {
    assert!(pin(cores), "taskset {cores}");
}

/// Moves the main thread of this process.
fn pin(cores: &str) -> bool {
    let status = Command::new("taskset")
        .args(["--cpu-list", "--pid", cores])
        .arg(std::process::id().to_string())
        .stdout(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// The numbers of the cores that this process may use, from a line such as `Cpus_allowed_list: 0-2,5`.
fn allowed() -> Option<Vec<u32>> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let mut cores = Vec::new();
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        cores.extend(first..=last);
    }
    Some(cores)
}
