use serde_json::json;
use time::{Duration, macros::datetime};

use super::*;

const NOW: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);
const ORG: &str = "0199d6c5-0a3f-7c41-8d1c-111111111111";

fn report(kind: &str, object: Value) -> Option<Report> {
    let event = json!({
        "id": "evt_1",
        "object": "event",
        "type": kind,
        "created": NOW.unix_timestamp(),
        "data": {"object": object},
    });
    Envelope::parse(&serde_json::to_vec(&event).unwrap())?.report(NOW)
}

fn seconds(days: i64) -> i64 {
    (NOW + Duration::days(days)).unix_timestamp()
}

#[test]
fn a_period_is_read_at_the_top_and_at_the_first_item() {
    let period = json!({"current_period_start": seconds(0), "current_period_end": seconds(30)});
    let mut older = json!({
        "id": "sub_1",
        "customer": "cus_1",
        "status": "active",
        "cancel_at_period_end": true,
        "metadata": {"org_id": ORG},
    });
    let mut present = older.clone();
    older
        .as_object_mut()
        .unwrap()
        .extend(period.as_object().unwrap().clone());
    present["items"] = json!({"data": [period]});
    let [older, present] =
        [older, present].map(|object| report("customer.subscription.updated", object).unwrap());
    assert_eq!(older, present);
    assert_eq!(older.gateway_ref.as_deref(), Some("sub_1"));
    assert_eq!(older.org_id, OrgId::parse(ORG));
    assert_eq!(older.event.status, Some(Status::Active));
    assert_eq!(older.event.cancel_at_period_end, Some(true));
    assert_eq!(older.event.period_end, Some(NOW + Duration::days(30)));
}

#[test]
fn a_time_of_the_end_within_the_period_is_the_end_of_the_period() {
    let ends = |cancel_at| {
        let object = json!({
            "id": "sub_1",
            "status": "active",
            "cancel_at_period_end": false,
            "cancel_at": cancel_at,
            "current_period_end": seconds(30),
        });
        report("customer.subscription.updated", object)
            .unwrap()
            .event
            .cancel_at_period_end
    };
    assert_eq!(ends(json!(seconds(30))), Some(true));
    assert_eq!(ends(json!(seconds(31))), Some(false));
    assert_eq!(ends(json!(null)), Some(false));
}

#[test]
fn the_subscription_of_an_invoice_is_read_in_both_places() {
    let details = json!({"subscription": "sub_1", "metadata": {"org_id": ORG}});
    let older = json!({
        "subscription": "sub_1",
        "subscription_details": {"metadata": {"org_id": ORG}},
        "customer": "cus_1",
    });
    let present = json!({"parent": {"subscription_details": details}, "customer": "cus_1"});
    let [older, present] =
        [older, present].map(|object| report("invoice.payment_failed", object).unwrap());
    assert_eq!(older, present);
    assert_eq!(older.gateway_ref.as_deref(), Some("sub_1"));
    assert_eq!(older.event.kind, Kind::PaymentFailed);
}

#[test]
fn a_checkout_belongs_to_the_organization_of_its_metadata_whatever_its_payer_names() {
    let other = "0199d6c5-0a3f-7c41-8d1c-222222222222";
    let session = json!({"id": "cs_1", "metadata": {"org_id": ORG}, "client_reference_id": other});
    let ours = report("checkout.session.completed", session).unwrap();
    assert_eq!(ours.org_id, OrgId::parse(ORG));
    assert_eq!(ours.named_org_id, OrgId::parse(other));
    assert_eq!(ours.event.kind, Kind::Activated);
    assert_eq!(ours.event.period_end, Some(datetime!(2026-06-04 12:00 UTC)));

    let session = json!({"id": "cs_1", "metadata": {}, "client_reference_id": ORG});
    let foreign = report("checkout.session.completed", session).unwrap();
    assert_eq!(foreign.org_id, None);
    assert_eq!(foreign.named_org_id, OrgId::parse(ORG));

    let unpaid = json!({"id": "cs_1", "metadata": {"org_id": ORG}, "payment_status": "unpaid"});
    let report = report("checkout.session.completed", unpaid).unwrap();
    assert_eq!(report.event.kind, Kind::Unpaid);
}

#[test]
fn every_status_of_the_gateway_is_known() {
    let read = |status: &str| {
        let object = json!({"id": "sub_1", "status": status});
        report("customer.subscription.updated", object)
            .unwrap()
            .event
    };
    for (expected, all) in [
        (Status::Active, &["active", "trialing"][..]),
        (
            Status::PastDue,
            &["past_due", "unpaid", "incomplete", "paused"],
        ),
        (Status::Canceled, &["canceled", "incomplete_expired"]),
    ] {
        for status in all {
            assert_eq!(read(status).status, Some(expected), "{status}");
        }
    }
    assert_eq!(read("dormant").kind, Kind::Unpaid);
}

#[test]
fn what_is_no_event_is_none() {
    for body in [
        &b""[..],
        b"[]",
        b"{}",
        b"{\"id\": 1}",
        br#"{"id": "", "type": "x", "created": 1, "data": {"object": {}}}"#,
        br#"{"id": "evt_1", "type": "x", "created": "1", "data": {"object": {}}}"#,
        br#"{"id": "evt_1", "type": "x", "created": 1, "data": {"object": 1}}"#,
        br#"{"id": "evt_1", "type": "x", "created": 9223372036854775807, "data": {"object": {}}}"#,
    ] {
        assert!(
            Envelope::parse(body).is_none(),
            "{}",
            String::from_utf8_lossy(body)
        );
    }
    assert_eq!(report("invoice.paid", json!({})), None);
}
