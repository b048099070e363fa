//! The audit trail: how long it is kept.

use std::time::Duration;

use serving::settings::Reader;

/// Anything longer is practically for ever, and would lead to times that Postgres cannot store.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// Retention of the audit trail.
#[derive(Clone, Copy, Debug)]
pub struct AuditSettings {
    /// `AUDIT_RETENTION`: how long entries are kept; for ever if absent or `0`, the default.
    pub retention: Option<Duration>,
}

impl AuditSettings {
    pub(super) fn load(reader: &mut Reader<'_>) -> Self {
        const NAME: &str = "AUDIT_RETENTION";
        let retention = reader.duration(NAME, Duration::ZERO);
        if retention > LONGEST {
            reader.problem(NAME, "must be at most 36500d; 0 keeps entries for ever");
        }
        Self {
            retention: (!retention.is_zero()).then_some(retention),
        }
    }
}
