//! Settings of publishing, of the link's authority, and of event streams (`docs/settings.md`).

use std::{num::NonZeroU32, path::PathBuf, time::Duration};

use secrecy::SecretString;
use serving::settings::{
    Reader,
    spans::{HOUR, MILLISECOND, SECOND},
};

use base::config::{AppEnv, built_in, secret};

/// The default name of control planes (`CONTROL_QUIC_NAME`); edges have the same default.
pub const QUIC_NAME: &str = "halyard-control";

#[derive(Clone, Debug)]
pub struct PublishSettings {
    /// `SNAPSHOT_WAIT`: how long a write waits for the connected edges; default `500ms`.
    pub snapshot_wait: Duration,
    /// `EDGES_WAIT`: how long a write that asks for it (`?wait=edges`) waits for the edges of all replicas; default
    /// `5s`.
    pub(crate) edges_wait: Duration,
    /// Look-ups of API keys that edges do not know.
    pub lookups: LookupSettings,
    /// `CONTROL_QUIC_NAME`: the server name that edges expect in the certificate; default `halyard-control`.
    pub quic_name: String,
    /// `CONTROL_CA_DIR`: a certificate authority of your own (`ca.pem`, `ca.key`); by default one is created and kept
    /// sealed in Postgres.
    pub ca_dir: Option<PathBuf>,
    /// `APP_SECRET`: seals what must be read back, such as the authority's key. There is an insecure built-in default.
    pub app_secret: SecretString,
}

/// Limits of API key look-ups on the database, on this replica.
#[derive(Clone, Copy, Debug)]
pub struct LookupSettings {
    /// `KEY_LOOKUP_CONNECTIONS`: connections besides the others; default 4.
    pub connections: NonZeroU32,
    /// `KEY_LOOKUPS_PER_SECOND`: keys a second, of all edges together, 0 for no limit; default 2,000.
    pub(crate) per_second: u32,
}

impl LookupSettings {
    fn load(reader: &mut Reader<'_>) -> Self {
        let [least, default, most] =
            [1, 4, 1_000].map(|number| NonZeroU32::new(number).expect("not zero"));
        Self {
            connections: reader.number("KEY_LOOKUP_CONNECTIONS", default, least..=most),
            per_second: reader.parse("KEY_LOOKUPS_PER_SECOND", 2_000),
        }
    }
}

impl PublishSettings {
    /// Reads the settings; commands about edges read only these.
    pub fn load(reader: &mut Reader<'_>, env: AppEnv) -> Self {
        Self {
            snapshot_wait: reader.duration("SNAPSHOT_WAIT", SECOND / 2, Duration::ZERO..=HOUR),
            edges_wait: reader.duration("EDGES_WAIT", 5 * SECOND, Duration::ZERO..=HOUR),
            lookups: LookupSettings::load(reader),
            quic_name: reader.text("CONTROL_QUIC_NAME", QUIC_NAME),
            ca_dir: reader.optional("CONTROL_CA_DIR").map(PathBuf::from),
            app_secret: secret(reader, env, "APP_SECRET", built_in!("app-secret")),
        }
    }
}

/// How event streams behave. The built-in edge and all others know the same settings.
#[derive(Clone, Copy, Debug)]
pub struct LiveSettings {
    /// `SSE_HEARTBEAT`: how often an idle stream sends a sign of life; default `15s`.
    pub heartbeat: Duration,
    /// `SSE_RETRY`: how long a client waits before it reconnects after its stream ended; default `3s`.
    pub retry: Duration,
}

impl LiveSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        Self {
            heartbeat: reader.duration("SSE_HEARTBEAT", 15 * SECOND, MILLISECOND..=HOUR),
            retry: reader.duration("SSE_RETRY", 3 * SECOND, Duration::ZERO..=HOUR),
        }
    }
}
