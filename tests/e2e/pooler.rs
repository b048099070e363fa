//! PgBouncer between the control plane and the database.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    process::{Child, Command, Stdio},
};

use harness::{Stack, eventually};
use tempfile::TempDir;
use tokio::net::TcpStream;
use url::Url;

use crate::proxies::proxy::{free, program};

/// A pooler that runs. Dropping it ends it.
struct Pooler {
    /// The database behind it.
    url: String,
    process: Child,
    _folder: TempDir,
}

impl Pooler {
    /// `None` where there is none.
    async fn start(stack: &Stack, mode: &str) -> Option<Self> {
        let program = program("pgbouncer")?;
        let mut url: Url = stack.database().url().parse().unwrap();
        let listen = free();
        let folder = TempDir::new().unwrap();
        // It refuses to run as root.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let settings = format!(
            "[databases]\n* = host={} port={} user={} password={}\n\
             [pgbouncer]\nlisten_addr = {}\nlisten_port = {}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\n\
             default_pool_size = 100\nignore_startup_parameters = extra_float_digits,options\n",
            url.host_str().unwrap(),
            url.port().unwrap(),
            url.username(),
            url.password().unwrap_or_default(),
            listen.ip(),
            listen.port(),
        );
        let file = folder.path().join("pgbouncer.ini");
        fs::write(&file, settings).unwrap();
        let mut command = Command::new(program);
        if folder.path().metadata().is_ok_and(|me| me.uid() == 0) {
            command.args(["-u", "nobody"]);
        }
        let process = command.arg(file).stdin(Stdio::null()).spawn().unwrap();
        eventually("the pooler takes connections", || async {
            TcpStream::connect(listen).await.ok()
        })
        .await;
        url.set_ip_host(listen.ip()).unwrap();
        url.set_port(Some(listen.port())).unwrap();
        Some(Self {
            url: url.into(),
            process,
            _folder: folder,
        })
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[tokio::test]
async fn a_pooler_of_transactions_is_refused_and_one_of_sessions_serves() {
    let mut stack = Stack::start().await;
    stack.control.kill();
    let Some(pooler) = Pooler::start(&stack, "transaction").await else {
        return;
    };
    stack.control.set("DATABASE_URL", &pooler.url);
    for _ in 0..3 {
        let (status, said) = stack.control.ends(&["migrate", "--check"]);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains("set `pool_mode = session` there"), "{said}");
    }
    let said = stack.control.refuses_to_start().await;
    assert!(said.contains("set `pool_mode = session` there"), "{said}");
    drop(pooler);

    let pooler = Pooler::start(&stack, "session").await.unwrap();
    stack.control.set("DATABASE_URL", &pooler.url);
    stack.start_control().await;
    let owner = stack.signup("acme").await;
    owner.get("/v1/me").await.expect_status(200);
}
