//! The protocol version that an edge speaks. Reads and writes its control stream, so that everything else deals only
//! with today's messages.

use protocol::wire::{
    message::{ControlMessage, EdgeMessage, Held, Listed, Welcome},
    parts::parts,
    v1, v2, v3,
};
use quinn::{Connection, RecvStream, SendStream, crypto::rustls::HandshakeData};

use super::frames::{self, StreamError};

/// A version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `halyard/1`: neither uploads usage nor drops environments.
    V1,
    /// `halyard/2`: greets with explicit lists alone.
    V2,
    /// `halyard/3`: does not tell what was served.
    V3,
    /// `halyard/4`.
    V4,
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
            Some(name) if name == v2::ALPN => Self::V2,
            Some(name) if name == v3::ALPN => Self::V3,
            Some(_) | None => Self::V4,
        }
    }

    /// The name used in the log.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::V1 => "halyard/1",
            Self::V2 => "halyard/2",
            Self::V3 => "halyard/3",
            Self::V4 => "halyard/4",
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
            Self::V2 => Ok(frames::read::<v2::EdgeMessage>(stream, limit).await?.into()),
            Self::V3 | Self::V4 => frames::read(stream, limit).await,
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
            Self::V2 => match v2::ControlMessage::of(message) {
                Some(message) => frames::write(stream, &message).await,
                None => Ok(()),
            },
            Self::V3 | Self::V4 => frames::write(stream, &message).await,
        }
    }

    /// Whether every environment of a greeting must have a digest.
    pub(super) const fn needs_digests(self) -> bool {
        matches!(self, Self::V1 | Self::V2)
    }

    /// Writes a greeting with what it lists. Older edges are told only of environments with a digest.
    pub(super) async fn welcome(
        self,
        stream: &mut SendStream,
        welcome: Welcome,
        listed: &[Listed],
    ) -> Result<(), StreamError> {
        let held = || -> Vec<Held> {
            let held = |listed: &Listed| {
                Some(Held {
                    env_id: listed.env_id,
                    version: listed.version,
                    digest: listed.digest?,
                })
            };
            listed.iter().filter_map(held).collect()
        };
        match self {
            Self::V1 => {
                let welcome = v1::Welcome::of(welcome, held());
                frames::write(stream, &v1::ControlMessage::Welcome(welcome)).await
            }
            Self::V2 => {
                let welcome = v2::Welcome::of(welcome, held());
                frames::write(stream, &v2::ControlMessage::Welcome(welcome)).await
            }
            Self::V3 | Self::V4 => {
                frames::write(stream, &ControlMessage::Welcome(welcome)).await?;
                for (environments, is_last) in parts(listed) {
                    let part = ControlMessage::Listing {
                        environments,
                        is_last,
                    };
                    frames::write(stream, &part).await?;
                }
                Ok(())
            }
        }
    }
}
