//! Who may enroll edges by the API, and what they are told.

use std::net::SocketAddr;

use serving::settings::Reader;
use url::Url;

use base::config::UrlSettings;
use domain::accounts::email::Email;

/// Edges belong to the installation, not to an organization.
#[derive(Clone, Debug)]
pub struct FleetSettings {
    /// `FLEET_OPERATORS`: accounts that may enroll and revoke edges by the API, where they are owners or admins; default
    /// none.
    pub operators: Vec<Email>,
    /// `DATA_REGIONS`.
    pub regions: Vec<String>,
    /// `CONTROL_QUIC_NAME`.
    pub quic_name: String,
    /// Where edges reach a control plane.
    pub upstream: String,
}

impl FleetSettings {
    pub fn load(
        reader: &mut Reader<'_>,
        regions: &[String],
        quic_name: &str,
        link: SocketAddr,
        urls: &UrlSettings,
    ) -> Self {
        Self {
            operators: reader.list("FLEET_OPERATORS").unwrap_or_default(),
            regions: regions.to_vec(),
            quic_name: quic_name.to_owned(),
            upstream: upstream(link, &urls.api),
        }
    }
}

/// The link's address; one that listens everywhere is reached by the host of the API.
fn upstream(link: SocketAddr, api: &str) -> String {
    let url = Url::parse(api).ok();
    let host = url.as_ref().and_then(Url::host_str);
    match host.filter(|_| link.ip().is_unspecified()) {
        Some(host) => format!("{host}:{}", link.port()),
        None => link.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_told_an_address_that_it_can_reach() {
        for (link, expected) in [
            ("127.0.0.1:8443", "127.0.0.1:8443"),
            ("10.0.0.7:8443", "10.0.0.7:8443"),
            ("0.0.0.0:8443", "flags.example.com:8443"),
            ("[::]:7", "flags.example.com:7"),
        ] {
            let link = link.parse().unwrap();
            assert_eq!(upstream(link, "https://flags.example.com"), expected);
        }
    }
}
