//! Addresses that members give, which our servers call.

use std::{net::IpAddr, sync::LazyLock, time::Duration};

use base::outbound::guard::{Guard, Resolver};
use url::{Host, Url};

static GUARD: LazyLock<Guard> = LazyLock::new(|| {
    let nobody = Resolver::new(|_| Ok(Vec::new()));
    Guard::new(Vec::new(), nobody, Duration::from_secs(1))
});

/// What is accepted leads to no address that the operator's network could have.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(accepted) = GUARD.parse("url", &crate::text(bytes)) else {
        return;
    };
    let url = Url::parse(accepted.as_str()).unwrap();
    assert!(matches!(url.scheme(), "http" | "https"));
    match url.host().unwrap() {
        Host::Domain(name) => assert!(!name.eq_ignore_ascii_case("localhost")),
        Host::Ipv4(address) => is_public(address.into()),
        Host::Ipv6(address) => is_public(address.into()),
    }
}

fn is_public(address: IpAddr) {
    let is_ours = match address.to_canonical() {
        IpAddr::V4(v4) => {
            v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_unspecified()
                || v4.is_broadcast()
        }
        IpAddr::V6(v6) => {
            v6.is_loopback()
                || v6.is_unspecified()
                || v6.is_unique_local()
                || v6.is_unicast_link_local()
        }
    };
    assert!(!is_ours, "{address}");
}
