//! What production refuses or warns of beyond single settings: addresses that are public, connections that can be read.

use std::net::IpAddr;

use base::config::{AppEnv, MailRoute};
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use secrecy::ExposeSecret;
use serving::settings::Reader;
use sqlx::postgres::{PgConnectOptions, PgSslMode};

use super::Settings;

/// Reports what must not be, and returns what should not: settings, each with what an operator should know of its value.
pub(super) fn check(
    settings: &Settings,
    reader: &mut Reader<'_>,
) -> Vec<(&'static str, &'static str)> {
    if settings.app.env == AppEnv::Development {
        return Vec::new();
    }
    let mut warnings = Vec::new();
    const ADMIN: &str = "CONTROL_ADMIN_ADDR";
    let admin = settings.listen.admin.ip().to_canonical();
    if admin.is_unspecified() {
        warnings.push((ADMIN, "probes, metrics and edges of all tenants are shown on every interface: keep it private"));
    } else if !is_private(admin) {
        reader.problem(
            ADMIN,
            format!("`{admin}`: is a public address, and answers without credentials"),
        );
    }
    if let MailRoute::Folder(_) = settings.mail.route {
        warnings.push(("SMTP_URL", "mail is written to a folder and not sent"));
    }
    if is_readable(settings.database.url.expose_secret()) {
        warnings.push((
            "DATABASE_URL",
            "the connection may not be encrypted: add sslmode=verify-full",
        ));
    }
    warnings
}

/// Whether a connection to another machine may go without TLS.
fn is_readable(url: &str) -> bool {
    let Ok(options) = url.parse::<PgConnectOptions>() else {
        return false; // and connecting says why
    };
    let host = options.get_host();
    let is_here = options.get_socket().is_some()
        || host == "localhost"
        || host
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback());
    let is_optional = matches!(
        options.get_ssl_mode(),
        PgSslMode::Disable | PgSslMode::Allow | PgSslMode::Prefer
    );
    is_optional && !is_here
}

/// Whether an address is of this machine or of a network that others do not reach.
fn is_private(address: IpAddr) -> bool {
    let shared = Ipv4Net::new([100, 64, 0, 0].into(), 10);
    let unique_local = Ipv6Net::new([0xfc00, 0, 0, 0, 0, 0, 0, 0].into(), 7);
    let networks = [shared.map(IpNet::V4), unique_local.map(IpNet::V6)];
    let is_local = match address {
        IpAddr::V4(address) => address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    is_local || address.is_loopback() || networks.iter().flatten().any(|net| net.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_private_networks_are_private() {
        for address in [
            "127.0.0.1",
            "::1",
            "10.1.2.3",
            "192.168.0.9",
            "100.64.0.1",
            "fd00::1",
            "fe80::1",
        ] {
            assert!(is_private(address.parse().unwrap()), "{address}");
        }
        for address in ["198.51.100.7", "100.128.0.1", "2001:db8::1"] {
            assert!(!is_private(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn a_connection_within_the_machine_or_with_tls_cannot_be_read() {
        for url in [
            "postgres://localhost/halyard",
            "postgres://127.0.0.1/halyard?sslmode=disable",
            "postgres:///halyard?host=/run/postgresql",
            "postgres://db/halyard?sslmode=require",
            "postgres://db/halyard?sslmode=verify-full",
        ] {
            assert!(!is_readable(url), "{url}");
        }
        for url in [
            "postgres://db/halyard",
            "postgres://10.0.0.5/halyard?sslmode=disable",
        ] {
            assert!(is_readable(url), "{url}");
        }
    }
}
