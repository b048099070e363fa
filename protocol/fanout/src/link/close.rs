//! Why a link to an edge is closed: the codes and reasons in `docs/protocol.md`.

use quinn::VarInt;

use protocol::wire::relay::Refusal;

use crate::hub::Ended;

/// A reason to close. The code is stable, the text is for human readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Close {
    /// This replica is stopping.
    GoingAway,
    /// The certificate is not accepted.
    Refused(Refusal),
    /// The edge violated the protocol.
    Protocol,
    /// The edge requests a region that its certificate does not name, or that is not served here.
    Region,
    /// The database has another history.
    EpochChanged,
    /// Nothing was received for three heartbeats.
    Silent,
    /// The database does not answer.
    Unavailable,
    /// This replica does not see the database.
    Unsighted,
    /// The edge expects what cannot be sent.
    GreetAgain,
}

impl Close {
    pub(super) const fn code(self) -> VarInt {
        VarInt::from_u32(match self {
            Self::GoingAway => 0,
            Self::Refused(Refusal::Unknown) => 1,
            Self::Refused(Refusal::Revoked) => 2,
            Self::Refused(Refusal::Expired) => 3,
            Self::Protocol => 4,
            Self::Region => 5,
            Self::EpochChanged => 6,
            Self::Silent => 7,
            Self::Unavailable => 8,
            Self::Unsighted => 9,
            Self::GreetAgain => 10,
        })
    }

    pub(super) const fn reason(self) -> &'static [u8] {
        match self {
            Self::GoingAway => b"going away",
            Self::Refused(Refusal::Unknown) => b"unknown certificate",
            Self::Refused(Refusal::Revoked) => b"revoked certificate",
            Self::Refused(Refusal::Expired) => b"expired certificate",
            Self::Protocol => b"protocol violation",
            Self::Region => b"region outside the certificate's or the relay's",
            Self::EpochChanged => b"the database has another history: greet again",
            Self::Silent => b"silent for three heartbeats",
            Self::Unavailable => b"unavailable",
            Self::Unsighted => b"the database is out of sight",
            Self::GreetAgain => b"an environment cannot be sent: greet again",
        }
    }

    /// For metrics.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::GoingAway => "going_away",
            Self::Refused(Refusal::Unknown) => "unknown_certificate",
            Self::Refused(Refusal::Revoked) => "revoked_certificate",
            Self::Refused(Refusal::Expired) => "expired_certificate",
            Self::Protocol => "protocol",
            Self::Region => "region",
            Self::EpochChanged => "epoch",
            Self::Silent => "silent",
            Self::Unavailable => "unavailable",
            Self::Unsighted => "unsighted",
            Self::GreetAgain => "greet_again",
        }
    }
}

impl From<Ended> for Close {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::EpochChanged => Self::EpochChanged,
            Ended::Unsighted => Self::Unsighted,
            Ended::GreetAgain => Self::GreetAgain,
            Ended::Refused(refusal) => Self::Refused(refusal),
        }
    }
}
