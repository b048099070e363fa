//! Where people find the service: the base of links in mail and of redirects.

use std::net::SocketAddr;

use serving::settings::Reader;
use url::{Host, Url};

/// URLs without a trailing slash, so that a path can be appended.
#[derive(Clone, Debug)]
pub struct UrlSettings {
    /// `APP_BASE_URL`: the API as browsers reach it, and so the origin of our own pages; default the API address.
    pub api: String,
    /// `DASHBOARD_URL`: the dashboard; default `http://localhost:3000`.
    pub dashboard: String,
}

impl UrlSettings {
    pub(super) fn load(reader: &mut Reader<'_>, http: SocketAddr) -> Self {
        Self {
            api: base(reader, "APP_BASE_URL", &format!("http://{http}")),
            dashboard: base(reader, "DASHBOARD_URL", "http://localhost:3000"),
        }
    }

    /// The origin of our own pages.
    pub fn own_origin(&self) -> String {
        let url = Url::parse(&self.api).expect("checked when it was read");
        url.origin().ascii_serialization()
    }

    /// Replaces port 0 with the port that the system chose, in links to the API that use the default base.
    pub fn api_listens_on(&mut self, asked: SocketAddr, bound: SocketAddr) {
        if self.api == format!("http://{asked}") {
            self.api = format!("http://{bound}");
        }
    }
}

impl UrlSettings {
    /// Tells of links that lead nobody anywhere but on this machine.
    pub(super) fn require_reachable(&self, reader: &mut Reader<'_>) {
        for (name, base) in [
            ("APP_BASE_URL", &self.api),
            ("DASHBOARD_URL", &self.dashboard),
        ] {
            let host = Url::parse(base)
                .ok()
                .and_then(|url| url.host().map(|host| host.to_owned()));
            if host.is_some_and(|host| is_local(&host)) {
                reader.problem(
                    name,
                    format!("`{base}`: must be where people reach it in production"),
                );
            }
        }
    }
}

/// Whether the host is this machine, for whoever asks.
pub(super) fn is_local<S: AsRef<str>>(host: &Host<S>) -> bool {
    match host {
        Host::Domain(name) => {
            let name = name.as_ref().trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
        Host::Ipv4(address) => address.is_unspecified() || address.is_loopback(),
        Host::Ipv6(address) => {
            let mapped = address.to_ipv4_mapped();
            address.is_unspecified()
                || address.is_loopback()
                || mapped.is_some_and(|inner| inner.is_unspecified() || inner.is_loopback())
        }
    }
}

fn base(reader: &mut Reader<'_>, name: &str, default: &str) -> String {
    let text = reader.text(name, default);
    let is_base = Url::parse(&text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.query().is_none()
            && url.fragment().is_none()
    });
    if !is_base {
        reader.problem(
            name,
            format!("`{text}`: expected an address such as https://example.com"),
        );
    }
    text.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn links_to_the_api(source: &BTreeMap<String, String>) -> String {
        let asked = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut urls = UrlSettings::load(&mut Reader::new(source), asked);
        urls.api_listens_on(asked, SocketAddr::from(([127, 0, 0, 1], 4711)));
        urls.api
    }

    #[test]
    fn links_name_the_chosen_port_unless_a_url_is_set() {
        assert_eq!(links_to_the_api(&BTreeMap::new()), "http://127.0.0.1:4711");
        let told = ("APP_BASE_URL".to_owned(), "https://a.b".to_owned());
        assert_eq!(links_to_the_api(&BTreeMap::from([told])), "https://a.b");
    }
}
