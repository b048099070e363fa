//! Servers of others that run in node: each script prints its port as JSON once it listens, and ends with its standard input.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::patience::patience;

/// A server that runs. Dropping it ends it.
pub struct NodeServer {
    process: Child,
    /// Where it listens, on the loopback address.
    pub port: u16,
}

impl NodeServer {
    /// Starts a script with these arguments and, but for `PATH`, no more settings than these.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start(
        script: &Path,
        arguments: &[impl AsRef<OsStr>],
        settings: &[(&str, &str)],
    ) -> Self {
        let mut process = Command::new("node")
            .arg(script)
            .args(arguments)
            .env_clear()
            .envs(std::env::vars().filter(|(name, _)| name == "PATH"))
            .envs(settings.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node starts");
        let told = process.stdout.take().expect("a pipe");
        let mut lines = BufReader::new(told).lines();
        let first = async {
            loop {
                let line = lines.next_line().await.expect("a line");
                let line = line.expect("the server starts");
                if let Ok(told) = serde_json::from_str::<Value>(&line) {
                    break told;
                }
            }
        };
        let told = timeout(patience(), first)
            .await
            .expect("the server starts in time");
        let port = told["port"].as_u64().and_then(|port| port.try_into().ok());
        Self {
            process,
            port: port.expect("a port"),
        }
    }

    /// The id of its process.
    ///
    /// # Panics
    /// When it has ended.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id().expect("it runs")
    }
}
