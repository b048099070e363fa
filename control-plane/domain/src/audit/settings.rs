//! Retention of the audit log.

use std::time::Duration;

use serving::settings::{Reader, spans::DECADE};

#[derive(Clone, Copy, Debug)]
pub struct AuditSettings {
    /// `AUDIT_RETENTION`: how long entries are kept; for ever if absent or `0`, the default.
    pub retention: Option<Duration>,
}

impl AuditSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        const NAME: &str = "AUDIT_RETENTION";
        let retention = reader.duration(NAME, Duration::ZERO, Duration::ZERO..=10 * DECADE);
        Self {
            retention: (!retention.is_zero()).then_some(retention),
        }
    }
}
