//! The output of enrolling an edge: the complete command that starts it.

use std::{
    fmt::{self, Display},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{self, Path},
};

use super::Installation;
use base::operator::date;
use publish::edges::{model::EdgeCertificate, start::Start};

/// An enrolled edge, and the inputs of its command.
pub(super) struct Next<'a> {
    pub(super) edge: &'a EdgeCertificate,
    /// The folder of its identity, as the operator named it.
    pub(super) folder: &'a Path,
    pub(super) installation: Installation<'a>,
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
        let folder = path::absolute(self.folder).unwrap_or_else(|_| self.folder.to_owned());
        let start = Start {
            edge: self.edge,
            folder: &folder.to_string_lossy(),
            upstream: &callable(self.installation.link).to_string(),
            quic_name: &self.installation.settings.quic_name,
            program: self.installation.program,
        };
        for line in start.command().lines() {
            writeln!(f, "  {line}")?;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

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
