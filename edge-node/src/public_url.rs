//! Where clients find this edge, for answers that name an address.

use std::str::FromStr;

use axum::http::Uri;

/// `EDGE_PUBLIC_URL`: scheme, host and optionally a path, without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicUrl(Box<str>);

/// A text that cannot be a client's address for this edge.
#[derive(Debug, thiserror::Error)]
#[error("expected http:// or https://, a host, and nothing after the path")]
pub(crate) struct NotPublic;

impl PublicUrl {
    /// The text; a path beginning with a slash can be appended.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PublicUrl {
    type Err = NotPublic;

    fn from_str(text: &str) -> Result<Self, NotPublic> {
        let uri: Uri = text.parse().map_err(|_| NotPublic)?;
        let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
        let has_host = uri.authority().is_some_and(|authority| {
            !authority.host().is_empty() && !authority.as_str().contains('@')
        });
        if !is_web || !has_host || uri.query().is_some() || text.contains('#') {
            return Err(NotPublic);
        }
        Ok(Self(text.trim_end_matches('/').into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_kept_without_its_trailing_slash() {
        for (given, kept) in [
            ("https://flags.example.com/", "https://flags.example.com"),
            ("http://10.0.0.1:8081", "http://10.0.0.1:8081"),
            ("https://example.com/edge/", "https://example.com/edge"),
        ] {
            assert_eq!(given.parse::<PublicUrl>().unwrap().as_str(), kept);
        }
    }

    #[test]
    fn anything_but_the_address_of_a_server_is_refused() {
        for given in [
            "flags.example.com",
            "/edge",
            "ftp://example.com",
            "https://user:secret@example.com",
            "https://example.com/?a=b",
            "https://example.com/#a",
            "https://",
            "https://a b",
        ] {
            assert!(given.parse::<PublicUrl>().is_err(), "{given}");
        }
    }
}
