//! Counts datagrams that cannot be QUIC. The library drops them silently; the operator should know about them.

use std::{
    io::{self, IoSliceMut},
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use quinn::{
    AsyncUdpSocket, UdpPoller,
    udp::{RecvMeta, Transmit},
};

/// Set in the first byte of every QUIC packet, since our endpoint does not offer to omit it.
const FIXED_BIT: u8 = 0x40;
/// Set in the first byte of packets that state their version.
const LONG_HEADER: u8 = 0x80;
/// QUIC version 1, the only one spoken.
const VERSION: [u8; 4] = [0, 0, 0, 1];
/// No shorter packet can be decrypted.
const SHORTEST: usize = 21;

/// The endpoint's socket, with a check on incoming datagrams.
#[derive(Debug)]
pub(super) struct Watched(pub(super) Arc<dyn AsyncUdpSocket>);

impl AsyncUdpSocket for Watched {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Arc::clone(&self.0).create_io_poller()
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        self.0.try_send(transmit)
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let received = ready!(self.0.poll_recv(cx, bufs, meta))?;
        for (buffer, meta) in bufs.iter().zip(meta.iter()).take(received) {
            // Several datagrams of one sender may have been received as one.
            for datagram in buffer[..meta.len].chunks(meta.stride.max(1)) {
                if !may_be_quic(datagram) {
                    metrics::counter!("halyard_link_refused_total", "reason" => "garbage")
                        .increment(1);
                    tracing::debug!(peer = %meta.addr, "dropped a datagram that is not QUIC");
                }
            }
        }
        Poll::Ready(Ok(received))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    fn max_transmit_segments(&self) -> usize {
        self.0.max_transmit_segments()
    }

    fn max_receive_segments(&self) -> usize {
        self.0.max_receive_segments()
    }

    fn may_fragment(&self) -> bool {
        self.0.may_fragment()
    }
}

fn may_be_quic(datagram: &[u8]) -> bool {
    let Some(first) = datagram.first() else {
        return false;
    };
    let is_long = first & LONG_HEADER != 0;
    datagram.len() >= SHORTEST && first & FIXED_BIT != 0 && (!is_long || datagram[1..5] == VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn garbage_is_told_from_packets() {
        let mut long = [0; 1_200];
        long[0] = 0xc0;
        assert!(!may_be_quic(&long), "another version");
        long[4] = 1;
        assert!(may_be_quic(&long));
        assert!(!may_be_quic(&long[..20]));
        assert!(may_be_quic(&[0x40; 21]));
        assert!(!may_be_quic(&[0x00; 1_200]));
        assert!(!may_be_quic(&[]));
    }
}
