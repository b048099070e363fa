//! The protocol version that an edge speaks. Reads and writes its control stream, so that everything else deals only
//! with today's messages.

use protocol::wire::{
    message::{ControlMessage, EdgeMessage},
    v1,
};
use quinn::{Connection, RecvStream, SendStream, crypto::rustls::HandshakeData};

use super::frames::{self, StreamError};

/// A version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `halyard/1`: neither uploads usage nor drops environments.
    V1,
    /// `halyard/2`.
    V2,
}

impl Dialect {
    /// The version that the handshake agreed upon. Without one the handshake would have failed.
    pub(super) fn of(connection: &Connection) -> Self {
        let agreed = connection
            .handshake_data()
            .and_then(|data| data.downcast::<HandshakeData>().ok())
            .and_then(|data| data.protocol);
        match agreed {
            Some(name) if name == v1::ALPN => Self::V1,
            Some(_) | None => Self::V2,
        }
    }

    /// The name used in the log.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::V1 => "halyard/1",
            Self::V2 => "halyard/2",
        }
    }

    /// Reads one message. Not cancellation safe.
    pub(super) async fn read(
        self,
        stream: &mut RecvStream,
        limit: usize,
    ) -> Result<EdgeMessage, StreamError> {
        match self {
            Self::V1 => Ok(frames::read::<v1::EdgeMessage>(stream, limit).await?.into()),
            Self::V2 => frames::read(stream, limit).await,
        }
    }

    /// Writes one message, unless the edge would not understand it.
    pub(super) async fn write(
        self,
        stream: &mut SendStream,
        message: ControlMessage,
    ) -> Result<(), StreamError> {
        match self {
            Self::V1 => match v1::ControlMessage::of(message) {
                Some(message) => frames::write(stream, &message).await,
                None => Ok(()),
            },
            Self::V2 => frames::write(stream, &message).await,
        }
    }
}
