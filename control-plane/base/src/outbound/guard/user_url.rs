//! The syntax of user-given URLs, checked before any look-up.
//!
//! All parsers of an address must agree. Forms that browsers silently correct (backslashes, line breaks, missing slashes) are
//! therefore refused, and the host is taken from the parser that the HTTP client uses. That parser turns every spelling of an
//! IPv4 address into the address.

use std::{fmt, net::IpAddr};

use url::{Host, Url};

use super::ranges::Ranges;
use crate::input::{Invalid, is_longer_than};

/// Names with a meaning local to each network, including subdomains (RFC 6761, RFC 6762).
const LOCAL_NAMES: [&str; 3] = ["localhost", "local", "internal"];

/// An address that a user gave, checked by its constructor. Stored ones are parsed again before each use: the rules may have
/// become stricter since.
#[derive(Clone, PartialEq, Eq)]
pub struct UserUrl {
    text: String,
    url: Url,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    TooLong,
    NotHttp,
    UserInfo,
    LocalName,
    RefusedAddress,
}

impl UserUrl {
    pub(super) fn parse(text: &str, ranges: &Ranges) -> Result<Self, Fault> {
        // Some clients and servers reject longer ones.
        if is_longer_than(text, 2_048) {
            return Err(Fault::TooLong);
        }
        if authority(text).ok_or(Fault::NotHttp)?.contains('@') {
            return Err(Fault::UserInfo);
        }
        let url = Url::parse(text).map_err(|_| Fault::NotHttp)?;
        match url.host().ok_or(Fault::NotHttp)? {
            Host::Domain(name) => check_name(name, ranges)?,
            Host::Ipv4(address) => check_address(address.into(), ranges)?,
            Host::Ipv6(address) => check_address(address.into(), ranges)?,
        }
        let text = text.to_owned();
        Ok(Self { text, url })
    }

    /// The address as given, which is stored and shown.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The parsed address, for calls.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    pub(super) fn host(&self) -> Host<&str> {
        self.url.host().expect("checked when this was made")
    }
}

/// The authority, not empty. `None` unless the text is plainly an address with the scheme `http` or `https`.
fn authority(text: &str) -> Option<&str> {
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
    if text.contains(is_odd) {
        return None;
    }
    let (scheme, rest) = text.split_once("://")?;
    let is_http = ["http", "https"]
        .iter()
        .any(|name| scheme.eq_ignore_ascii_case(name));
    let authority = rest.split(['/', '?', '#']).next()?;
    (is_http && !authority.is_empty()).then_some(authority)
}

/// `name` is in lower case and ASCII, as [`Url`] makes it. A name has up to 253 bytes, a label up to 63 (RFC 1035, 2.3.4).
fn check_name(name: &str, ranges: &Ranges) -> Result<(), Fault> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    if name.len() > 253 || !name.split('.').all(is_label) {
        return Err(Fault::NotHttp);
    }
    let last = name.rsplit('.').next().unwrap_or(name);
    if LOCAL_NAMES.contains(&last) && !ranges.takes_local_names {
        return Err(Fault::LocalName);
    }
    Ok(())
}

fn check_address(address: IpAddr, ranges: &Ranges) -> Result<(), Fault> {
    if ranges.is_refused(address) {
        return Err(Fault::RefusedAddress);
    }
    Ok(())
}

impl Fault {
    /// The refusal for this field of a body. It contains no address: the operator's network is not disclosed.
    pub(super) fn of(self, field: &str) -> Invalid {
        let rule = match self {
            Self::TooLong => "must have at most 2048 characters",
            Self::NotHttp => "must be an http or https URL",
            Self::UserInfo => "must not contain a user name or password",
            Self::LocalName => "must not have a host name that has a meaning only locally",
            Self::RefusedAddress => "must not lead to a private, local or reserved address",
        };
        Invalid::new(format!("{field} {rule}"))
    }
}

/// Only the origin: services put credentials into paths and queries.
impl fmt::Debug for UserUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = self.url.origin().ascii_serialization();
        f.debug_tuple("UserUrl").field(&origin).finish()
    }
}
