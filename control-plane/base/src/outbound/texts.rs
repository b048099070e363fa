//! TXT records of domains, by which their owners prove things.
//!
//! Each look-up asks the name servers anew: whoever corrects a record must not wait for a cache of ours.

use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};

use hickory_resolver::{
    TokioResolver,
    config::{ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig},
    net::{NetError, runtime::TokioRuntimeProvider},
    proto::rr::RData,
};

use crate::{
    ids::OrgId,
    limits::{self, Full, Limiter},
};

/// How long one question may wait for one answer, and how often it is asked.
const PATIENCE: Duration = Duration::from_secs(3);
const ATTEMPTS: usize = 2;
/// Records of a name that are read.
const MAX_RECORDS: usize = 100;

/// Asks name servers. Cheap to clone.
#[derive(Clone)]
pub struct Texts(Arc<Inner>);

struct Inner {
    /// Without it no name server is known.
    resolver: Option<TokioResolver>,
    limiter: Limiter,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum TextsError {
    #[error("no name server is configured")]
    NoServer,
    #[error(transparent)]
    Busy(#[from] Full),
    #[error("the name servers do not answer")]
    NoAnswer(#[source] NetError),
}

impl Texts {
    /// Asks these name servers, over UDP and TCP; without any those of the system.
    pub fn new(servers: &[SocketAddr]) -> Self {
        let resolver = build(servers).unwrap_or_else(|error| {
            tracing::error!(error = ?error, "no name server is known: domains cannot be proven by DNS");
            None
        });
        Self(Arc::new(Inner {
            resolver,
            limiter: Limiter::new(limits::HOST_LOOK_UPS),
        }))
    }

    /// The TXT records of a name, each with its parts joined; none if the name has none or does not exist. Texts that are not
    /// UTF-8 are left out. The look-up counts for the organization's share.
    pub async fn look_up(&self, name: &str, org_id: OrgId) -> Result<Vec<String>, TextsError> {
        let resolver = self.0.resolver.as_ref().ok_or(TextsError::NoServer)?;
        let _permit = self.0.limiter.enter(org_id).await?;
        // With the final dot no search domain is added.
        let answer = match resolver.txt_lookup(format!("{name}.")).await {
            Ok(answer) => answer,
            Err(error) if error.is_no_records_found() || error.is_nx_domain() => {
                return Ok(Vec::new());
            }
            Err(error) => return Err(TextsError::NoAnswer(error)),
        };
        let records = answer.answers().iter().take(MAX_RECORDS);
        let texts = records.filter_map(|record| match &record.data {
            RData::TXT(text) => String::from_utf8(text.txt_data.concat()).ok(),
            _ => None,
        });
        Ok(texts.collect())
    }
}

fn build(servers: &[SocketAddr]) -> Result<Option<TokioResolver>, NetError> {
    let mut builder = if servers.is_empty() {
        TokioResolver::builder_tokio()?
    } else {
        let servers = servers.iter().map(|server| {
            let mut connections = vec![ConnectionConfig::udp(), ConnectionConfig::tcp()];
            for connection in &mut connections {
                connection.port = server.port();
            }
            NameServerConfig::new(server.ip(), true, connections)
        });
        let config = ResolverConfig::from_parts(None, Vec::new(), servers.collect());
        TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
    };
    let options = builder.options_mut();
    options.timeout = PATIENCE;
    options.attempts = ATTEMPTS;
    options.cache_size = 0;
    options.use_hosts_file = ResolveHosts::Never;
    builder.build().map(Some)
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts").finish_non_exhaustive()
    }
}
