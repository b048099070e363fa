//! Public addresses of the service, the base of links in mail and of redirects.

use std::net::SocketAddr;

use serving::settings::Reader;
use url::{Host, Url};

use super::ListenSettings;

/// URLs without a trailing slash, so that a path can be appended.
#[derive(Clone, Debug)]
pub struct UrlSettings {
    /// `APP_BASE_URL`: the API as browsers reach it, and so the origin of our own pages; default the API address.
    pub api: String,
    /// `DASHBOARD_URL`: the dashboard; default the API's own address while it serves one, else `http://localhost:3000`.
    pub dashboard: String,
    /// Whether there is one: this service has it, or its address was given.
    pub has_dashboard: bool,
    /// `EDGE_PUBLIC_URL`: where programs ask for flags; default the API's own address while it answers evaluations, else unknown.
    pub edge: Option<String>,
}

impl UrlSettings {
    pub fn load(reader: &mut Reader<'_>, listen: &ListenSettings) -> Self {
        let api = base(reader, "APP_BASE_URL", &format!("http://{}", listen.http));
        let elsewhere = "http://localhost:3000";
        let dashboard = if listen.dashboard { &api } else { elsewhere };
        let dashboard = base(reader, "DASHBOARD_URL", dashboard);
        let edge = reader.optional("EDGE_PUBLIC_URL");
        let edge = edge.map(|text| checked(reader, "EDGE_PUBLIC_URL", &text));
        Self {
            has_dashboard: listen.dashboard || dashboard != elsewhere,
            edge: edge.or_else(|| listen.builtin_edge.then(|| api.clone())),
            dashboard,
            api,
        }
    }

    /// The origin of our own pages.
    pub fn own_origin(&self) -> String {
        let url = Url::parse(&self.api).expect("checked when it was read");
        url.origin().ascii_serialization()
    }

    /// Replaces port 0 with the port that the system chose, in links that use the default base.
    pub fn api_listens_on(&mut self, asked: SocketAddr, bound: SocketAddr) {
        let asked = format!("http://{asked}");
        let bases = [
            Some(&mut self.api),
            Some(&mut self.dashboard),
            self.edge.as_mut(),
        ];
        for base in bases.into_iter().flatten() {
            if *base == asked {
                *base = format!("http://{bound}");
            }
        }
    }
}

impl UrlSettings {
    /// Warns about links that only work on this machine.
    pub fn require_reachable(&self, reader: &mut Reader<'_>) {
        let dashboard = Some(&self.dashboard).filter(|dashboard| **dashboard != self.api);
        let bases = [
            ("APP_BASE_URL", Some(&self.api)),
            ("DASHBOARD_URL", dashboard),
        ];
        for (name, base) in bases
            .into_iter()
            .filter_map(|(name, base)| Some((name, base?)))
        {
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

/// Whether the host is this machine as seen by the client.
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
    checked(reader, name, &text)
}

fn checked(reader: &mut Reader<'_>, name: &str, text: &str) -> String {
    let is_base = Url::parse(text).is_ok_and(|url| {
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

    fn urls(settings: &[(&str, &str)]) -> UrlSettings {
        let settings = [&[("CONTROL_HTTP_ADDR", "127.0.0.1:0")], settings].concat();
        let source: BTreeMap<_, _> = settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let mut reader = Reader::new(&source);
        let listen = ListenSettings::load(&mut reader);
        let mut urls = UrlSettings::load(&mut reader, &listen);
        urls.api_listens_on(listen.http, SocketAddr::from(([127, 0, 0, 1], 4711)));
        urls
    }

    /// Links to the API and to the dashboard.
    fn links(settings: &[(&str, &str)]) -> [String; 2] {
        let urls = urls(settings);
        [urls.api, urls.dashboard]
    }

    #[test]
    fn programs_find_flags_at_the_api_while_it_has_the_built_in_edge() {
        let edge = |settings: &[(&str, &str)]| urls(settings).edge;
        assert_eq!(edge(&[]).as_deref(), Some("http://127.0.0.1:4711"));
        let without = ("CONTROL_BUILTIN_EDGE", "false");
        assert_eq!(edge(&[without]), None);
        let named = edge(&[without, ("EDGE_PUBLIC_URL", "https://edge.b/eu/")]);
        assert_eq!(named.as_deref(), Some("https://edge.b/eu"));
    }

    #[test]
    fn links_name_the_chosen_port_unless_a_url_is_set() {
        assert_eq!(links(&[]), ["http://127.0.0.1:4711"; 2]);
        assert_eq!(
            links(&[("APP_BASE_URL", "https://a.b")]),
            ["https://a.b"; 2]
        );
        let dashboard = links(&[("DASHBOARD_URL", "https://c.d")]);
        assert_eq!(dashboard, ["http://127.0.0.1:4711", "https://c.d"]);
        let without = links(&[("CONTROL_DASHBOARD", "false")]);
        assert_eq!(without, ["http://127.0.0.1:4711", "http://localhost:3000"]);
    }
}
