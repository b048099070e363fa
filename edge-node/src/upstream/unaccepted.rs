//! Why the control plane no longer accepts this edge. The edge cannot change that by itself, so `/ready`, the metrics and
//! the log distinguish it from a link that is only missing.

use quinn::ConnectionError;

use super::connect::SessionError;

/// What is wrong with the certificate of this edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unaccepted {
    /// An operator revoked it.
    Revoked,
    /// Its time is over.
    Expired,
    /// The control plane's database does not have it.
    Unknown,
    /// It fails the handshake already: another authority issued it, or its time is over.
    Invalid,
}

impl Unaccepted {
    pub(crate) const ALL: [Self; 4] = [Self::Revoked, Self::Expired, Self::Unknown, Self::Invalid];

    /// Why the connection ended, if the certificate was the reason. The codes are those of `docs/protocol.md`.
    pub(super) fn of(ended: &SessionError) -> Option<Self> {
        match ended {
            SessionError::Connection(ConnectionError::ApplicationClosed(close)) => {
                match close.error_code.into_inner() {
                    1 => Some(Self::Unknown),
                    2 => Some(Self::Revoked),
                    3 => Some(Self::Expired),
                    _ => None,
                }
            }
            SessionError::Refused(_) => Some(Self::Invalid),
            _ => None,
        }
    }

    /// The name in metrics and in `/ready`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Revoked => "revoked",
            Self::Expired => "expired",
            Self::Unknown => "unknown",
            Self::Invalid => "invalid",
        }
    }

    /// What an operator reads in the log.
    pub(super) const fn told(self) -> &'static str {
        match self {
            Self::Revoked => {
                "this edge is revoked: it hears of no change, and answers from what it holds until it is stopped"
            }
            Self::Expired => {
                "the certificate of this edge has expired: it hears of no change until it is enrolled anew"
            }
            Self::Unknown => {
                "the control plane does not know this edge, which may belong to another installation: it hears of no change until it is enrolled there"
            }
            Self::Invalid => {
                "the certificate of this edge is not accepted, as it has expired or is another authority's: it hears of no change until it is enrolled anew"
            }
        }
    }
}
