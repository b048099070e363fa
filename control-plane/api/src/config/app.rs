//! Browser origins and proxies.

use std::str::FromStr;

use axum::http::HeaderValue;
use ipnet::IpNet;
use serving::{address::TrustedProxies, settings::Reader};
use url::Url;

use base::config::{AppEnv, UrlSettings};

#[derive(Clone, Debug)]
pub struct AppSettings {
    /// `APP_ENV`: `development` (default) or `production`.
    pub env: AppEnv,
    /// `CORS_ORIGIN`: browser origins that may use the management API; default the dashboard (`DASHBOARD_URL`).
    pub cors_origins: Vec<HeaderValue>,
    /// `TRUSTED_PROXIES`: networks whose forwarded-address headers are believed; default none.
    pub trusted_proxies: TrustedProxies,
}

/// An origin as browsers send it: scheme, host, and the port if it is not the scheme's own.
struct Origin(HeaderValue);

impl FromStr for Origin {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).ok().filter(|url| {
            !text.contains('*')
                && matches!(url.path(), "" | "/")
                && url.query().is_none()
                && url.fragment().is_none()
                && url.username().is_empty()
                && url.password().is_none()
        });
        url.and_then(|url| origin_of(&url))
            .map(Self)
            .ok_or("expected origins such as https://example.com")
    }
}

fn origin_of(url: &Url) -> Option<HeaderValue> {
    let is_web = matches!(url.scheme(), "http" | "https");
    let origin = is_web.then(|| url.origin().ascii_serialization())?;
    HeaderValue::from_str(&origin).ok()
}

impl AppSettings {
    pub fn load(reader: &mut Reader<'_>, urls: &UrlSettings) -> Self {
        let env = reader.parse("APP_ENV", AppEnv::Development);
        if env == AppEnv::Production {
            urls.require_reachable(reader);
        }
        let cors_origins = match reader.list::<Origin>("CORS_ORIGIN") {
            Some(origins) => origins.into_iter().map(|Origin(origin)| origin).collect(),
            // Errors in the dashboard's address are reported under its own name.
            None => urls.dashboard.parse().map_or_else(
                |_| Vec::new(),
                |url: Url| origin_of(&url).into_iter().collect(),
            ),
        };
        let proxies: Vec<IpNet> = reader.list("TRUSTED_PROXIES").unwrap_or_default();
        let everyone = proxies.iter().find(|network| network.prefix_len() == 0);
        if let Some(network) = everyone.filter(|_| env == AppEnv::Production) {
            let problem =
                format!("`{network}`: any client could choose its address; name the proxies");
            reader.problem("TRUSTED_PROXIES", problem);
        }
        Self {
            env,
            cors_origins,
            trusted_proxies: proxies.into_iter().collect(),
        }
    }
}
