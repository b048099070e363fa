//! Between version 1 and today's messages: everything an older edge sends has a meaning today; what it would not
//! understand is not sent to it.

use super::{ControlMessage, EdgeMessage, Welcome};
use crate::wire::message::{self, EdgeStatus};

impl From<EdgeMessage> for message::EdgeMessage {
    fn from(message: EdgeMessage) -> Self {
        match message {
            EdgeMessage::Hello(hello) => Self::Hello(hello),
            EdgeMessage::Ack { env_id, version } => Self::Ack { env_id, version },
            EdgeMessage::Resync { env_id } => Self::Resync { env_id },
            EdgeMessage::LookupKey { request, hash } => Self::LookupKey { request, hash },
            EdgeMessage::Heartbeat(number) => Self::Heartbeat {
                number,
                status: EdgeStatus::default(),
            },
        }
    }
}

impl ControlMessage {
    /// The message in version 1; `None` if it has no form there.
    #[must_use]
    pub fn of(message: message::ControlMessage) -> Option<Self> {
        use message::ControlMessage as Today;
        Some(match message {
            Today::Welcome(welcome) => Self::Welcome(Welcome::of(welcome)),
            Today::KeyFound {
                request,
                env_id,
                version,
            } => Self::KeyFound {
                request,
                env_id,
                version,
            },
            Today::KeyUnknown { request } => Self::KeyUnknown { request },
            Today::Heartbeat(number) => Self::Heartbeat(number),
            Today::Drain { retry_after_ms } => Self::Drain { retry_after_ms },
            Today::KeyCreated { hash } => Self::KeyCreated { hash },
            Today::UsageStored { .. } | Today::FlushUsage { .. } => return None,
        })
    }
}

impl Welcome {
    fn of(welcome: message::Welcome) -> Self {
        let message::Welcome {
            name,
            epoch,
            now_ms,
            heartbeat_ms,
            environments,
            stream_secret: _,
        } = welcome;
        Self {
            name,
            epoch,
            now_ms,
            heartbeat_ms,
            environments,
        }
    }
}
