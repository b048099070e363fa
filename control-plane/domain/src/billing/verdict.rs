//! The consequences of a gateway's answer about a subscription, and the time of the next query. A subscription that may be paid
//! for does not end before the gateway has reported its state.

use time::{Duration, OffsetDateTime};

use super::{
    history::{State, SubscriptionEvent},
    model::{Gateway, Status, Subscription},
};

/// A renewal that is not reported this long after the end of the period is queried.
pub(super) const RENEWED_WITHIN: Duration = Duration::HOUR;
/// Pause after the first unanswered query; it doubles, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::MINUTE;
/// Interval of queries about a past due subscription.
pub(super) const LONGEST_PAUSE: Duration = Duration::DAY;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Take the state that the gateway reports.
    AsReported,
    /// End it here: its last period is over.
    Over,
    /// Cancel it at the gateway: it is no longer paid for, or another one is.
    Cancel,
    /// Let it end with its period at the gateway: another one renews.
    EndWithPeriod,
}

/// Judges an answer about a subscription of an organization that also has `others`.
pub(super) fn judge(
    known: &Subscription,
    report: &SubscriptionEvent,
    others: &[Subscription],
    now: OffsetDateTime,
    patience: Option<Duration>,
) -> Verdict {
    let mut others = others.iter().filter(|other| other.id != known.id);
    let ends = report.cancel_at_period_end == Some(true);
    let period_end = report.period_end.or(known.state.period_end);
    match report.status {
        Some(Status::Active) if ends && period_end.is_some_and(|end| end <= now) => Verdict::Over,
        // Of two that renew the later one stays. A changed state is recorded and mailed first.
        Some(Status::Active)
            if !ends && known.goes_on() && others.any(|other| other.outlasts(known)) =>
        {
            Verdict::EndWithPeriod
        }
        Some(Status::PastDue)
            if patience_ends(&known.state, patience).is_some_and(|end| end <= now)
                || others.any(Subscription::goes_on) =>
        {
            Verdict::Cancel
        }
        Some(_) | None => Verdict::AsReported,
    }
}

impl Subscription {
    fn outlasts(&self, other: &Self) -> bool {
        self.gateway == Gateway::Redirect
            && self.goes_on()
            && (self.started_at, self.id) > (other.started_at, other.id)
    }
}

/// The time of the next query after an answer; `None` when nothing is open.
pub(super) fn next_question(
    state: &State,
    now: OffsetDateTime,
    patience: Option<Duration>,
) -> Option<OffsetDateTime> {
    let pause = match state.status {
        Status::Canceled => return None,
        // The longer the next period stays unreported, the less often.
        Status::Active => {
            now - state
                .period_end
                .filter(|end| *end <= now - RENEWED_WITHIN)?
        }
        Status::PastDue => match patience_ends(state, patience) {
            Some(end) if end > now => end - now,
            Some(_) | None => LONGEST_PAUSE,
        },
    };
    Some(now + pause.clamp(FIRST_PAUSE, LONGEST_PAUSE))
}

pub(super) fn pause(unanswered: i32) -> Duration {
    let doubled: i32 = 1 << unanswered.clamp(0, 16);
    (FIRST_PAUSE * doubled).min(LONGEST_PAUSE)
}

fn patience_ends(state: &State, patience: Option<Duration>) -> Option<OffsetDateTime> {
    Some(state.past_due_since? + patience?)
}
