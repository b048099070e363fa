//! Settings of the lifecycle of organizations: trials, unpaid subscriptions, inactivity.

use std::time::Duration;

use serving::settings::{
    Reader,
    spans::{DAY, DECADE, MILLISECOND},
};

#[derive(Clone, Copy, Debug)]
pub struct LifecycleSettings {
    /// `LIFECYCLE_INTERVAL`: interval of the search for ended trials, unpaid subscriptions and inactive organizations; default
    /// `1m`.
    pub interval: Duration,
    /// `TRIAL_NOTICE`: how long before the end of a trial its owners are notified; default `3d`, 0 = never.
    pub trial_notice: Duration,
    /// `PAST_DUE_GRACE`: how long a subscription may be past due before the organization becomes Free; default `14d`,
    /// 0 = for ever.
    pub past_due_grace: Duration,
    /// `INACTIVITY_LIMIT`: time without a login after which a Free organization is deleted, restorably at first; default `90d`,
    /// 0 = for ever.
    pub inactivity_limit: Duration,
    /// `INACTIVITY_GRACE`: how long a login restores it; default `90d`.
    pub inactivity_grace: Duration,
    /// `INACTIVITY_WARNING`: how long before each of both deletions the owners are warned; default `7d`, 0 = never.
    pub inactivity_warning: Duration,
}

impl LifecycleSettings {
    /// Commands that need no other settings read only these.
    pub fn load(reader: &mut Reader<'_>) -> Self {
        let interval = reader.duration(
            "LIFECYCLE_INTERVAL",
            Duration::from_secs(60),
            MILLISECOND..=DAY,
        );
        // For each of the others, 0 means off.
        let mut time = |name, default| reader.duration(name, default, Duration::ZERO..=DECADE);
        Self {
            interval,
            trial_notice: time("TRIAL_NOTICE", 3 * DAY),
            past_due_grace: time("PAST_DUE_GRACE", 14 * DAY),
            inactivity_limit: time("INACTIVITY_LIMIT", 90 * DAY),
            inactivity_grace: time("INACTIVITY_GRACE", 90 * DAY),
            inactivity_warning: time("INACTIVITY_WARNING", 7 * DAY),
        }
    }
}
