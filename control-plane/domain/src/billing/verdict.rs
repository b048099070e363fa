//! What a gateway's answer about a subscription leads to, and when it is asked again. Nothing that may be paid for ends before
//! the gateway has said how it stands.

use time::{Duration, OffsetDateTime};

use super::{
    history::{State, SubscriptionEvent},
    model::{Gateway, Status, Subscription},
};

/// A renewal that is not told this long after the end of the period is asked about.
pub(super) const RENEWED_WITHIN: Duration = Duration::HOUR;
/// Pause after a first question without an answer; it doubles, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::MINUTE;
/// What is past due is asked about this often.
pub(super) const LONGEST_PAUSE: Duration = Duration::DAY;
/// So many questions without an answer take about a month. Then a subscription whose time is over ends here, and goes on being
/// asked about.
pub(super) const GIVEN_UP_AFTER: i32 = 40;

/// What an answer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It stands as the gateway says.
    AsTold,
    /// It is over here: it ends with a period that is over.
    Over,
    /// It is to be canceled there: nobody pays for it any more, or another one is paid for.
    Cancel,
    /// It is to end with its period there: another one renews.
    EndWithPeriod,
}

/// Judges an answer about a subscription, beside which the organization has `others`.
pub(super) fn judge(
    known: &Subscription,
    told: &SubscriptionEvent,
    others: &[Subscription],
    now: OffsetDateTime,
    patience: Option<Duration>,
) -> Verdict {
    let mut others = others.iter().filter(|other| other.id != known.id);
    let ends = told.cancel_at_period_end == Some(true);
    let period_end = told.period_end.or(known.state.period_end);
    match told.status {
        Some(Status::Active) if ends && period_end.is_some_and(|end| end <= now) => Verdict::Over,
        // Of two that renew the later one stays.
        // What is news is learnt first, and told.
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
        Some(_) | None => Verdict::AsTold,
    }
}

impl Subscription {
    fn outlasts(&self, other: &Self) -> bool {
        self.gateway == Gateway::Redirect
            && self.goes_on()
            && (self.started_at, self.id) > (other.started_at, other.id)
    }
}

/// When the gateway is asked again about what it has answered; `None` when nothing is open.
pub(super) fn next_question(
    state: &State,
    now: OffsetDateTime,
    patience: Option<Duration>,
) -> Option<OffsetDateTime> {
    let pause = match state.status {
        Status::Canceled => return None,
        // The longer it does not tell the next period, the less often.
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

/// How long the gateway is left alone after questions without an answer.
pub(super) fn pause(unanswered: i32) -> Duration {
    let doubled: i32 = 1 << unanswered.clamp(0, 16);
    (FIRST_PAUSE * doubled).min(LONGEST_PAUSE)
}

fn patience_ends(state: &State, patience: Option<Duration>) -> Option<OffsetDateTime> {
    Some(state.past_due_since? + patience?)
}
