//! The output of enrolling an edge: the complete command that starts it.

use std::{
    fmt::{self, Display},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{self, Path},
};

use super::Installation;
use base::operator::date;
use publish::edges::model::EdgeCertificate;

/// An enrolled edge, and the inputs of its command.
pub(super) struct Next<'a> {
    pub(super) edge: &'a EdgeCertificate,
    /// The folder of its identity, as the operator named it.
    pub(super) folder: &'a Path,
    pub(super) installation: Installation<'a>,
}

impl Next<'_> {
    /// The settings of the edge, the most important first.
    fn settings(&self) -> Vec<(&'static str, String)> {
        let folder = path::absolute(self.folder).unwrap_or_else(|_| self.folder.to_owned());
        let cache = {
            let mut beside = folder.clone().into_os_string();
            beside.push("-cache");
            beside.to_string_lossy().into_owned()
        };
        let mut settings = vec![
            ("EDGE_IDENTITY", folder.to_string_lossy().into_owned()),
            (
                "EDGE_UPSTREAM",
                callable(self.installation.link).to_string(),
            ),
            ("EDGE_CACHE_DIR", cache),
            ("EDGE_HTTP_ADDR", "127.0.0.1:8081".to_owned()),
            ("EDGE_ADMIN_ADDR", "127.0.0.1:9091".to_owned()),
        ];
        if self.edge.is_relay {
            settings.push(("EDGE_RELAY_ADDR", "0.0.0.0:8444".to_owned()));
        }
        let name = &self.installation.settings.quic_name;
        if name != publish::config::QUIC_NAME {
            settings.push(("CONTROL_QUIC_NAME", name.clone()));
        }
        settings
    }
}

impl Display for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = if self.edge.is_relay {
            " as a relay"
        } else {
            ""
        };
        let until = date(self.edge.expires_at);
        writeln!(f, "enrolled {}{role} until {until}", self.edge.name)?;
        writeln!(f, "\nStart it:\n")?;
        for (name, value) in self.settings() {
            writeln!(f, "  {name}={} \\", quoted(&value))?;
        }
        writeln!(f, "  {}", quoted(self.installation.program))?;
        write!(
            f,
            "
Another edge on the same machine needs other addresses. On another machine, copy the folder there, and name
the control plane's host in EDGE_UPSTREAM: the control plane listens for edges at its CONTROL_QUIC_ADDR (UDP),
on this machine alone unless you set that. Whoever has the folder is this edge: keep it private, and use it once.
"
        )
    }
}

/// The address by which a listener is reached from this machine.
fn callable(listens: SocketAddr) -> SocketAddr {
    if listens.ip().is_unspecified() {
        SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), listens.port())
    } else {
        listens
    }
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-:+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell_are_quoted_where_it_would_read_them_otherwise() {
        for (word, expected) in [
            ("/srv/fra-1", "/srv/fra-1"),
            ("127.0.0.1:8443", "127.0.0.1:8443"),
            ("/srv/my edges", "'/srv/my edges'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }

    #[test]
    fn a_control_plane_that_listens_everywhere_is_called_on_this_machine() {
        for (listens, expected) in [
            ("0.0.0.0:8443", "127.0.0.1:8443"),
            ("[::]:7", "127.0.0.1:7"),
            ("10.0.0.7:8443", "10.0.0.7:8443"),
        ] {
            let called = callable(listens.parse().unwrap());
            assert_eq!(called.to_string(), expected);
        }
    }
}
