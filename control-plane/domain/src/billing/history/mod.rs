//! Event sourcing of subscriptions.
//!
//! Gateways deliver events late, twice and out of order. So an event never changes a subscription: it is added to the others,
//! and the subscription is computed from all of them in the order in which they happened. The same events yield the same
//! subscription, whatever their order of arrival. Our own decisions (a cancellation, the end of a period or of the grace
//! period) are events too.

use time::{Duration, OffsetDateTime};

use super::model::Status;

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Kind {
    Activated,
    Reported,
    PaymentFailed,
    Lapsed,
    /// The subscription was set to end with its period.
    Ending,
    Canceled,
    /// An event that does not count, stored to recognise repetitions.
    Unpaid,
}

/// An event. Missing fields leave the subscription unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionEvent {
    pub kind: Kind,
    pub status: Option<Status>,
    pub customer_ref: Option<String>,
    pub cancel_at_period_end: Option<bool>,
    pub period_start: Option<OffsetDateTime>,
    pub period_end: Option<OffsetDateTime>,
    /// By the gateway's clock, or ours for our own decisions, in the gateway's resolution of seconds: within one second the
    /// later arrival counts.
    pub happened_at: OffsetDateTime,
    /// By our clock. The grace period starts here: it could not be acted upon earlier.
    pub received_at: OffsetDateTime,
}

impl SubscriptionEvent {
    /// An event without details, received when it happened.
    pub fn new(kind: Kind, happened_at: OffsetDateTime) -> Self {
        Self {
            kind,
            status: None,
            customer_ref: None,
            cancel_at_period_end: None,
            period_start: None,
            period_end: None,
            happened_at: whole_second(happened_at),
            received_at: happened_at,
        }
    }

    /// A payment, which begins a period. A period without a given end lasts a month, however late the event arrives.
    pub fn activated(
        happened_at: OffsetDateTime,
        period: Period,
        customer_ref: Option<String>,
        now: OffsetDateTime,
    ) -> Self {
        let period = period.or_a_month_from(happened_at);
        Self {
            customer_ref,
            cancel_at_period_end: Some(false),
            period_start: period.start,
            period_end: period.end,
            received_at: now,
            ..Self::new(Kind::Activated, happened_at)
        }
    }

    const fn leads_to(&self, before: Option<Status>) -> Option<Status> {
        match self.kind {
            Kind::Activated => Some(Status::Active),
            Kind::Reported => self.status,
            Kind::Canceled => Some(Status::Canceled),
            // An invoice of an ended subscription can fail too.
            Kind::PaymentFailed | Kind::Lapsed => match before {
                Some(Status::Canceled) => None,
                Some(Status::Active | Status::PastDue) | None => Some(Status::PastDue),
            },
            Kind::Ending | Kind::Unpaid => None,
        }
    }
}

/// A period, as far as a gateway reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Period {
    pub start: Option<OffsetDateTime>,
    pub end: Option<OffsetDateTime>,
}

impl Period {
    fn or_a_month_from(self, paid_at: OffsetDateTime) -> Self {
        if self.end.is_some() {
            return self;
        }
        let start = self.start.unwrap_or(paid_at);
        Self {
            start: Some(start),
            end: Some(a_month_after(start)),
        }
    }
}

/// Whether a subscription entitles the organization to Pro. A past due one still does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Entitlement {
    Never,
    Now,
    Over,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub status: Status,
    pub entitlement: Entitlement,
    pub customer_ref: Option<String>,
    pub period_start: Option<OffsetDateTime>,
    pub period_end: Option<OffsetDateTime>,
    pub cancel_at_period_end: bool,
    pub past_due_since: Option<OffsetDateTime>,
}

impl State {
    /// The period extended by a month if it is paid for at `now`; otherwise none.
    pub fn extended(&self, now: OffsetDateTime) -> Period {
        match self.period_end {
            Some(end) if self.status == Status::Active && end > now => Period {
                start: self.period_start,
                end: Some(a_month_after(end)),
            },
            Some(_) | None => Period::default(),
        }
    }

    /// Whether an event reports a different state.
    pub fn differs_from(&self, report: &SubscriptionEvent) -> bool {
        report
            .leads_to(Some(self.status))
            .is_some_and(|status| status != self.status)
            || report
                .cancel_at_period_end
                .is_some_and(|report| report != self.cancel_at_period_end)
            || report.period_end.is_some() && report.period_end != self.period_end
            || report.customer_ref.is_some() && report.customer_ref != self.customer_ref
    }

    /// Computes it from all events, in the order in which they happened.
    pub fn of(events: &[SubscriptionEvent]) -> Self {
        let mut status = None;
        let mut state = Self {
            status: Status::Canceled,
            entitlement: Entitlement::Never,
            customer_ref: None,
            period_start: None,
            period_end: None,
            cancel_at_period_end: false,
            past_due_since: None,
        };
        for event in events {
            if event.customer_ref.is_some() {
                state.customer_ref.clone_from(&event.customer_ref);
            }
            state.period_start = event.period_start.or(state.period_start);
            state.period_end = event.period_end.or(state.period_end);
            if let Some(report) = event.cancel_at_period_end {
                state.cancel_at_period_end = report;
            }
            let Some(next) = event.leads_to(status) else {
                continue;
            };
            match next {
                Status::Active => {
                    state.entitlement = Entitlement::Now;
                    state.past_due_since = None;
                }
                Status::PastDue if status == Some(Status::PastDue) => {}
                Status::PastDue => state.past_due_since = Some(event.received_at),
                Status::Canceled => {
                    if state.entitlement == Entitlement::Now {
                        state.entitlement = Entitlement::Over;
                    }
                    state.past_due_since = None;
                }
            }
            status = Some(next);
            state.status = next;
        }
        state
    }
}

fn whole_second(time: OffsetDateTime) -> OffsetDateTime {
    time - Duration::nanoseconds(time.nanosecond().into())
}

/// The same day of the next month, or its last day if shorter.
fn a_month_after(time: OffsetDateTime) -> OffsetDateTime {
    let month = time.month().next();
    let year = time.year() + i32::from(month == time::Month::January);
    let day = time.day().min(month.length(year));
    let date = time::Date::from_calendar_date(year, month, day);
    // Only at the end of the year 9999.
    date.map_or(time, |date| time.replace_date(date))
}

#[cfg(test)]
mod tests;
