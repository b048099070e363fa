//! Where people find the service: the base of links in mail and of redirects.

use std::net::SocketAddr;

use serving::settings::Reader;
use url::Url;

/// URLs without a trailing slash, so that a path can be appended.
#[derive(Clone, Debug)]
pub struct UrlSettings {
    /// `APP_BASE_URL`: the API as browsers reach it; default the API address.
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

    /// Replaces port 0 with the port that the system chose, in links to the API that use the default base.
    pub fn api_listens_on(&mut self, asked: SocketAddr, bound: SocketAddr) {
        if self.api == format!("http://{asked}") {
            self.api = format!("http://{bound}");
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
