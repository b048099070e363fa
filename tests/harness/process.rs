//! One of our binaries as a real process: started, killed, suspended, started again with the same settings.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::net::{TcpListener, UdpSocket};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::places;

/// A binary with its settings. Its log is kept, and printed when the test fails.
pub struct Process {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
    settings: BTreeMap<&'static str, String>,
    log: PathBuf,
    file_limit: Option<u32>,
    child: Option<Child>,
}

impl Process {
    /// A process that does not run yet; its log goes to `folder`.
    #[must_use]
    pub fn new(
        name: &str,
        binary: &str,
        arguments: &[&str],
        settings: BTreeMap<&'static str, String>,
        folder: &std::path::Path,
    ) -> Self {
        Self {
            name: name.to_owned(),
            program: places::binary(binary),
            arguments: arguments
                .iter()
                .map(|&argument| argument.to_owned())
                .collect(),
            settings,
            log: folder.join(format!("{name}.log")),
            file_limit: None,
            child: None,
        }
    }

    /// Starts it, with its settings and nothing else of the test's environment.
    ///
    /// # Panics
    /// When it runs already.
    pub fn start(&mut self) {
        assert!(self.child.is_none(), "{} runs already", self.name);
        let log = File::options()
            .create(true)
            .append(true)
            .open(&self.log)
            .expect("a log");
        let mut command = self.command();
        command
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a handle"))
            .stderr(log);
        self.child = Some(command.spawn().expect("the binary starts"));
    }

    /// Runs it with other arguments to its end, and returns what it printed.
    ///
    /// # Panics
    /// When it fails.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(&self.program);
        let output = self
            .prepare(&mut command)
            .args(arguments)
            .output()
            .expect("the binary runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{} {arguments:?}: {errors}",
            self.name
        );
        String::from_utf8(output.stdout).expect("commands print text")
    }

    /// Changes a setting for the next start.
    pub fn set(&mut self, setting: &'static str, value: &str) {
        self.settings.insert(setting, value.to_owned());
    }

    /// From the next start no file of the process, its log included, can grow beyond so many blocks of 512 bytes: writes
    /// fail, as on a full disk. `None` ends that.
    pub const fn limit_files(&mut self, limit: Option<u32>) {
        self.file_limit = limit;
    }

    /// Kills it at once, as `kill -9` would: nothing is drained or stored.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("a child of ours can be killed");
            child.wait().expect("a child of ours can be waited for");
        }
    }

    /// Asks it to stop, and waits until it has.
    pub fn terminate(&mut self) -> ExitStatus {
        self.ask_to_stop();
        self.wait()
    }

    /// Asks it to stop, as an operator or a container's runtime does.
    pub fn ask_to_stop(&self) {
        self.signal("TERM");
    }

    /// Waits until it has stopped.
    ///
    /// # Panics
    /// When it does not run.
    pub fn wait(&mut self) -> ExitStatus {
        let mut child = self.child.take().expect("it runs");
        child.wait().expect("a child of ours can be waited for")
    }

    /// Freezes it: its sockets stay open and nothing answers.
    pub fn suspend(&self) {
        self.signal("STOP");
    }

    /// Ends [`Self::suspend`].
    pub fn resume(&self) {
        self.signal("CONT");
    }

    /// Its id.
    ///
    /// # Panics
    /// When it does not run.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.as_ref().expect("it runs").id()
    }

    /// Whether it was started and has not ended by itself.
    pub fn runs(&mut self) -> bool {
        self.child
            .as_mut()
            .is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }

    /// The memory it takes, in bytes; nothing where the system does not tell.
    ///
    /// # Panics
    /// When it does not run.
    #[must_use]
    pub fn resident_bytes(&self) -> Option<u64> {
        let id = self.child.as_ref().expect("it runs").id();
        let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kib * 1024)
    }

    /// Everything it logged, over all its starts.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    fn command(&self) -> Command {
        let mut command = match self.file_limit {
            None => Command::new(&self.program),
            // The signal that comes with the failing write would end the process.
            Some(blocks) => {
                let mut shell = Command::new("sh");
                let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
                shell.arg("-c").arg(limited).arg(&self.program);
                shell
            }
        };
        self.prepare(&mut command).args(&self.arguments);
        command
    }

    fn prepare<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_clear()
            .env("RUST_BACKTRACE", "1")
            .envs(&self.settings)
    }

    /// The shell's own `kill`, since slim systems have no other.
    fn signal(&self, signal: &str) {
        let id = self.id();
        let status = Command::new("sh")
            .arg("-c")
            .arg(format!("kill -{signal} {id}"))
            .status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "kill -{signal} {}",
            self.name
        );
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            eprintln!("---- log of {} ----\n{}", self.name, self.log());
        }
    }
}

/// An address of this machine where nothing listens, for TCP and UDP alike.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn free_address() -> String {
    // Chosen below the range of outgoing connections, of which parallel tests make many.
    for _ in 0..1_000 {
        let port =
            20_000 + u16::try_from(uuid::Uuid::new_v4().as_u128() % 12_000).expect("below 12000");
        let address = format!("127.0.0.1:{port}");
        if TcpListener::bind(&address).is_ok() && UdpSocket::bind(&address).is_ok() {
            return address;
        }
    }
    panic!("no free address")
}
