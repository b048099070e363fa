//! Settings of an edge, read from environment variables.
//!
//! [`EdgeSettings`] is what serving needs, wherever the edge runs; [`Config`] adds what the process `halyard-edge` needs.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use protocol::{snapshot::KeyHash, wire::message::Subscribe};
use serving::{
    address::TrustedProxies,
    leaving,
    listener::Limits,
    settings::{
        Problems, Reader, Source,
        spans::{DAY, HOUR, MILLISECOND, MINUTE},
    },
    telemetry::TelemetrySettings,
};

pub use crate::upstream::{Signatures, UpstreamSettings};
use crate::{
    downstream::{NotServer, server_identity},
    files::FilesSettings,
    public_url::PublicUrl,
    upstream::Identity,
};

/// How an edge serves.
#[derive(Clone, Debug)]
pub struct EdgeSettings {
    /// `SSE_HEARTBEAT`: how often an idle stream sends a sign of life; 15 s.
    pub(crate) sse_heartbeat: Duration,
    /// `SSE_RETRY`: how long a client waits before it reconnects after its stream ended; 3 s.
    pub(crate) sse_retry: Duration,
    /// `KEY_LOOKUP_TIMEOUT`: how long a request with an unknown key may wait; 500 ms.
    pub(crate) key_lookup_timeout: Duration,
    /// `UNKNOWN_KEY_TTL`: how long a key that does not exist is not looked up again; 5 s.
    pub(crate) unknown_key_ttl: Duration,
    /// `KEY_LOOKUPS_PER_NETWORK`: look-ups a second that requests from one client network may cause, 0 for no limit; 100.
    pub(crate) key_lookups_per_network: u32,
    /// `STREAMS_PER_KEY`: open streams of one API key, 0 for no limit; 20,000.
    pub(crate) streams_per_key: u32,
    /// `STREAMS_PER_ADDRESS`: open streams of one client address, 0 for no limit; 2,000.
    pub(crate) streams_per_address: u32,
    /// `RATE_EVALUATION`: requests a minute of one API key, 0 for no limit; 60,000. A setting, since it protects the machine.
    pub(crate) rate_evaluation: u32,
    /// `USAGE_FLUSH_INTERVAL`: how often counts and impressions are sent to the control plane; 1 s.
    pub usage_flush_interval: Duration,
    /// `TRUSTED_PROXIES`: networks whose forwarded-address headers count; none.
    pub trusted_proxies: TrustedProxies,
    /// `EDGE_PUBLIC_URL`: where clients find this edge; by default the host that the request names.
    pub(crate) public_url: Option<PublicUrl>,
    /// `EDGE_GREETING_WAIT`, of a separate edge: how long after its start it is not ready with what its copy holds; not at all.
    pub(crate) greeting_wait: Duration,
    /// The key that stands for callers without a valid one, of an edge that serves files to anybody; none.
    pub(crate) anybody: Option<KeyHash>,
}

impl EdgeSettings {
    /// Reads the settings of serving.
    pub fn load(reader: &mut Reader<'_>) -> Self {
        Self {
            sse_heartbeat: reader.duration(
                "SSE_HEARTBEAT",
                Duration::from_secs(15),
                MILLISECOND..=HOUR,
            ),
            sse_retry: reader.duration("SSE_RETRY", Duration::from_secs(3), Duration::ZERO..=HOUR),
            key_lookup_timeout: reader.duration(
                "KEY_LOOKUP_TIMEOUT",
                Duration::from_millis(500),
                Duration::ZERO..=MINUTE,
            ),
            unknown_key_ttl: reader.duration(
                "UNKNOWN_KEY_TTL",
                Duration::from_secs(5),
                Duration::ZERO..=DAY,
            ),
            key_lookups_per_network: reader.parse("KEY_LOOKUPS_PER_NETWORK", 100),
            streams_per_key: reader.parse("STREAMS_PER_KEY", 20_000),
            streams_per_address: reader.parse("STREAMS_PER_ADDRESS", 2_000),
            rate_evaluation: reader.parse("RATE_EVALUATION", 60_000),
            usage_flush_interval: reader.duration(
                "USAGE_FLUSH_INTERVAL",
                Duration::from_secs(1),
                MILLISECOND..=DAY,
            ),
            trusted_proxies: reader
                .list("TRUSTED_PROXIES")
                .unwrap_or_default()
                .into_iter()
                .collect(),
            public_url: reader.parse_optional("EDGE_PUBLIC_URL"),
            greeting_wait: Duration::ZERO,
            anybody: None,
        }
    }
}

impl EdgeSettings {
    /// Settings for files: everybody without a key shares one, which therefore has no limit of its own unless one is set.
    fn serve_anybody(&mut self, files: &FilesSettings, reader: &mut Reader<'_>) {
        self.anybody = files.anybody();
        if self.anybody.is_some() {
            self.rate_evaluation = reader.parse("RATE_EVALUATION", 0);
            self.streams_per_key = reader.parse("STREAMS_PER_KEY", 0);
        }
    }
}

/// All settings of the process `halyard-edge`.
#[derive(Debug)]
pub struct Config {
    /// How it serves.
    pub edge: EdgeSettings,
    /// Where its snapshots come from.
    pub from: SnapshotsFrom,
    /// `EDGE_HTTP_ADDR`: SDK traffic; `127.0.0.1:8081`.
    pub http_addr: SocketAddr,
    /// `EDGE_ADMIN_ADDR`: probes and metrics; `127.0.0.1:9091`.
    pub admin_addr: SocketAddr,
    /// `ADDRESS_FILE`: where the addresses are written once both are bound; none.
    pub address_file: Option<PathBuf>,
    /// `HEADER_TIMEOUT`, `KEEP_ALIVE_TIMEOUT`, `SLOW_READER_TIMEOUT`: what clients have time for;
    /// `CONNECTIONS_PER_NETWORK`: how many connections they may have.
    pub limits: Limits,
    /// `SHUTDOWN_DELAY`: how long it answers on after the signal to stop; 10 s, and not at all with files.
    pub shutdown_delay: Duration,
}

/// Where the snapshots of an edge come from.
#[derive(Debug)]
pub enum SnapshotsFrom {
    /// From a control plane or a relay.
    Link(LinkSettings),
    /// From files.
    Files(FilesSettings),
}

/// How an edge is linked to a control plane.
#[derive(Debug)]
pub struct LinkSettings {
    /// What it connects to.
    pub upstream: UpstreamSettings,
    /// `EDGE_CACHE_DIR`, unless `EDGE_CACHE` is `none`.
    pub cache: Option<PathBuf>,
    /// `EDGE_RELAY_ADDR`: where other edges connect to this one in place of a control plane, UDP; none.
    pub relay_addr: Option<SocketAddr>,
}

impl SnapshotsFrom {
    /// `EDGE_RELAY_ADDR`.
    pub const fn relay_addr(&self) -> Option<SocketAddr> {
        match self {
            Self::Link(link) => link.relay_addr,
            Self::Files(_) => None,
        }
    }
}

impl Config {
    /// Reads all settings and those of telemetry, which is set up before anything else.
    ///
    /// # Errors
    /// Lists every problem found, each under the name of its variable.
    pub fn load(source: &dyn Source) -> Result<(Self, TelemetrySettings), Problems> {
        let mut reader = Reader::new(source);
        let mut edge = EdgeSettings::load(&mut reader);
        let from = match FilesSettings::load(&mut reader) {
            Some(files) => {
                edge.serve_anybody(&files, &mut reader);
                SnapshotsFrom::Files(files)
            }
            None => SnapshotsFrom::Link(link(&mut reader, &mut edge)),
        };
        // Whoever serves files on a laptop stops it by a key, and waits for nobody.
        let usual_delay = match from {
            SnapshotsFrom::Link(_) => leaving::USUAL_DELAY,
            SnapshotsFrom::Files(_) => Duration::ZERO,
        };
        let config = Self {
            edge,
            from,
            http_addr: reader.parse("EDGE_HTTP_ADDR", (Ipv4Addr::LOCALHOST, 8081).into()),
            admin_addr: admin_addr(&mut reader),
            address_file: reader.optional("ADDRESS_FILE").map(PathBuf::from),
            // Time that requests in flight have once `stop` is cancelled; storing usage comes after it.
            limits: Limits::load(&mut reader, Duration::from_secs(6)),
            shutdown_delay: leaving::delay(&mut reader, usual_delay),
        };
        let telemetry = TelemetrySettings::load(&mut reader, "halyard-edge");
        reader.finish()?;
        Ok((config, telemetry))
    }
}

fn link(reader: &mut Reader<'_>, edge: &mut EdgeSettings) -> LinkSettings {
    let cache = match reader.parse("EDGE_CACHE", CacheKind::Sled) {
        CacheKind::Sled => Some(cache_folder(reader)),
        CacheKind::None => None,
    };
    edge.greeting_wait =
        reader.duration("EDGE_GREETING_WAIT", Duration::ZERO, Duration::ZERO..=HOUR);
    let upstream = upstream(reader);
    LinkSettings {
        relay_addr: relay_addr(reader, &upstream),
        upstream,
        cache,
    }
}

/// `EDGE_ADMIN_ADDR`, the only setting that the health probe needs.
pub fn admin_addr(reader: &mut Reader<'_>) -> SocketAddr {
    reader.parse("EDGE_ADMIN_ADDR", (Ipv4Addr::LOCALHOST, 9091).into())
}

/// `EDGE_CACHE_DIR`; by default `halyard-edge-data` in the folder that systemd made for the service (`STATE_DIRECTORY`), since its
/// working directory is `/`, or else in the working directory.
fn cache_folder(reader: &mut Reader<'_>) -> PathBuf {
    let folder = reader.optional("EDGE_CACHE_DIR").map(PathBuf::from);
    // There may be several; the first is the service's own.
    let of_service = reader.optional("STATE_DIRECTORY");
    let of_service = of_service.as_deref().and_then(|all| all.split(':').next());
    let base = Path::new(of_service.unwrap_or("."));
    folder.unwrap_or_else(|| base.join("halyard-edge-data"))
}

fn upstream(reader: &mut Reader<'_>) -> UpstreamSettings {
    let addresses: Vec<String> = reader.list("EDGE_UPSTREAM").unwrap_or_default();
    if addresses.is_empty() {
        reader.problem("EDGE_UPSTREAM", "must name a control plane as host:port");
    }
    for address in &addresses {
        let port = address
            .rsplit_once(':')
            .map(|(_, port)| port.parse::<u16>());
        if !matches!(port, Some(Ok(_))) {
            reader.problem("EDGE_UPSTREAM", format!("`{address}`: expected host:port"));
        }
    }
    let identity = PathBuf::from(reader.required("EDGE_IDENTITY"));
    if identity != Path::new("")
        && let Err(error) = Identity::read(&identity)
    {
        reader.problem("EDGE_IDENTITY", serving::error::chain(&error));
    }
    let subscribe = reader
        .parse("EDGE_SUBSCRIBE", Subscription(Subscribe::All))
        .0;
    let memory_limit = Some(reader.parse("EDGE_MEMORY_LIMIT", 0)).filter(|limit| *limit > 0);
    if memory_limit.is_some() && subscribe == Subscribe::All {
        reader.problem(
            "EDGE_MEMORY_LIMIT",
            "needs EDGE_SUBSCRIBE=on-demand: what is dropped has to be requested again",
        );
    }
    UpstreamSettings {
        addresses,
        identity,
        server_name: reader.text("CONTROL_QUIC_NAME", "halyard-control"),
        region: reader.optional("EDGE_REGION"),
        subscribe,
        memory_limit,
        signatures: reader.parse("EDGE_SIGNATURES", Signatures::Optional),
    }
}

fn relay_addr(reader: &mut Reader<'_>, upstream: &UpstreamSettings) -> Option<SocketAddr> {
    const NAME: &str = "EDGE_RELAY_ADDR";
    let address = reader.parse_optional(NAME)?;
    if upstream.subscribe == Subscribe::OnDemand {
        reader.problem(
            NAME,
            "needs EDGE_SUBSCRIBE=all: the edges that connect here ask for anything of their regions",
        );
    }
    // Everything else that is wrong with the identity is a problem of EDGE_IDENTITY.
    if let Err(NotServer::NotRelay) = server_identity(&upstream.identity) {
        reader.problem(
            NAME,
            "needs an EDGE_IDENTITY that was enrolled with --relay",
        );
    }
    Some(address)
}

enum CacheKind {
    Sled,
    None,
}

impl FromStr for CacheKind {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "sled" => Ok(Self::Sled),
            "none" => Ok(Self::None),
            _ => Err("expected sled or none"),
        }
    }
}

struct Subscription(Subscribe);

impl FromStr for Subscription {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(Self(Subscribe::All)),
            "on-demand" => Ok(Self(Subscribe::OnDemand)),
            _ => Err("expected all or on-demand"),
        }
    }
}

impl FromStr for Signatures {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "optional" => Ok(Self::Optional),
            "required" => Ok(Self::Required),
            _ => Err("expected optional or required"),
        }
    }
}

#[cfg(test)]
mod tests;
