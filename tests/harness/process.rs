//! One of our binaries as a real process: started, killed, suspended, started again with the same settings and addresses.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::{
    patience::eventually,
    places::{self, Release},
    ports::{PortSetting, Ports},
    signals,
    sockets::Sockets,
};

/// A binary with its settings. Its log is kept, and printed when the test fails.
pub struct Process {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
    settings: BTreeMap<&'static str, String>,
    ports: Ports,
    log: PathBuf,
    file_limit: Option<u32>,
    open_files: Option<u32>,
    sockets: Option<Sockets>,
    child: Option<Child>,
}

impl Process {
    /// A process that does not run yet, and listens where `listens` says; its log goes to `folder`.
    #[must_use]
    pub fn new(
        name: &str,
        binary: &str,
        arguments: &[&str],
        settings: BTreeMap<&'static str, String>,
        listens: &'static [PortSetting],
        folder: &Path,
    ) -> Self {
        Self {
            name: name.to_owned(),
            program: places::binary(binary),
            arguments: arguments
                .iter()
                .map(|&argument| argument.to_owned())
                .collect(),
            settings,
            ports: Ports::new(listens, folder.join(format!("{name}.addresses"))),
            log: folder.join(format!("{name}.log")),
            file_limit: None,
            open_files: None,
            sockets: None,
            child: None,
        }
    }

    /// Starts it, with its settings and nothing else of the test's environment, and waits until it listens: at its first
    /// start on ports that the system chooses, later on the same.
    ///
    /// # Panics
    /// When it runs already, or ends for another reason than a port that is taken.
    pub async fn start(&mut self) {
        self.ports.make_way();
        self.spawn();
        eventually(&format!("{} listens", self.name), || {
            let listens = self.listens();
            async move { listens.then_some(()) }
        })
        .await;
    }

    /// Starts it again where it was before and returns at once, for whoever times its start.
    ///
    /// # Panics
    /// When it runs already.
    pub fn start_unwatched(&mut self) {
        self.ports.make_way();
        self.spawn();
    }

    /// Starts it with what it cannot start with, and returns its log once it has ended.
    ///
    /// # Panics
    /// When it runs already, or succeeds.
    pub async fn refuses_to_start(&mut self) -> String {
        self.ports.make_way();
        self.spawn();
        eventually(&format!("{} ends", self.name), || {
            let ended = !self.runs();
            async move { ended.then_some(()) }
        })
        .await;
        let status = self.wait();
        assert!(!status.success(), "{} started", self.name);
        self.log()
    }

    /// Whether it listens. One that ended because a port of its own is taken by somebody else is started again.
    fn listens(&mut self) -> bool {
        if self.ports.are_told() {
            return true;
        }
        if !self.runs() {
            let log = self.log();
            // The last it says is why it ended.
            let reason = log.lines().last().unwrap_or_default();
            assert!(
                reason.contains("cannot listen on") && reason.contains("in use"),
                "{} ended by itself: {log}",
                self.name
            );
            self.child = None;
            self.ports.release();
            self.spawn();
        }
        false
    }

    fn spawn(&mut self) {
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
        if let Some(sockets) = &self.sockets {
            sockets.give_to(&mut command);
        }
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

    /// The same whether it fails or not: its status, and what it printed and complained of.
    ///
    /// # Panics
    /// When it was killed.
    #[must_use]
    pub fn ends(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(&self.program);
        let command = self.prepare(&mut command).args(arguments);
        let output = command.output().expect("the binary runs");
        let said = [output.stdout, output.stderr].concat();
        let status = output.status.code().expect("a status");
        (status, String::from_utf8_lossy(&said).into_owned())
    }

    /// The same with something on its standard input.
    ///
    /// # Panics
    /// When it fails.
    #[must_use]
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> String {
        let mut command = Command::new(&self.program);
        let command = self.prepare(&mut command).args(arguments);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().expect("the binary runs");
        let mut pipe = child.stdin.take().expect("a pipe");
        pipe.write_all(input.as_bytes())
            .expect("the binary takes it");
        drop(pipe);
        let output = child.wait_with_output().expect("the binary runs");
        assert!(output.status.success(), "{} {arguments:?}", self.name);
        String::from_utf8(output.stdout).expect("commands print text")
    }

    /// The same for what it refuses: what it said.
    ///
    /// # Panics
    /// When it succeeds.
    #[must_use]
    pub fn refused(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(&self.program);
        let command = self.prepare(&mut command).args(arguments);
        let output = command.output().expect("the binary runs");
        assert!(!output.status.success(), "{} {arguments:?}", self.name);
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Has it listen there, in place of where it was made to. Before its first start.
    pub fn listen_on(&mut self, listens: &'static [PortSetting]) {
        self.ports.listen_on(listens);
    }

    /// Runs the binary of another release from the next start, for commands at once.
    ///
    /// # Panics
    /// When it is not there.
    pub fn install(&mut self, release: Release) {
        let name = self.program.file_name().and_then(|name| name.to_str());
        self.program = places::binary_of(release, name.expect("binaries have plain names"));
    }

    /// Changes a setting for the next start.
    pub fn set(&mut self, setting: &'static str, value: &str) {
        self.settings.insert(setting, value.to_owned());
    }

    /// No file of the process, its log included, can grow beyond so many blocks of 512 bytes: writes fail, as on a full
    /// disk. `None` ends that. Holds from the next start, and at once for a process that was started with a limit.
    ///
    /// # Panics
    /// When the process runs and its limit cannot be changed.
    pub fn limit_files(&mut self, limit: Option<u32>) {
        let had_limit = self.file_limit.is_some();
        self.file_limit = limit;
        if let (true, Some(blocks), Some(child)) = (had_limit, limit, &self.child) {
            let status = Command::new("prlimit")
                .arg(format!("--pid={}", child.id()))
                .arg(format!("--fsize={}:", u64::from(blocks) * 512))
                .status();
            assert!(
                status.is_ok_and(|status| status.success()),
                "prlimit {}",
                self.name
            );
        }
    }

    /// From its next start the process may have so many files open.
    pub const fn limit_open_files(&mut self, limit: u32) {
        self.open_files = Some(limit);
    }

    /// From its first start it listens on these, as by systemd.
    pub fn give(&mut self, sockets: Sockets) {
        self.sockets = Some(sockets);
    }

    /// Kills it at once, as `kill -9` would: nothing is drained or stored.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("a child of ours can be killed");
            child.wait().expect("a child of ours can be waited for");
            self.ports.hold();
        }
    }

    /// Asks it to stop, and waits until it has.
    pub fn terminate(&mut self) -> ExitStatus {
        self.ask_to_stop();
        self.wait()
    }

    /// Asks it to stop, as an operator or a container's runtime does.
    pub fn ask_to_stop(&self) {
        signals::send("TERM", self.id());
    }

    /// Waits until it has stopped.
    ///
    /// # Panics
    /// When it does not run.
    pub fn wait(&mut self) -> ExitStatus {
        let mut child = self.child.take().expect("it runs");
        let status = child.wait().expect("a child of ours can be waited for");
        self.ports.hold();
        status
    }

    /// Freezes it: its sockets stay open and nothing answers.
    pub fn suspend(&self) {
        signals::send("STOP", self.id());
    }

    /// Ends [`Self::suspend`].
    pub fn resume(&self) {
        signals::send("CONT", self.id());
    }

    /// Where it listens under that name, as `host:port`; the same through all its starts.
    ///
    /// # Panics
    /// When it was never started, or has no address of that name.
    #[must_use]
    pub fn address(&self, name: &str) -> String {
        self.ports.address(name).to_string()
    }

    /// The same for callers of HTTP.
    ///
    /// # Panics
    /// As [`Self::address`].
    #[must_use]
    pub fn url(&self, name: &str) -> String {
        format!("http://{}", self.ports.address(name))
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

    /// The file where [`Self::log`] is, for whoever reads it during a start.
    #[must_use]
    pub fn log_file(&self) -> &Path {
        &self.log
    }

    fn command(&self) -> Command {
        let mut before = String::new();
        if let Some(blocks) = self.file_limit {
            // The signal that comes with the failing write would end the process.
            before += &format!("trap '' XFSZ; ulimit -S -f {blocks}; ");
        }
        if let Some(files) = self.open_files {
            before += &format!("ulimit -n {files}; ");
        }
        if let Some(sockets) = &self.sockets {
            before += &sockets.script();
        }
        let mut command = if before.is_empty() {
            Command::new(&self.program)
        } else {
            let mut shell = Command::new("sh");
            let script = format!("{before}exec \"$0\" \"$@\"");
            shell.arg("-c").arg(script).arg(&self.program);
            shell
        };
        self.prepare(&mut command).args(&self.arguments);
        command
    }

    fn prepare<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_clear()
            .env("RUST_BACKTRACE", "1")
            .envs(self.ports.settings())
            .envs(&self.settings)
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
