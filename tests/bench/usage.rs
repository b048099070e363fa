//! What the operating system says that a process used.

use std::fs;
use std::time::Duration;

/// Linux tells times of processes in hundredths of a second, on every machine.
const TICK: Duration = Duration::from_millis(10);

/// Time that a process has spent on processors so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuTime {
    pub user: Duration,
    pub system: Duration,
}

impl CpuTime {
    /// That of a process, all its threads together.
    pub fn of(process: u32) -> Self {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
        // The name before it may contain anything.
        let (_, fields) = stat.rsplit_once(')').expect("a line of the kernel");
        let fields: Vec<_> = fields.split_whitespace().collect();
        let ticks = |field: usize| -> u32 { fields[field].parse().expect("a number of ticks") };
        Self {
            user: TICK * ticks(11),
            system: TICK * ticks(12),
        }
    }

    /// User and system time together.
    pub fn whole(self) -> Duration {
        self.user + self.system
    }

    /// What was spent since `before`.
    pub fn since(self, before: Self) -> Self {
        Self {
            user: self.user.saturating_sub(before.user),
            system: self.system.saturating_sub(before.system),
        }
    }
}

/// Memory of a process, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Its pages that are in memory.
    pub resident: u64,
    /// The same with pages of files, such as of the program itself, shared with others taken in part.
    pub proportional: u64,
    /// Without any page of a file.
    pub anonymous: u64,
}

impl Memory {
    pub fn of(process: u32) -> Self {
        let path = format!("/proc/{process}/smaps_rollup");
        let text = fs::read_to_string(path).expect("it runs");
        let field = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name));
            let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
            kib.unwrap_or_else(|| panic!("no {name} in {text}")) << 10
        };
        Self {
            resident: field("Rss:"),
            proportional: field("Pss:"),
            anonymous: field("Anonymous:"),
        }
    }
}
