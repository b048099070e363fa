//! Event streams of dashboards.

use std::time::Duration;

use serving::settings::{
    Reader,
    spans::{HOUR, MILLISECOND, SECOND},
};

/// How event streams behave. The built-in edge and all others know the same settings.
#[derive(Clone, Copy, Debug)]
pub struct LiveSettings {
    /// `SSE_HEARTBEAT`: how often an idle stream sends a sign of life; default `15s`.
    pub heartbeat: Duration,
    /// `SSE_RETRY`: how long a client waits before it reconnects after its stream ended; default `3s`.
    pub retry: Duration,
}

impl LiveSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        Self {
            heartbeat: reader.duration("SSE_HEARTBEAT", 15 * SECOND, MILLISECOND..=HOUR),
            retry: reader.duration("SSE_RETRY", 3 * SECOND, Duration::ZERO..=HOUR),
        }
    }
}
