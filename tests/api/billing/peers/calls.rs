//! The stand-in as the library's own client sees it: what the client sends, and what it reads from the answers. Both are recorded,
//! with the answers themselves, so that the stand-in is held to what the library understood where there is no library.

use harness::app::START;
use harness::gateways::Request;
use harness::gateways::redirect::SECRET_KEY;
use harness::{Caller, RedirectGateway};
use reqwest::Method;
use serde_json::{Map, Value, json};
use serving::clock::Clock;

use super::Library;
use super::library::Conversation;
use super::questions::SESSION;
use super::recordings::{compare, is_recording, read};

const NAME: &str = "calls";
const SUBSCRIPTION: &str = "sub_000000000000000000000001";
const SESSION_ID: &str = "cs_test_000000000000000000000001";
const SECOND_SESSION_ID: &str = "cs_test_000000000000000000000002";
const CUSTOMER: &str = "cus_000000000000000000000001";

/// Calls to make, in order. The payer pays after the one that says so.
fn calls() -> Vec<Value> {
    let session = |email: &str| {
        let mut parameters = nested();
        parameters["customer_email"] = json!(email);
        json!({
            "service": "checkout.sessions.create",
            "arguments": [],
            "parameters": {"params": parameters},
            "idempotency_key": "key-1",
        })
    };
    let simple =
        |service: &str, arguments: Value| json!({"service": service, "arguments": arguments});
    let with = |service: &str, arguments: Value, parameters: Value| json!({"service": service, "arguments": arguments, "parameters": {"params": parameters}});
    let mut calls = vec![
        session("ada@example.com"),
        session("ada@example.com"),
        session("grace@example.com"),
        simple("checkout.sessions.retrieve", json!([SESSION_ID])),
        simple("checkout.sessions.retrieve", json!([SESSION_ID])),
        simple("checkout.sessions.retrieve", json!(["cs_unknown"])),
        simple("subscriptions.retrieve", json!([SUBSCRIPTION])),
        with(
            "billing_portal.sessions.create",
            json!([]),
            json!({"customer": CUSTOMER, "return_url": "http://localhost:3000"}),
        ),
        with(
            "billing_portal.sessions.create",
            json!([]),
            json!({"customer": "cus_unknown"}),
        ),
        with(
            "subscriptions.update",
            json!([SUBSCRIPTION]),
            json!({"cancel_at_period_end": true}),
        ),
        simple("subscriptions.cancel", json!([SUBSCRIPTION])),
        simple("subscriptions.cancel", json!([SUBSCRIPTION])),
        with(
            "subscriptions.update",
            json!([SUBSCRIPTION]),
            json!({"cancel_at_period_end": false}),
        ),
        simple("subscriptions.retrieve", json!([SUBSCRIPTION])),
    ];
    calls[3]["then_paid"] = json!(true);
    let mut second = session("ada@example.com");
    second["idempotency_key"] = json!("key-2");
    calls.extend([
        with(
            "checkout.sessions.retrieve",
            json!([SESSION_ID]),
            json!({"expand": ["subscription"]}),
        ),
        second,
        simple("checkout.sessions.expire", json!([SECOND_SESSION_ID])),
        simple("checkout.sessions.expire", json!([SECOND_SESSION_ID])),
        simple("checkout.sessions.expire", json!([SESSION_ID])),
        simple("checkout.sessions.expire", json!(["cs_unknown"])),
    ]);
    calls
}

/// [`SESSION`] as the library takes it.
fn nested() -> Value {
    let value = |wanted: &str| {
        SESSION
            .iter()
            .find(|(name, _)| *name == wanted)
            .map(|(_, value)| value)
    };
    json!({
        "mode": value("mode"),
        "line_items": [{"price": value("line_items[0][price]"), "quantity": 1}],
        "client_reference_id": value("client_reference_id"),
        "metadata": {"org_id": value("metadata[org_id]")},
        "subscription_data": {"metadata": {"org_id": value("subscription_data[metadata][org_id]")}},
        "success_url": value("success_url"),
        "cancel_url": value("cancel_url"),
    })
}

/// The stand-in, and its address taken out of what it says.
struct Peer {
    gateway: RedirectGateway,
    caller: Caller,
}

impl Peer {
    async fn start() -> Self {
        let clock = Clock::manual(START);
        let gateway = RedirectGateway::start(clock.clone()).await;
        let caller = Caller::of_another_service(&gateway.url(), clock).with_token(SECRET_KEY);
        Self { gateway, caller }
    }

    fn placeless(&self, value: &Value) -> Value {
        let text = value.to_string().replace(&self.gateway.url(), "[address]");
        serde_json::from_str(&text).expect("JSON")
    }

    fn go_on(&self, call: &Value) {
        if call["then_paid"] == true {
            drop(self.gateway.pay(SESSION_ID));
        }
    }

    /// Makes a call by the library: what it sent, and what it read.
    async fn call(&self, library: &mut Conversation, call: &Value) -> (Value, Value) {
        let mut question = call.clone();
        question["ask"] = json!("call");
        question["base"] = json!(self.gateway.url());
        question["key"] = json!(SECRET_KEY);
        let answer = library.ask(&question).await;
        let requests = self.gateway.requests();
        let sent = requests.last().expect("a request of the library");
        self.go_on(call);
        (shown(sent, call), self.placeless(&answer))
    }

    /// Sends again what the library sent: what is answered.
    async fn send(&self, call: &Value, sent: &Value) -> Value {
        let text = |name: &str| sent[name].as_str().expect("a text");
        let method = text("method").parse::<Method>().expect("a method");
        let mut request = self.caller.request(method, text("path"));
        let fields = sent["fields"].as_object().expect("fields");
        if text("method") == "GET" {
            request = request.query(fields);
        } else if !fields.is_empty() {
            request = request.form(fields);
        }
        if let Some(key) = sent["idempotency_key"].as_str() {
            request = request.header("idempotency-key", key);
        }
        let answer = self.caller.send(request).await;
        self.go_on(call);
        json!({"status": answer.status, "body": self.placeless(&answer.body)})
    }
}

fn shown(sent: &Request, call: &Value) -> Value {
    let fields: Map<_, _> = sent
        .fields
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    json!({
        "method": sent.method,
        "path": sent.path,
        "fields": fields,
        // The library makes one up for a call without.
        "idempotency_key": call.get("idempotency_key").and(sent.idempotency_key.as_ref()),
    })
}

#[tokio::test]
async fn the_recorded_calls_are_what_the_library_sends_and_the_stand_in_answers() {
    let (asked, repeated) = (Peer::start().await, Peer::start().await);
    let mut library = Library::Stripe.converse();
    assert!(
        library.is_some() || !is_recording(),
        "only the library can be recorded"
    );
    let mut fresh = Vec::new();
    for (number, call) in calls().into_iter().enumerate() {
        let (sent, read) = match &mut library {
            Some(library) => asked.call(library, &call).await,
            None => {
                let recorded = &read(NAME)[number];
                (recorded["sent"].clone(), recorded["read"].clone())
            }
        };
        let answered = repeated.send(&call, &sent).await;
        fresh.push(json!({"call": call, "sent": sent, "answered": answered, "read": read}));
    }
    compare(NAME, &fresh);
}
