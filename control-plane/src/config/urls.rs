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
