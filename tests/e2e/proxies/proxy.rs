//! The real proxies, by the files of `deploy/proxies/`. `./dev test` fetches them.

use std::{
    env, fs,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use harness::{Caller, Edge, eventually, places, process::Process, signals};
use reqwest::{Certificate, Client, ClientBuilder};
use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs};
use rustls_pki_types::{CertificateDer, ServerName, pem::PemObject};
use serving::clock::Clock;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

/// The names by which the files know Halyard.
pub const API: &str = "api.example.com";
pub const EDGES: &str = "flags.example.com";

#[derive(Clone, Copy, Debug)]
pub enum Proxy {
    Nginx,
    Caddy,
    Envoy,
}

/// A proxy that runs. Dropping it ends it.
pub struct Running {
    pub http: SocketAddr,
    https: SocketAddr,
    certificate: Certificate,
    process: Child,
    folder: TempDir,
}

/// A program that `./dev test` fetches. `None` on a machine that says that it cannot fetch packages.
pub fn program(name: &str) -> Option<PathBuf> {
    if env::var_os("HALYARD_WITHOUT_PROXIES").is_some() {
        eprintln!("not checked: HALYARD_WITHOUT_PROXIES is set");
        return None;
    }
    let folder = env::var_os("HALYARD_PROXIES");
    let folder = folder.map_or_else(|| places::target().join("proxies"), PathBuf::from);
    let program = folder.join(name);
    assert!(
        program.exists(),
        "{} is missing: `./dev test` fetches it; a machine without a network says HALYARD_WITHOUT_PROXIES=1",
        program.display()
    );
    Some(program)
}

impl Proxy {
    const fn file(self) -> &'static str {
        match self {
            Self::Nginx => "nginx.conf",
            Self::Caddy => "Caddyfile",
            Self::Envoy => "envoy.yaml",
        }
    }

    /// Starts it before a control plane and two edges, and waits until it takes connections.
    pub async fn start(self, control: &Process, edges: [&Edge; 2]) -> Option<Running> {
        let program = program(&format!("{self:?}").to_lowercase())?;
        let folder = TempDir::new().unwrap();
        // The workers of nginx have a user of their own.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let key = rcgen::generate_simple_self_signed([API.to_owned(), EDGES.to_owned()]).unwrap();
        fs::write(folder.path().join("tls.pem"), key.cert.pem()).unwrap();
        fs::write(
            folder.path().join("tls.key"),
            key.signing_key.serialize_pem(),
        )
        .unwrap();
        let [http, https] = [free(), free()];
        let mut text = fs::read_to_string(
            places::repository()
                .join("deploy/proxies")
                .join(self.file()),
        )
        .unwrap();
        let control = control.address("http");
        let [first, second] = edges.map(|edge| edge.process.address("http"));
        let inside = format!("{}/tls", folder.path().display());
        // Caddy is told by its environment, as in compose.yaml.
        let environment = [
            ("TLS", format!("{inside}.pem {inside}.key")),
            ("CONTROL_SERVERS", format!("{control} {control}")),
            ("EDGE_SERVERS", format!("{first} {second}")),
        ];
        let servers = [
            ("127.0.0.1:8080", &control),
            ("10.0.0.2:8080", &control),
            ("127.0.0.1:8081", &first),
            ("10.0.0.2:8081", &second),
        ];
        self.replace(&mut text, servers);
        text = text.replace("/etc/halyard/tls", &inside);
        text = self.listening(&text, http, https);
        fs::write(folder.path().join(self.file()), text).unwrap();

        let arguments: &[&str] = match self {
            Self::Nginx => &["-p", ".", "-c", "nginx.conf", "-e", "stderr"],
            Self::Caddy => &["run", "--config", "Caddyfile"],
            Self::Envoy => &[
                "-c",
                "envoy.yaml",
                "--use-dynamic-base-id",
                "--log-level",
                "warn",
            ],
        };
        // As under systemd.
        let process = Command::new("sh")
            .args(["-c", "ulimit -S -n 1024; exec \"$0\" \"$@\""])
            .arg(program)
            .args(arguments)
            .current_dir(folder.path())
            .env("HOME", folder.path())
            .envs(environment)
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let certificate = Certificate::from_pem(key.cert.pem().as_bytes()).unwrap();
        let running = Running {
            http,
            https,
            certificate,
            process,
            folder,
        };
        eventually(&format!("{self:?} takes connections"), || async {
            TcpStream::connect(https).await.ok()
        })
        .await;
        Some(running)
    }

    /// Names the servers of a test in place of those of the file, which must have all of them. Caddy has them from its environment.
    fn replace(self, text: &mut String, servers: [(&str, &String); 4]) {
        if matches!(self, Self::Caddy) {
            return;
        }
        for (there, here) in servers {
            let written = |address: &str| match self {
                Self::Envoy => {
                    let (host, port) = address.split_once(':').unwrap();
                    format!("address: {host}, port_value: {port} ")
                }
                Self::Nginx | Self::Caddy => format!("server {address} "),
            };
            let there = written(there);
            assert!(text.contains(&there), "{self:?} has no {there:?}");
            *text = text.replace(&there, &written(here));
        }
    }

    /// On other ports, and where everything it writes is in its folder.
    fn listening(self, text: &str, http: SocketAddr, https: SocketAddr) -> String {
        match self {
            Self::Nginx => {
                let text = text
                    .replace("listen 80;", &format!("listen {http};"))
                    .replace("listen 443 ", &format!("listen {https} "))
                    .replace(
                        "worker_rlimit_nofile 65536;",
                        &format!("worker_rlimit_nofile {};", hard_limit()),
                    );
                let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                    .map(|name| format!("    {name}_temp_path {name};\n"));
                let paths = format!("http {{\n    access_log off;\n{}", paths.concat());
                format!(
                    "daemon off;\npid nginx.pid;\n{}",
                    text.replace("http {\n", &paths)
                )
            }
            Self::Caddy => format!(
                "{{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttp_port {}\n\thttps_port {}\n}}\n{text}",
                http.port(),
                https.port()
            ),
            Self::Envoy => {
                let at = |address: SocketAddr| {
                    format!("address: 127.0.0.1, port_value: {} ", address.port())
                };
                text.replace("address: 0.0.0.0, port_value: 80 ", &at(http))
                    .replace("address: 0.0.0.0, port_value: 443 ", &at(https))
            }
        }
    }
}

impl Running {
    /// A client that trusts it, and finds it by both names.
    pub fn client(&self) -> ClientBuilder {
        Client::builder()
            .tls_certs_only([self.certificate.clone()])
            .resolve(API, self.https)
            .resolve(EDGES, self.https)
            .no_proxy()
    }

    /// A connection to what has that name, for whatever bytes.
    pub async fn connect(&self, host: &'static str) -> TlsStream<TcpStream> {
        let file = self.folder.path().join("tls.pem");
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_file(file).unwrap())
            .unwrap();
        let provider = Arc::new(aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let stream = TcpStream::connect(self.https).await.unwrap();
        let name = ServerName::try_from(host).unwrap();
        let connector = TlsConnector::from(Arc::new(config));
        connector.connect(name, stream).await.unwrap()
    }

    /// Where such a client finds what has that name.
    pub fn url(&self, host: &str) -> String {
        format!("https://{host}:{}", self.https.port())
    }

    /// A caller of what has that name, over HTTP/2 or HTTP/1.1.
    pub fn caller(&self, host: &str, client: ClientBuilder) -> Caller {
        let caller = Caller::new(&self.url(host), Clock::system());
        caller.sent_by(client.build().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // All processes of its group: nginx has several.
        signals::send("KILL", format_args!("-{}", self.process.id()));
        drop(self.process.wait());
    }
}

/// How many files the system allows, which may be fewer than a host of its own has.
fn hard_limit() -> String {
    let limit = Command::new("sh").args(["-c", "ulimit -H -n"]).output();
    String::from_utf8(limit.unwrap().stdout)
        .unwrap()
        .trim()
        .to_owned()
}

/// An address that nobody listens on now.
pub fn free() -> SocketAddr {
    let any = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    any.local_addr().unwrap()
}
