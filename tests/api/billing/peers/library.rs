//! The libraries that the gateways publish, as processes that answer questions (`tests/gateways/`).

use std::path::PathBuf;
use std::process::Stdio;

use harness::patience::patience;
use harness::places;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

#[derive(Clone, Copy, Debug)]
pub(super) enum Library {
    Payu,
    Stripe,
}

impl Library {
    /// In the folder of `./dev test`, and in the recordings.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Payu => "payu",
            Self::Stripe => "stripe",
        }
    }

    /// Asks questions; `None` where the library is not installed.
    pub(super) async fn ask(self, questions: &[Value]) -> Option<Vec<Value>> {
        let mut conversation = self.converse()?;
        let mut answers = Vec::new();
        for question in questions {
            answers.push(conversation.ask(question).await);
        }
        Some(answers)
    }

    /// Starts to ask; `None` where the library is not installed.
    ///
    /// # Panics
    /// When it is there and does not start.
    pub(super) fn converse(self) -> Option<Conversation> {
        let mut process = self
            .command()?
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the interpreter that ./dev test found");
        let stdin = process.stdin.take().expect("it is piped");
        let stdout = process.stdout.take().expect("it is piped");
        Some(Conversation {
            stdin,
            answers: BufReader::new(stdout).lines(),
            _process: process,
        })
    }

    fn command(self) -> Option<Command> {
        let peers = PathBuf::from(std::env::var_os("HALYARD_GATEWAY_PEERS")?);
        let folder = peers.join(self.name());
        // Written when the folder is complete.
        if !folder.join("stamp").is_file() {
            return None;
        }
        let (interpreter, script) = match self {
            Self::Payu => (PathBuf::from("node"), "payu_peer.mjs"),
            Self::Stripe => (folder.join("bin/python"), "stripe_peer.py"),
        };
        let mut command = Command::new(interpreter);
        let script = places::repository().join("tests/gateways").join(script);
        command.arg(script).current_dir(folder);
        Some(command)
    }
}

/// A library that answers one question after the other.
pub(super) struct Conversation {
    stdin: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    _process: Child,
}

impl Conversation {
    /// # Panics
    /// When it does not answer.
    pub(super) async fn ask(&mut self, question: &Value) -> Value {
        let line = format!("{question}\n");
        let sent = self.stdin.write_all(line.as_bytes()).await;
        sent.expect("a process that reads");
        let answer = tokio::time::timeout(patience(), self.answers.next_line()).await;
        let answer = answer.expect("an answer in time").expect("text");
        let answer = answer.unwrap_or_else(|| panic!("no answer to {question:#}"));
        serde_json::from_str(&answer).expect("JSON")
    }
}
