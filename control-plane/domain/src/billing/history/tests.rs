use time::macros::datetime;

use super::*;

const START: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);

fn at(second: i64) -> OffsetDateTime {
    START + Duration::seconds(second)
}

fn event(kind: Kind, second: i64) -> SubscriptionEvent {
    SubscriptionEvent::new(kind, at(second))
}

fn activated(second: i64) -> SubscriptionEvent {
    let customer = Some("cus_1".to_owned());
    SubscriptionEvent::activated(at(second), Period::default(), customer, START)
}

fn reported(status: Status, second: i64) -> SubscriptionEvent {
    SubscriptionEvent {
        status: Some(status),
        ..event(Kind::Reported, second)
    }
}

#[test]
fn a_payment_begins_a_month() {
    let state = State::of(&[activated(0)]);
    let expected = State {
        status: Status::Active,
        entitlement: Entitlement::Now,
        customer_ref: Some("cus_1".to_owned()),
        period_start: Some(START),
        period_end: Some(datetime!(2026-06-04 12:00 UTC)),
        cancel_at_period_end: false,
        past_due_since: None,
    };
    assert_eq!(state, expected);
}

#[test]
fn a_month_ends_on_the_last_day_where_the_next_one_is_shorter() {
    let ends = |from| a_month_after(from);
    assert_eq!(
        ends(datetime!(2026-01-31 08:00 UTC)),
        datetime!(2026-02-28 08:00 UTC)
    );
    assert_eq!(
        ends(datetime!(2027-12-31 08:00 UTC)),
        datetime!(2028-01-31 08:00 UTC)
    );
    assert_eq!(
        ends(datetime!(2028-01-30 08:00 UTC)),
        datetime!(2028-02-29 08:00 UTC)
    );
}

#[test]
fn what_is_past_due_keeps_what_it_gives_and_counts_from_the_first_failure() {
    let events = [
        activated(0),
        event(Kind::PaymentFailed, 10),
        reported(Status::PastDue, 20),
        event(Kind::PaymentFailed, 30),
    ];
    let state = State::of(&events);
    assert_eq!(state.status, Status::PastDue);
    assert_eq!(state.entitlement, Entitlement::Now);
    assert_eq!(state.past_due_since, Some(at(10)));
    let paid = [&events[..], &[reported(Status::Active, 40)]].concat();
    assert_eq!(State::of(&paid).past_due_since, None);
}

#[test]
fn patience_counts_from_when_it_is_heard_of() {
    let mut late = event(Kind::PaymentFailed, 10);
    late.received_at = at(500);
    assert_eq!(
        State::of(&[activated(0), late]).past_due_since,
        Some(at(500))
    );
}

#[test]
fn a_payment_that_fails_after_the_end_changes_nothing() {
    let over = [activated(0), event(Kind::Canceled, 10)];
    let late = [&over[..], &[event(Kind::PaymentFailed, 20)]].concat();
    assert_eq!(State::of(&late), State::of(&over));
    assert_eq!(State::of(&over).entitlement, Entitlement::Over);
}

#[test]
fn a_first_payment_that_fails_gives_nothing() {
    let state = State::of(&[event(Kind::PaymentFailed, 0)]);
    assert_eq!(state.status, Status::PastDue);
    assert_eq!(state.entitlement, Entitlement::Never);
}

#[test]
fn an_ending_subscription_is_still_paid_for() {
    let ending = SubscriptionEvent {
        cancel_at_period_end: Some(true),
        ..event(Kind::Ending, 10)
    };
    let state = State::of(&[activated(0), ending]);
    assert_eq!(state.status, Status::Active);
    assert_eq!(state.entitlement, Entitlement::Now);
    assert!(state.cancel_at_period_end);
}

#[test]
fn events_count_whole_seconds() {
    let late = START + Duration::milliseconds(900);
    assert_eq!(
        SubscriptionEvent::new(Kind::Canceled, late).happened_at,
        START
    );
}
