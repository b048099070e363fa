//! 10,000 flags as files: what the commands on them take, and an edge that serves them.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use harness::{FilesEdge, Stack, places};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    cold_start::{extremes, first_answer},
    cores::Cores,
    goals::Goal,
    probe::millis,
    report::{Report, median},
    tenant::{Tenant, key_of},
};

pub const NAME: &str = "files";

const FLAGS: usize = 10_000;
const RUNS: usize = 5;
const STARTS: usize = 15;
/// The file of README's first minute.
const ONE_FLAG: &str = "
flags:
  checkout:
    flag_type: boolean
    default_value: false
    environments:
      live: {enabled: true, default_value: true}
";

/// A folder with the files of a project, and whom the commands ask.
struct Folder {
    folder: TempDir,
    url: String,
    token: String,
}

impl Folder {
    /// How long a command takes, ms.
    fn time(&self, command: &[&str]) -> f64 {
        let mut ctl = Command::new(places::binary("halyardctl"));
        ctl.args(command)
            .args(["--dir", "."])
            .current_dir(self.path())
            .env("HALYARD_URL", &self.url)
            .env("HALYARD_TOKEN", &self.token)
            .stdout(Stdio::null());
        let began = Instant::now();
        let status = ctl.status().expect("halyardctl is there");
        let took = began.elapsed();
        assert!(status.success(), "{command:?}: {status}");
        millis(took)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The commands over and over, then the edge.
pub async fn run(cores: &Cores, report: &mut Report) {
    let stack = Stack::start_with(&[("LOG_LEVEL", "info"), ("RATE_MANAGEMENT", "0")]).await;
    let tenant = Tenant::register(&stack, "bench").await;
    tenant.grow(&stack, FLAGS, &stack.anonymous()).await;
    let token = json!({"name": "bench"});
    let token = tenant.owner.create("/v1/me/tokens", token).await;
    let folder = Folder {
        folder: TempDir::new().expect("a folder"),
        url: stack.url.clone(),
        token: token.text("/token"),
    };
    let project = ["--project", "default"];
    for (command, of, gate) in [
        ("pull", &project[..], 5_000.0),
        ("plan", &project, 2_000.0),
        ("validate", &[], 500.0),
    ] {
        let command = [&[command], of].concat();
        let all = async { (0..RUNS).map(|_| folder.time(&command)).collect::<Vec<_>>() };
        let times = cores.everywhere(all).await;
        report.judge(
            NAME,
            &format!("`halyardctl {}`, 10,000 flags", command[0]),
            "ms",
            Goal::at_most(gate, gate),
            median(times.iter().copied()),
            extremes(&times),
        );
    }
    drop(stack);

    let mut edge = FilesEdge::new("flags", &["--env", "dev"], &[]);
    std::fs::rename(folder.path(), edge.folder().join("flags")).expect("beside each other");
    let flag = key_of(FLAGS / 2);
    let times = cores
        .everywhere(starts(cores, &mut edge, &flag, false))
        .await;
    judge(report, "10,000 flags, both cores", 300.0, &times);
    let times = starts(cores, &mut edge, &flag, true).await;
    judge(report, "10,000 flags, one core", 300.0, &times);
    let mut edge = FilesEdge::new("flags.yaml", &[], &[]);
    edge.write("flags.yaml", ONE_FLAG);
    let times = starts(cores, &mut edge, "checkout", true).await;
    judge(report, "one flag, one core", 50.0, &times);
}

/// Starts an edge over and over, until it tells what a flag is: how long each took, ms.
async fn starts(cores: &Cores, edge: &mut FilesEdge, flag: &str, on_one_core: bool) -> Vec<f64> {
    edge.start().await;
    let mut times = Vec::new();
    for _ in 0..STARTS {
        edge.process.terminate();
        let began = Instant::now();
        if on_one_core {
            cores.start_server_now(|| edge.process.start_unwatched());
        } else {
            edge.process.start_unwatched();
        }
        first_answer(&edge.process.address("http"), "any", flag).await;
        times.push(millis(began.elapsed()));
    }
    edge.process.terminate();
    times
}

fn judge(report: &mut Report, flags: &str, gate: f64, times: &[f64]) {
    report.judge(
        NAME,
        &format!("an edge from files, exec to first right answer, {flags}"),
        "ms",
        Goal::at_most(gate, gate),
        median(times.iter().copied()),
        extremes(times),
    );
}
