//! Settings of usage that edges report.

use std::time::Duration;

use serving::settings::{Reader, spans::MINUTE};

#[derive(Clone, Copy, Debug)]
pub struct UsageSettings {
    /// `IMPRESSION_BUFFER_SIZE`: impressions kept per organization, the newest ones; default 100,000.
    pub impression_buffer_size: u32,
    /// `USAGE_FLUSH_WAIT`: how long a request that reads usage waits for the edges to report; default `500ms`.
    pub flush_wait: Duration,
}

impl UsageSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        Self {
            impression_buffer_size: reader.parse("IMPRESSION_BUFFER_SIZE", 100_000),
            flush_wait: reader.duration(
                "USAGE_FLUSH_WAIT",
                Duration::from_millis(500),
                Duration::ZERO..=MINUTE,
            ),
        }
    }
}
