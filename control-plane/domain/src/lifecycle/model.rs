//! The next step for an inactive organization.

use std::time::Duration;

use time::OffsetDateTime;

use super::settings::LifecycleSettings;
use crate::orgs::model::Plan;

/// The inputs of decisions about an inactive organization.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    pub plan: Plan,
    /// The last login, else the creation of the organization.
    pub last_login_at: OffsetDateTime,
    /// The start of inactivity: the last login, or a later change to the Free plan.
    pub inactive_since: OffsetDateTime,
    pub deletion_warned_at: Option<OffsetDateTime>,
    pub purge_warned_at: Option<OffsetDateTime>,
    pub deleted_at: Option<OffsetDateTime>,
    pub purge_started_at: Option<OffsetDateTime>,
    /// Whether a gateway may still charge for it, whatever plan an operator chose.
    pub is_subscribed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Warn(OffsetDateTime),
    /// Delete it, restorably by a login.
    SoftDelete,
    WarnOfPurge(OffsetDateTime),
    /// Begin the permanent deletion.
    Purge,
}

impl Standing {
    /// The expected time of deletion, not before a sufficiently early warning. `None` when it is not going to be deleted, or
    /// already is.
    pub fn deletion_due(&self, settings: &LifecycleSettings) -> Option<OffsetDateTime> {
        let limit = settings.inactivity_limit;
        if !self.may_be_deleted(settings) || self.deleted_at.is_some() {
            return None;
        }
        let due = self.inactive_since + limit;
        let warned = after(self.inactive_since, self.deletion_warned_at);
        Some(due_after_warning(due, warned, settings.lead_of(limit)))
    }

    const fn may_be_deleted(&self, settings: &LifecycleSettings) -> bool {
        matches!(self.plan, Plan::Free)
            && !self.is_subscribed
            && !settings.inactivity_limit.is_zero()
    }

    pub fn purge_due(&self, settings: &LifecycleSettings) -> Option<OffsetDateTime> {
        let deleted_at = self.deleted_at?;
        if !self.may_be_deleted(settings) {
            return None;
        }
        let grace = settings.inactivity_grace;
        let warned = after(deleted_at, self.purge_warned_at);
        let lead = settings.lead_of(grace);
        Some(due_after_warning(deleted_at + grace, warned, lead))
    }

    pub fn next_step(&self, settings: &LifecycleSettings, now: OffsetDateTime) -> Option<Step> {
        if self.purge_started_at.is_some() {
            return None;
        }
        if let Some(deleted_at) = self.deleted_at {
            let due = self.purge_due(settings)?;
            let lead = settings.lead_of(settings.inactivity_grace);
            let is_warned = after(deleted_at, self.purge_warned_at).is_some();
            step(due, lead, is_warned, now, Step::WarnOfPurge, Step::Purge)
        } else {
            let due = self.deletion_due(settings)?;
            let lead = settings.lead_of(settings.inactivity_limit);
            let is_warned = after(self.inactive_since, self.deletion_warned_at).is_some();
            step(due, lead, is_warned, now, Step::Warn, Step::SoftDelete)
        }
    }
}

impl LifecycleSettings {
    /// How long before the end of `time` a warning is sent: at most half of it, since settings may be short, as in tests.
    pub fn lead_of(&self, time: Duration) -> Duration {
        self.inactivity_warning.min(time / 2)
    }
}

/// Earlier warnings are void.
fn after(begin: OffsetDateTime, warned: Option<OffsetDateTime>) -> Option<OffsetDateTime> {
    warned.filter(|warned| *warned >= begin)
}

/// A warning that was sent late postpones the deletion.
fn due_after_warning(
    due: OffsetDateTime,
    warned: Option<OffsetDateTime>,
    lead: Duration,
) -> OffsetDateTime {
    warned.map_or(due, |warned| due.max(warned + lead))
}

fn step(
    due: OffsetDateTime,
    lead: Duration,
    is_warned: bool,
    now: OffsetDateTime,
    warn: fn(OffsetDateTime) -> Step,
    delete: Step,
) -> Option<Step> {
    if is_warned || lead.is_zero() {
        (due <= now).then_some(delete)
    } else {
        (due - lead <= now).then(|| warn(due.max(now + lead)))
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const START: OffsetDateTime = datetime!(2026-01-01 0:00 UTC);
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    const SETTINGS: LifecycleSettings = LifecycleSettings {
        interval: Duration::from_secs(60),
        trial_notice: Duration::ZERO,
        past_due_grace: Duration::ZERO,
        inactivity_limit: Duration::from_secs(90 * 24 * 60 * 60),
        inactivity_grace: Duration::from_secs(30 * 24 * 60 * 60),
        inactivity_warning: Duration::from_secs(7 * 24 * 60 * 60),
    };
    const FREE: Standing = Standing {
        plan: Plan::Free,
        last_login_at: START,
        inactive_since: START,
        deletion_warned_at: None,
        purge_warned_at: None,
        deleted_at: None,
        purge_started_at: None,
        is_subscribed: false,
    };

    fn day(day: u32) -> OffsetDateTime {
        START + day * DAY
    }

    fn next(standing: Standing, at: u32) -> Option<Step> {
        standing.next_step(&SETTINGS, day(at))
    }

    #[test]
    fn it_is_warned_then_deleted_then_warned_then_deleted_for_good() {
        let mut org = FREE;
        assert_eq!(next(org, 82), None);
        assert_eq!(next(org, 83), Some(Step::Warn(day(90))));
        org.deletion_warned_at = Some(day(83));
        assert_eq!(next(org, 89), None);
        assert_eq!(next(org, 90), Some(Step::SoftDelete));
        org.deleted_at = Some(day(90));
        assert_eq!(next(org, 112), None);
        assert_eq!(next(org, 113), Some(Step::WarnOfPurge(day(120))));
        org.purge_warned_at = Some(day(113));
        assert_eq!(next(org, 119), None);
        assert_eq!(next(org, 120), Some(Step::Purge));
        org.purge_started_at = Some(day(120));
        assert_eq!(next(org, 500), None);
    }

    #[test]
    fn a_warning_that_comes_late_puts_the_deletion_off() {
        let mut org = FREE;
        assert_eq!(next(org, 300), Some(Step::Warn(day(307))));
        org.deletion_warned_at = Some(day(300));
        assert_eq!(next(org, 306), None);
        assert_eq!(next(org, 307), Some(Step::SoftDelete));
        org.deleted_at = Some(day(307));
        assert_eq!(next(org, 600), Some(Step::WarnOfPurge(day(607))));
        org.purge_warned_at = Some(day(600));
        assert_eq!(next(org, 606), None);
        assert_eq!(next(org, 607), Some(Step::Purge));
    }

    #[test]
    fn a_warning_of_an_earlier_time_does_not_count() {
        let mut org = FREE;
        org.inactive_since = day(100);
        org.deletion_warned_at = Some(day(99));
        assert_eq!(next(org, 190), Some(Step::Warn(day(197))));
        org.deleted_at = Some(day(190));
        org.purge_warned_at = Some(day(189));
        assert_eq!(next(org, 220), Some(Step::WarnOfPurge(day(227))));
    }

    #[test]
    fn a_warning_comes_at_most_half_of_the_time_before() {
        let short = LifecycleSettings {
            inactivity_limit: 4 * DAY,
            ..SETTINGS
        };
        assert_eq!(FREE.next_step(&short, day(1)), None);
        let warn = Some(Step::Warn(day(4)));
        assert_eq!(FREE.next_step(&short, day(2)), warn);
    }

    #[test]
    fn without_a_lead_nobody_is_warned() {
        let silent = LifecycleSettings {
            inactivity_warning: Duration::ZERO,
            ..SETTINGS
        };
        assert_eq!(FREE.next_step(&silent, day(89)), None);
        assert_eq!(FREE.next_step(&silent, day(90)), Some(Step::SoftDelete));
        let mut org = FREE;
        org.deleted_at = Some(day(90));
        assert_eq!(org.next_step(&silent, day(120)), Some(Step::Purge));
    }

    #[test]
    fn only_free_organizations_without_a_subscription_are_deleted_and_a_limit_of_0_deletes_none() {
        for plan in [Plan::Trial, Plan::Pro, Plan::Enterprise] {
            let org = Standing { plan, ..FREE };
            assert_eq!(next(org, 5_000), None);
        }
        let never = LifecycleSettings {
            inactivity_limit: Duration::ZERO,
            ..SETTINGS
        };
        let subscribed = Standing {
            is_subscribed: true,
            ..FREE
        };
        assert_eq!(next(subscribed, 5_000), None);
        let mut org = FREE;
        assert_eq!(org.next_step(&never, day(5_000)), None);
        org.deleted_at = Some(day(90));
        assert_eq!(org.next_step(&never, day(5_000)), None);
    }
}
