//! The query of the list of stale flags.

use serde::Deserialize;
use time::Duration;

use super::model::Cause;
use crate::flags::overview::STALE_AFTER;
use base::{ids::EnvId, input::Invalid, named::EnvRef};

/// As sent. Empty fields count as absent.
#[derive(Debug, Default, Deserialize)]
pub struct StaleQuery {
    reason: Option<String>,
    env_id: Option<String>,
    days: Option<String>,
}

/// How long a reason has to have held, in days.
const DAYS: std::ops::RangeInclusive<i64> = 7..=365;
#[derive(Clone, Copy, Debug)]
pub struct StaleFilter {
    pub(super) reason: Option<Cause>,
    pub(super) env_id: Option<EnvId>,
    /// How long a reason has to have held.
    pub(super) age: Duration,
}

impl StaleQuery {
    /// The environment that is asked for, by id or slug.
    pub fn environment(&self) -> Option<EnvRef> {
        EnvRef::given(self.env_id.as_deref())
    }

    /// Checks the fields, with the environment that is meant.
    pub fn read(self, env_id: Option<EnvId>) -> Result<StaleFilter, Invalid> {
        let reason = match self.reason.filter(|text| !text.is_empty()) {
            Some(name) => Some(Cause::parse(&name).ok_or_else(|| {
                let names = Cause::ALL.map(Cause::as_str).join(", ");
                Invalid::new(format!("reason must be one of {names}"))
            })?),
            None => None,
        };
        let age = match self.days.filter(|text| !text.is_empty()) {
            Some(text) => {
                let days = text.parse().ok().filter(|days| DAYS.contains(days));
                let days =
                    days.ok_or_else(|| Invalid::new("days must be an integer from 7 to 365"))?;
                Duration::days(days)
            }
            None => STALE_AFTER,
        };
        Ok(StaleFilter {
            reason,
            env_id,
            age,
        })
    }
}
