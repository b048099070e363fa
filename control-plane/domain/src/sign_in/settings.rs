//! Settings of sign-in by providers of organizations.

use std::{net::SocketAddr, time::Duration};

use ipnet::IpNet;
use serving::settings::{
    Reader,
    spans::{MILLISECOND, MINUTE},
};

#[derive(Clone, Debug)]
pub struct ProviderSettings {
    /// `SIGN_IN_ALLOWED_CIDRS`: non-public address ranges that providers may have, also without TLS; default none.
    pub allowed: Vec<IpNet>,
    /// `SIGN_IN_TIMEOUT`: how long one request to a provider may take; default `5s`.
    pub timeout: Duration,
    /// `SIGN_IN_DNS_SERVERS`: name servers that are asked for the records of domains, as addresses with ports; default those of
    /// the system.
    pub dns_servers: Vec<SocketAddr>,
}

impl ProviderSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        Self {
            allowed: reader.list("SIGN_IN_ALLOWED_CIDRS").unwrap_or_default(),
            timeout: reader.duration(
                "SIGN_IN_TIMEOUT",
                Duration::from_secs(5),
                MILLISECOND..=MINUTE,
            ),
            dns_servers: reader.list("SIGN_IN_DNS_SERVERS").unwrap_or_default(),
        }
    }
}
