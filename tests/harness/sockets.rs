//! Two sockets that a process is given as systemd gives them: open files from 3 on, and variables that say which is which.

use std::{
    net::{TcpListener, UdpSocket},
    os::fd::OwnedFd,
    process::{Command, Stdio},
};

/// Sockets that stay open while the process restarts.
pub struct Sockets {
    names: [&'static str; 2],
    files: [OwnedFd; 2],
}

impl Sockets {
    /// For the API and for operators.
    ///
    /// # Panics
    /// When the system has no port left.
    #[must_use]
    pub fn http_and_admin() -> Self {
        Self {
            names: ["http", "admin"],
            files: [tcp(), tcp()],
        }
    }

    /// For the API and for edges.
    ///
    /// # Panics
    /// When the system has no port left.
    #[must_use]
    pub fn http_and_quic() -> Self {
        let quic = UdpSocket::bind("127.0.0.1:0").expect("a port");
        Self {
            names: ["http", "quic"],
            files: [tcp(), quic.into()],
        }
    }

    /// What a shell does before the program takes its place, which keeps its process id.
    pub(crate) fn script(&self) -> String {
        let names = self.names.join(":");
        format!(
            "exec 3<&0 4<&1 0</dev/null 1>&2; \
             export LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES={names}; "
        )
    }

    /// Hands the sockets to that shell, as its standard input and output.
    pub(crate) fn give_to(&self, command: &mut Command) {
        let [first, second] = &self.files;
        let copy = |file: &OwnedFd| Stdio::from(file.try_clone().expect("a handle"));
        command.stdin(copy(first)).stdout(copy(second));
    }
}

fn tcp() -> OwnedFd {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.into()
}
