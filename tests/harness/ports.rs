//! The ports of a process: chosen by the system at its first start, the same ones at every later start.
//!
//! At its first start a process binds port 0, so that nobody can be faster, and tells in a file what it got. Later starts
//! name those ports, which tests and edges know by then. While the process is down its ports are held here: bound, so that
//! the system gives them to nobody, and never listened on, so that callers are refused as they are where nothing runs.
//!
//! What remains are the moments between a process that closes its ports and the hold, and for UDP between the hold and the
//! process that starts. Whoever is given a port in such a moment has it only for a while, so the process is started again
//! until it is free.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::PathBuf;

use tokio::net::TcpSocket;

/// One address of a process.
#[derive(Clone, Copy)]
pub struct PortSetting {
    /// What the process calls it in its file.
    pub name: &'static str,
    /// The setting that it is given by.
    pub setting: &'static str,
}

/// Where one process listens.
pub struct Ports {
    listens: &'static [PortSetting],
    file: PathBuf,
    /// By name; empty until the first start.
    known: BTreeMap<&'static str, SocketAddr>,
    tcp: Vec<TcpSocket>,
    udp: Vec<UdpSocket>,
}

impl Ports {
    /// Those of a process that never ran; it will tell them in `file`.
    pub(crate) const fn new(listens: &'static [PortSetting], file: PathBuf) -> Self {
        Self {
            listens,
            file,
            known: BTreeMap::new(),
            tcp: Vec::new(),
            udp: Vec::new(),
        }
    }

    /// Other addresses, for a process that never ran.
    pub(crate) fn listen_on(&mut self, listens: &'static [PortSetting]) {
        assert!(self.known.is_empty(), "it was started");
        self.listens = listens;
    }

    /// What the process has to be told at its next start.
    pub(crate) fn settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let file = ("ADDRESS_FILE", self.file.to_string_lossy().into_owned());
        let addresses = self.listens.iter().map(move |port| {
            let address = self.known.get(port.name).unwrap_or(&any);
            (port.setting, address.to_string())
        });
        addresses.chain([file])
    }

    /// The address of that name.
    ///
    /// # Panics
    /// When the process never ran, or has none of that name.
    pub(crate) fn address(&self, name: &str) -> SocketAddr {
        let known = self.known.get(name);
        *known.unwrap_or_else(|| panic!("no address {name}: was it started?"))
    }

    /// Makes way for the process. TCP ports stay held: Linux lets it bind them too, since nobody else listens there. Other
    /// systems may not, so they are to be [released](Self::release) when the process finds one taken.
    pub(crate) fn make_way(&mut self) {
        // What the file says is of the start before.
        drop(fs::remove_file(&self.file));
        self.udp.clear();
    }

    /// Holds no port any longer.
    pub(crate) fn release(&mut self) {
        self.tcp.clear();
        self.udp.clear();
    }

    /// Holds the ports of a process that has ended; those that were given away in this moment are let go.
    pub(crate) fn hold(&mut self) {
        let addresses = self.known.values();
        // The new sockets are bound before the old ones are closed.
        self.tcp = addresses
            .clone()
            .filter_map(|at| reserve(*at).ok())
            .collect();
        self.udp = addresses
            .filter_map(|at| UdpSocket::bind(at).ok())
            .collect();
    }

    /// Whether the process has told where it listens.
    ///
    /// # Panics
    /// When it leaves an address out.
    pub(crate) fn are_told(&mut self) -> bool {
        let Ok(text) = fs::read_to_string(&self.file) else {
            return false;
        };
        let told: BTreeMap<_, _> = text
            .lines()
            .filter_map(|line| line.split_once('='))
            .collect();
        let read = |port: &PortSetting| {
            let address = told.get(port.name).and_then(|address| address.parse().ok());
            let address = address.unwrap_or_else(|| panic!("no address {} in {text}", port.name));
            (port.name, address)
        };
        self.known = self.listens.iter().map(read).collect();
        true
    }
}

/// Binds a port without listening on it.
fn reserve(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    // Connections of before may linger there.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    const LISTENS: &[PortSetting] = &[PortSetting {
        name: "http",
        setting: "EDGE_HTTP_ADDR",
    }];

    #[test]
    fn the_first_start_is_on_any_port_and_the_next_on_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("addresses");
        let mut ports = Ports::new(LISTENS, file.clone());
        let told = |ports: &Ports| ports.settings().next().unwrap().1;
        assert_eq!(told(&ports), "127.0.0.1:0");
        assert!(!ports.are_told());
        fs::write(&file, "http=127.0.0.1:4711\n").unwrap();
        assert!(ports.are_told());
        assert_eq!(told(&ports), "127.0.0.1:4711");

        ports.make_way();
        assert!(!ports.are_told(), "the file of the last start is no answer");
        assert_eq!(ports.address("http").port(), 4711);
    }

    #[test]
    fn a_held_port_refuses_callers_and_is_nobody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let mut ports = Ports::new(LISTENS, folder.path().join("addresses"));
        let process = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = process.local_addr().unwrap();
        ports.known.insert("http", address);
        drop(process);
        ports.hold();
        let refused = TcpStream::connect(address).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        assert!(UdpSocket::bind(address).is_err());
    }
}
