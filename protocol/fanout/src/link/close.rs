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
    /// Its code, its reason, and its label in metrics.
    const fn parts(self) -> (u32, &'static str, &'static str) {
        match self {
            Self::GoingAway => (0, "going away", "going_away"),
            Self::Refused(Refusal::Unknown) => (1, "unknown certificate", "unknown_certificate"),
            Self::Refused(Refusal::Revoked) => (2, "revoked certificate", "revoked_certificate"),
            Self::Refused(Refusal::Expired) => (3, "expired certificate", "expired_certificate"),
            Self::Protocol => (4, "protocol violation", "protocol"),
            Self::Region => (
                5,
                "region outside the certificate's or the relay's",
                "region",
            ),
            Self::EpochChanged => (6, "the database has another history: greet again", "epoch"),
            Self::Silent => (7, "silent for three heartbeats", "silent"),
            Self::Unavailable => (8, "unavailable", "unavailable"),
            Self::Unsighted => (9, "the database is out of sight", "unsighted"),
            Self::GreetAgain => (
                10,
                "an environment cannot be sent: greet again",
                "greet_again",
            ),
        }
    }

    pub(super) const fn code(self) -> VarInt {
        VarInt::from_u32(self.parts().0)
    }

    pub(super) const fn reason(self) -> &'static [u8] {
        self.parts().1.as_bytes()
    }

    pub(super) const fn label(self) -> &'static str {
        self.parts().2
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
