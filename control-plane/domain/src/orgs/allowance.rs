//! Allowances of an organization: a bound for all, and the limit of its plan. One table, checked on creation under the lock
//! that protects the count.

use time::OffsetDateTime;

use super::model::{Limits, Organization};
use base::refusal::Refusal;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Projects,
    /// Per project.
    Environments,
    /// Members, invited ones included.
    Seats,
    Webhooks,
}

impl Organization {
    /// Allows one more beside `existing`. Only creations are refused; existing items beyond a limit stay usable.
    ///
    /// # Errors
    /// The bound before the limit.
    pub fn allow_another(
        &self,
        what: Counted,
        existing: i64,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        let (bound, too_many) = what.bound();
        if existing >= bound {
            return Err(Refusal::invalid(too_many));
        }
        let (limit, reached) = what.limit(self.limits_at(now));
        match limit {
            Some(limit) if existing >= limit => Err(Refusal::Plan(reached)),
            _ => Ok(()),
        }
    }
}

impl Counted {
    const fn bound(self) -> (i64, &'static str) {
        match self {
            Self::Projects => (1_000, "an organization has at most 1000 projects"),
            Self::Environments => (200, "a project has at most 200 environments"),
            Self::Seats => (10_000, "an organization has at most 10000 members"),
            Self::Webhooks => (100, "an organization has at most 100 webhooks"),
        }
    }

    const fn limit(self, limits: Limits) -> (Option<i64>, &'static str) {
        match self {
            Self::Projects => (limits.projects, "plan limit reached: projects"),
            Self::Environments => (limits.environments, "plan limit reached: environments"),
            Self::Seats => (limits.seats, "plan limit reached: seats"),
            Self::Webhooks => (limits.webhooks, "plan limit reached: webhooks"),
        }
    }
}
