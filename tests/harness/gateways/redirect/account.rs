//! What the gateway knows about its one merchant.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use serving::clock::Clock;
use time::OffsetDateTime;

use super::api::{Answer, Kept};
use super::events::Event;
use super::objects::{Session, Shape, Subscription};
use super::parameters::invalid;

/// All of it. Methods that change it are in [`super::api`] (calls) and [`super::payments`] (payers and time).
pub(super) struct Account {
    pub(super) clock: Clock,
    /// Where payers are sent, too.
    pub(super) url: String,
    pub(super) shape: Shape,
    pub(super) customers: BTreeSet<String>,
    pub(super) sessions: BTreeMap<String, Session>,
    pub(super) subscriptions: BTreeMap<String, Subscription>,
    /// Answers by idempotency key.
    pub(super) kept: BTreeMap<String, Kept>,
    /// Events that calls caused, in order.
    pub(super) caused: Vec<Event>,
    /// Ids that were given out, by kind.
    given: BTreeMap<&'static str, u64>,
}

impl Account {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            clock,
            url: String::new(),
            shape: Shape::Present,
            customers: BTreeSet::new(),
            sessions: BTreeMap::new(),
            subscriptions: BTreeMap::new(),
            kept: BTreeMap::new(),
            caused: Vec::new(),
            given: BTreeMap::new(),
        }
    }

    /// In seconds since 1970, as in all of its objects.
    pub(super) fn now(&self) -> i64 {
        self.clock.now().unix_timestamp()
    }

    /// A new id of that kind. Ids of a kind count up, so that the same acts make the same objects.
    pub(super) fn new_id(&mut self, kind: &'static str) -> String {
        let given = self.given.entry(kind).or_default();
        *given += 1;
        format!("{kind}_{given:024}")
    }

    pub(super) fn session(&self, id: &str) -> Result<&Session, Answer> {
        let found = self.sessions.get(id);
        found.ok_or_else(|| invalid(404).missing("checkout.session", id, "session"))
    }

    pub(super) fn subscription(&mut self, id: &str) -> Result<&mut Subscription, Answer> {
        let found = self.subscriptions.get_mut(id);
        found.ok_or_else(|| invalid(404).missing("subscription", id, "id"))
    }

    /// A session as it is answered.
    pub(super) fn show_session(&self, session: &Session) -> Value {
        session.show(&self.url, self.now())
    }

    /// A subscription as it is answered.
    pub(super) fn show_subscription(&self, id: &str) -> Value {
        self.subscriptions[id].show(self.shape)
    }
}

/// The same time of day a month later, on the last day of shorter months.
pub(super) fn a_month_after(seconds: i64) -> i64 {
    let time = OffsetDateTime::from_unix_timestamp(seconds).expect("a time of our days");
    let month = time.month().next();
    let year = time.year() + i32::from(month == time::Month::January);
    let day = time.day().min(month.length(year));
    let date = time::Date::from_calendar_date(year, month, day).expect("a day of that month");
    time.replace_date(date).unix_timestamp()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_month_ends_on_the_same_day_or_the_last() {
        let cases = [
            (
                datetime!(2026-05-04 12:00 UTC),
                datetime!(2026-06-04 12:00 UTC),
            ),
            (
                datetime!(2026-01-31 12:00 UTC),
                datetime!(2026-02-28 12:00 UTC),
            ),
            (
                datetime!(2026-12-31 12:00 UTC),
                datetime!(2027-01-31 12:00 UTC),
            ),
        ];
        for (from, to) in cases {
            assert_eq!(a_month_after(from.unix_timestamp()), to.unix_timestamp());
        }
    }
}
