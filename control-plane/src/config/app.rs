//! The kind of installation.

use std::str::FromStr;

use axum::http::HeaderValue;
use ipnet::IpNet;
use serving::{address::TrustedProxies, settings::Reader};

use super::UrlSettings;

/// `APP_ENV`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppEnv {
    /// Insecure defaults cause warnings.
    Development,
    /// Insecure defaults are refused.
    Production,
}

/// A text that names no kind of installation.
#[derive(Debug, thiserror::Error)]
#[error("expected development or production")]
pub struct UnknownAppEnv;

impl FromStr for AppEnv {
    type Err = UnknownAppEnv;

    fn from_str(text: &str) -> Result<Self, UnknownAppEnv> {
        match text {
            "development" => Ok(Self::Development),
            "production" => Ok(Self::Production),
            _ => Err(UnknownAppEnv),
        }
    }
}

/// Settings of the installation as a whole.
#[derive(Clone, Debug)]
pub struct AppSettings {
    /// `APP_ENV`: `development` (default) or `production`.
    pub env: AppEnv,
    /// `CORS_ORIGIN`: browser origins that may use the management API; default the dashboard (`DASHBOARD_URL`).
    pub cors_origins: Vec<HeaderValue>,
    /// `TRUSTED_PROXIES`: networks whose forwarded-address headers are believed; default none.
    pub trusted_proxies: TrustedProxies,
}

impl AppSettings {
    pub(super) fn load(reader: &mut Reader<'_>, urls: &UrlSettings) -> Self {
        let env = reader.parse("APP_ENV", AppEnv::Development);
        let origins: Vec<String> = reader
            .list("CORS_ORIGIN")
            .unwrap_or_else(|| vec![urls.dashboard.clone()]);
        let mut cors_origins = Vec::new();
        for origin in origins {
            match HeaderValue::from_str(origin.trim_end_matches('/')) {
                Ok(origin) if origin != "*" => cors_origins.push(origin),
                _ => reader.problem(
                    "CORS_ORIGIN",
                    format!("`{origin}`: expected origins such as https://example.com"),
                ),
            }
        }
        let proxies: Vec<IpNet> = reader.list("TRUSTED_PROXIES").unwrap_or_default();
        Self {
            env,
            cors_origins,
            trusted_proxies: proxies.into_iter().collect(),
        }
    }
}
