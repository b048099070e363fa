//! Between version 1 and today's messages: everything an older edge sends has a meaning today; what it would not
//! understand is not sent to it.

use super::{ControlMessage, EdgeMessage, Hello, Welcome};
use crate::wire::message::{self, EdgeStatus, Held, Holds};

impl From<Hello> for message::Hello {
    fn from(hello: Hello) -> Self {
        let Hello {
            build,
            region,
            epoch,
            holds,
            subscribe,
        } = hello;
        Self {
            build,
            region,
            epoch,
            position: 0,
            holds: Holds::Listed(holds),
            subscribe,
        }
    }
}

impl From<EdgeMessage> for message::EdgeMessage {
    fn from(message: EdgeMessage) -> Self {
        match message {
            EdgeMessage::Hello(hello) => Self::Hello(hello.into()),
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
    /// The message in version 1; `None` if it has no form there. For greetings see [`Welcome::of`].
    #[must_use]
    pub fn of(message: message::ControlMessage) -> Option<Self> {
        use message::ControlMessage as Today;
        Some(match message {
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
            Today::Heartbeat { number, .. } => Self::Heartbeat(number),
            Today::Drain { retry_after_ms } => Self::Drain { retry_after_ms },
            Today::KeyCreated { hash } => Self::KeyCreated { hash },
            Today::Welcome(_)
            | Today::Listing { .. }
            | Today::KeyUnavailable { .. }
            | Today::UsageStored { .. }
            | Today::FlushUsage { .. }
            | Today::Renewed { .. }
            | Today::NotRenewed { .. }
            | Today::Relay(_) => return None,
        })
    }
}

impl Welcome {
    /// A greeting in version 1, which lists everything in one message.
    #[must_use]
    pub fn of(welcome: message::Welcome, environments: Vec<Held>) -> Self {
        Self {
            name: welcome.name,
            epoch: welcome.epoch,
            now_ms: welcome.now_ms,
            heartbeat_ms: welcome.heartbeat_ms,
            environments,
        }
    }
}
