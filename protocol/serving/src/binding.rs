//! Binds the addresses of a process. All are tried before any failure counts: whoever starts the process hears at once of
//! every address that is taken, and which setting names it.

use std::{
    fmt::{self, Display},
    io,
    net::{SocketAddr, UdpSocket},
};

use tokio::net::TcpListener;

/// Addresses that are being bound.
#[derive(Debug, Default)]
pub struct Binding {
    problems: Vec<String>,
}

/// Some addresses could not be bound; a line for each.
#[derive(Debug, thiserror::Error)]
#[error("some addresses cannot be used:{}", Lines(.0))]
pub struct CannotListen(Vec<String>);

impl Binding {
    /// Listens for TCP connections on the address that a setting names.
    pub async fn tcp(&mut self, setting: &str, address: SocketAddr) -> Option<TcpListener> {
        let bound = TcpListener::bind(address).await;
        self.or_problem(setting, address, bound)
    }

    /// Opens a UDP socket, which does not block, on the address that a setting names.
    pub fn udp(&mut self, setting: &str, address: SocketAddr) -> Option<UdpSocket> {
        let bound = UdpSocket::bind(address).and_then(|socket| {
            socket.set_nonblocking(true)?;
            Ok(socket)
        });
        self.or_problem(setting, format_args!("{address} (UDP)"), bound)
    }

    /// What was lacking.
    pub fn missing(self) -> CannotListen {
        CannotListen(self.problems)
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
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    #[tokio::test]
    async fn every_address_that_is_taken_is_named_with_its_setting() {
        let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let taken = TcpListener::bind(free).unwrap();
        let tcp = taken.local_addr().unwrap();
        let also_taken = UdpSocket::bind(free).unwrap();
        let udp = also_taken.local_addr().unwrap();

        let mut binding = Binding::default();
        assert!(binding.tcp("HTTP_ADDR", tcp).await.is_none());
        assert!(binding.tcp("FREE_ADDR", free).await.is_some());
        assert!(binding.udp("QUIC_ADDR", udp).is_none());
        let reason = TcpListener::bind(tcp).unwrap_err();
        let expected = format!(
            "some addresses cannot be used:\n  \
             HTTP_ADDR: cannot listen on {tcp}: {reason}\n  \
             QUIC_ADDR: cannot listen on {udp} (UDP): {reason}"
        );
        assert_eq!(binding.missing().to_string(), expected);
    }
}
