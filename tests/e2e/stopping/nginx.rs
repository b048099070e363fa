//! The real nginx before two edges, by `deploy/nginx.conf`. `./dev test` fetches it.

use std::{
    env, fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use harness::{Edge, eventually, places};
use tempfile::TempDir;
use tokio::{
    net::{TcpListener, TcpStream},
    process::{Child, Command},
};

/// The name by which the configuration knows the edges.
pub const EDGES: &str = "flags.example.com";

/// More than `fail_timeout`, for which it does not ask an edge that was gone.
pub const FAIL_TIMEOUT: Duration = Duration::from_secs(6);

/// Its program. `None` on a machine that says that it cannot fetch packages.
pub fn program() -> Option<PathBuf> {
    if env::var_os("HALYARD_WITHOUT_NGINX").is_some() {
        return None;
    }
    let folder = env::var_os("HALYARD_NGINX");
    let folder = folder.map_or_else(|| places::target().join("nginx"), PathBuf::from);
    let program = folder.join("usr/sbin/nginx");
    assert!(
        program.is_file(),
        "nginx is not in {}: `./dev test` fetches it; a machine without a network says HALYARD_WITHOUT_NGINX=1",
        folder.display()
    );
    Some(program)
}

pub struct Nginx {
    pub address: SocketAddr,
    _process: Child,
    _folder: TempDir,
}

impl Nginx {
    /// Starts it before these edges, and waits until it takes connections.
    pub async fn start(program: &Path, edges: [&Edge; 2]) -> Self {
        let folder = TempDir::new().unwrap();
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let path = folder.path().join("nginx.conf");
        fs::write(&path, configuration(address, edges)).unwrap();
        let process = Command::new(program)
            .arg("-p")
            .arg(folder.path())
            .arg("-c")
            .arg(&path)
            .args(["-e", "stderr"])
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        eventually("nginx takes connections", || async {
            TcpStream::connect(address).await.ok()
        })
        .await;
        Self {
            address,
            _process: process,
            _folder: folder,
        }
    }
}

/// That of `deploy/`, with other addresses, without TLS, and in one process that keeps everything in its folder.
fn configuration(address: SocketAddr, edges: [&Edge; 2]) -> String {
    let mut text = fs::read_to_string(places::repository().join("deploy/nginx.conf")).unwrap();
    let [first, second] = edges.map(|edge| edge.process.address("http").to_owned());
    let one = "server 127.0.0.1:8081 max_fails=1 fail_timeout=5s;\n";
    let other = "# server 10.0.0.2:8081 max_fails=1 fail_timeout=5s;\n";
    for (there, here) in [
        (other, one.replace("127.0.0.1:8081", &second)),
        (one, one.replace("127.0.0.1:8081", &first)),
        ("listen 443 ssl;", format!("listen {address};")),
        (
            "http {\n",
            "http {\n    access_log off;\n    client_body_temp_path body;\n    proxy_temp_path proxy;\n    \
             fastcgi_temp_path fastcgi;\n    uwsgi_temp_path uwsgi;\n    scgi_temp_path scgi;\n"
                .to_owned(),
        ),
    ] {
        assert!(text.contains(there), "deploy/nginx.conf has no {there:?}");
        text = text.replace(there, &here);
    }
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("ssl_"));
    let lines: Vec<_> = lines.collect();
    format!(
        "daemon off;\nmaster_process off;\npid nginx.pid;\n{}\n",
        lines.join("\n")
    )
}
