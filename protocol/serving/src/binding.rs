//! Binds the addresses of a process, or takes the sockets that systemd has bound for it, by their names
//! (`FileDescriptorName=`). All are tried before any failure counts: whoever starts the process hears at once of every
//! address that is taken, and which setting names it.

use std::{
    fmt::{self, Display},
    io,
    net::{SocketAddr, UdpSocket},
};

use listenfd::ListenFd;
use tokio::net::TcpListener;

use crate::settings::Source;

/// Addresses that are being bound.
pub struct Binding {
    passed: ListenFd,
    /// What each passed socket is called, in their order, until it is taken.
    names: Vec<Option<String>>,
    problems: Vec<String>,
}

/// Some addresses could not be bound; a line for each.
#[derive(Debug, thiserror::Error)]
#[error("some addresses cannot be used:{}", Lines(.0))]
pub struct CannotListen(Vec<String>);

impl Binding {
    /// Begins with the sockets that were passed to this process, if any were.
    pub fn new(variables: &impl Source) -> Self {
        let names = variables.get("LISTEN_FDNAMES").unwrap_or_default();
        let names = names.to_string_lossy().into_owned();
        let mut names = names.split(':');
        let passed = ListenFd::from_env();
        let mut name = |_| Some(names.next().unwrap_or_default().to_owned());
        Self {
            names: (0..passed.len()).map(&mut name).collect(),
            passed,
            problems: Vec::new(),
        }
    }

    /// Whether a socket of this name was passed.
    #[must_use]
    pub fn is_passed(&self, name: &str) -> bool {
        let mut names = self.names.iter().flatten();
        names.any(|passed| passed == name)
    }

    /// Listens for TCP connections on the socket of this name, or else on the address that a setting names.
    pub async fn tcp(
        &mut self,
        name: &str,
        setting: &str,
        address: SocketAddr,
    ) -> Option<TcpListener> {
        let passed = self.take(name, ListenFd::take_tcp_listener);
        let bound = match passed {
            Some(passed) => passed.and_then(|socket| {
                socket.set_nonblocking(true)?;
                TcpListener::from_std(socket)
            }),
            None => TcpListener::bind(address).await,
        };
        self.or_problem(setting, address, bound)
    }

    /// Takes the UDP socket of this name, or else opens one on the address that a setting names. It does not block.
    pub fn udp(&mut self, name: &str, setting: &str, address: SocketAddr) -> Option<UdpSocket> {
        let passed = self.take(name, ListenFd::take_udp_socket);
        let bound = passed.unwrap_or_else(|| UdpSocket::bind(address));
        let bound = bound.and_then(|socket| {
            socket.set_nonblocking(true)?;
            Ok(socket)
        });
        self.or_problem(setting, format_args!("{address} (UDP)"), bound)
    }

    /// All that was bound.
    ///
    /// # Errors
    /// When something is lacking, or a socket was passed that nothing listens on: its clients would wait forever.
    pub fn finish<T>(mut self, bound: Option<T>) -> Result<T, CannotListen> {
        let unused = self.names.iter().flatten().map(|name| {
            format!("the socket `{name}` was passed and is not used: see FileDescriptorName= in docs/production.md")
        });
        self.problems.extend(unused);
        match bound {
            Some(bound) if self.problems.is_empty() => Ok(bound),
            _ => Err(CannotListen(self.problems)),
        }
    }

    /// The first passed socket of this name, as what it should be.
    fn take<T>(
        &mut self,
        name: &str,
        take: impl FnOnce(&mut ListenFd, usize) -> io::Result<Option<T>>,
    ) -> Option<io::Result<T>> {
        let is_called = |passed: &Option<String>| passed.as_deref() == Some(name);
        let index = self.names.iter().position(is_called)?;
        self.names[index] = None;
        take(&mut self.passed, index).transpose()
    }

    fn or_problem<T>(
        &mut self,
        setting: &str,
        address: impl Display,
        bound: io::Result<T>,
    ) -> Option<T> {
        let problem = |error: &io::Error| {
            let problem = format!("{setting}: cannot listen on {address}: {error}");
            self.problems.push(problem);
        };
        bound.inspect_err(problem).ok()
    }
}

struct Lines<'a>(&'a [String]);

impl Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeMap,
        net::{Ipv4Addr, TcpListener},
    };

    use super::*;

    #[tokio::test]
    async fn every_address_that_is_taken_is_named_with_its_setting() {
        let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let taken = TcpListener::bind(free).unwrap();
        let tcp = taken.local_addr().unwrap();
        let also_taken = UdpSocket::bind(free).unwrap();
        let udp = also_taken.local_addr().unwrap();

        let mut binding = Binding::new(&BTreeMap::new());
        assert!(binding.tcp("http", "HTTP_ADDR", tcp).await.is_none());
        assert!(binding.tcp("free", "FREE_ADDR", free).await.is_some());
        assert!(binding.udp("quic", "QUIC_ADDR", udp).is_none());
        let reason = TcpListener::bind(tcp).unwrap_err();
        let expected = format!(
            "some addresses cannot be used:\n  \
             HTTP_ADDR: cannot listen on {tcp}: {reason}\n  \
             QUIC_ADDR: cannot listen on {udp} (UDP): {reason}"
        );
        assert_eq!(binding.finish(Some(())).unwrap_err().to_string(), expected);
    }
}
