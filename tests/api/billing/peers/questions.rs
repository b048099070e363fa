//! The questions whose answers are recorded. They are the same in every run, since ids of the stand-in count up, and its clock
//! stands where a test puts it.

use std::time::Duration;

use harness::app::START;
use harness::gateways::form::{HASHED, SALT, checkout_of};
use harness::gateways::redirect::{PRICE_ID, SECRET_KEY, WEBHOOK_SECRET};
use harness::gateways::{Callback, Event, Shape};
use harness::{Caller, FormGateway, RedirectGateway};
use reqwest::Method;
use serde_json::{Value, json};
use serving::clock::Clock;

/// What passes between the events of a scenario.
pub(super) const A_MINUTE: Duration = Duration::from_secs(60);

/// Fields that open a session for an organization that does not exist.
pub(super) const SESSION: [(&str, &str); 9] = [
    ("mode", "subscription"),
    ("line_items[0][price]", PRICE_ID),
    ("line_items[0][quantity]", "1"),
    ("customer_email", "ada@example.com"),
    ("client_reference_id", ORG),
    ("metadata[org_id]", ORG),
    ("subscription_data[metadata][org_id]", ORG),
    ("success_url", "http://localhost:3000/settings/billing"),
    ("cancel_url", "http://localhost:3000/settings/billing"),
];
const ORG: &str = "0199d6c5-0a3f-7c41-8d1c-000000000001";

/// A subscription from its payment to its end, with a minute between the events.
pub(super) struct Scenario {
    /// Those of the payment, at the start of the clock.
    pub(super) beginning: Vec<Event>,
    /// Everything later.
    pub(super) rest: Vec<Event>,
}

impl Scenario {
    pub(super) async fn play(shape: Shape) -> Self {
        let clock = Clock::manual(START);
        let gateway = RedirectGateway::start(clock.clone()).await;
        gateway.speak(shape);
        open_session(&gateway, &clock).await;
        let beginning = gateway.pay(&gateway.latest_session());
        let [id] = &gateway.subscriptions()[..] else {
            panic!("one subscription");
        };
        let mut rest = Vec::new();
        clock.advance(A_MINUTE);
        rest.push(gateway.set_cancel_at_period_end(id, true));
        clock.advance(A_MINUTE);
        rest.push(gateway.set_cancel_at_period_end(id, false));
        clock.advance(A_MINUTE);
        rest.push(gateway.renew(id).swap_remove(0));
        clock.advance(A_MINUTE);
        rest.push(gateway.fail_payment(id).swap_remove(0));
        clock.advance(A_MINUTE);
        rest.push(gateway.report(id));
        clock.advance(A_MINUTE);
        rest.push(gateway.end_subscription(id));
        Self { beginning, rest }
    }
}

async fn open_session(gateway: &RedirectGateway, clock: &Clock) {
    let caller = Caller::of_another_service(&gateway.url(), clock.clone()).with_token(SECRET_KEY);
    let request = caller
        .request(Method::POST, "/v1/checkout/sessions")
        .form(&SESSION);
    caller.send(request).await.expect_status(200);
}

/// A checkout as the service makes it.
pub(super) fn checkout() -> Value {
    checkout_of("Ada Lovelace")
}

/// Asks for the hash of a checkout.
pub(super) fn request_hash_of(checkout: &Value) -> Value {
    let mut fields = json!({"salt": SALT});
    for name in HASHED {
        fields[name] = checkout[name].clone();
    }
    json!({"ask": "request_hash", "fields": fields})
}

/// Asks whether a callback has the hash that it should have.
pub(super) fn reverse_hash_of(callback: &Callback) -> Value {
    let posted = callback.fields();
    let value = |name: &str| {
        posted
            .iter()
            .find(|(field, _)| field == name)
            .map(|(_, value)| value)
    };
    let mut fields = json!({"salt": SALT});
    let more = ["udf1", "udf2", "udf3", "udf4", "udf5", "status"];
    for name in HASHED.into_iter().chain(more) {
        fields[name] = json!(value(name));
    }
    json!({"ask": "reverse_hash_is_valid", "hash": value("hash"), "fields": fields})
}

/// Callbacks whose hash the library can check. It fails over additional charges, which are left to the formula.
pub(super) fn callbacks() -> Vec<(Callback, bool)> {
    let checkout = checkout();
    let paid = FormGateway.success(&checkout);
    vec![
        (paid.clone(), true),
        (paid.clone().with("udf1", "a").with("udf5", "e"), true),
        (FormGateway.failure(&checkout), true),
        (paid.altered("amount", "1.00"), false),
    ]
}

pub(super) fn of_payu() -> Vec<Value> {
    let documented = json!({
        "key": "C0Dr8m", "txnid": "12345", "amount": "10", "productinfo": "Shopping", "firstname": "Test",
        "email": "test@test.com", "udf2": "abc", "udf4": "15", "salt": "3sf0jURk",
    });
    let mut questions = vec![
        json!({"ask": "version"}),
        json!({"ask": "request_hash", "fields": documented}),
        request_hash_of(&checkout()),
    ];
    questions.extend(
        callbacks()
            .iter()
            .map(|(callback, _)| reverse_hash_of(callback)),
    );
    questions
}

/// Asks for the signature of an event.
pub(super) fn signature_of(event: &Event) -> Value {
    json!({
        "ask": "sign",
        "payload": event.body.to_string(),
        "secret": WEBHOOK_SECRET,
        "timestamp": event.body["created"],
    })
}

/// Asks what an event says.
pub(super) fn meaning_of(payload: &str, signature: &str) -> Value {
    json!({"ask": "event", "payload": payload, "secret": WEBHOOK_SECRET, "header": signature})
}

/// The header that the stand-in signs an event with, when it happens.
pub(super) fn header_of(event: &Event) -> String {
    let created = event.body["created"].as_i64().expect("seconds");
    let at = time::OffsetDateTime::from_unix_timestamp(created).expect("a time");
    harness::gateways::signature::of_event(&event.body.to_string(), WEBHOOK_SECRET, at)
}

pub(super) async fn of_stripe() -> Vec<Value> {
    let mut questions = vec![json!({"ask": "version"})];
    for shape in [Shape::Older, Shape::Present] {
        let scenario = Scenario::play(shape).await;
        for event in scenario.beginning.iter().chain(&scenario.rest) {
            questions.push(signature_of(event));
            questions.push(meaning_of(&event.body.to_string(), &header_of(event)));
        }
    }
    let event = &Scenario::play(Shape::Present).await.rest[0];
    let altered = event.body.to_string().replace(":true", ":false");
    questions.push(meaning_of(&altered, &header_of(event)));
    questions
}
