use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use serving::clock::Clock;
use time::macros::datetime;

use super::*;
use crate::app::START;

const SESSION: [(&str, &str); 8] = [
    ("mode", "subscription"),
    ("line_items[0][price]", PRICE_ID),
    ("line_items[0][quantity]", "1"),
    ("customer_email", "ada@example.com"),
    ("client_reference_id", "org-1"),
    ("metadata[org_id]", "org-1"),
    ("subscription_data[metadata][org_id]", "org-1"),
    ("success_url", "http://localhost:3000/done"),
];

/// A client of the gateway, without any library.
struct Client {
    gateway: RedirectGateway,
    http: reqwest::Client,
}

impl Client {
    async fn new() -> Self {
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        Self {
            gateway: RedirectGateway::start(Clock::manual(START)).await,
            http: http.build().unwrap(),
        }
    }

    async fn try_call(
        &self,
        method: Method,
        path: &str,
        fields: &[(&str, &str)],
        key: &str,
    ) -> reqwest::Result<(StatusCode, String)> {
        let url = format!("{}{path}", self.gateway.url());
        let mut request = self.http.request(method, url).bearer_auth(SECRET_KEY);
        if !fields.is_empty() {
            request = request.form(fields);
        }
        if !key.is_empty() {
            request = request.header("idempotency-key", key);
        }
        let answer = request.timeout(Duration::from_secs(1)).send().await?;
        Ok((answer.status(), answer.text().await?))
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        fields: &[(&str, &str)],
        key: &str,
    ) -> (u16, Value) {
        let (status, body) = self.try_call(method, path, fields, key).await.unwrap();
        (status.as_u16(), serde_json::from_str(&body).unwrap())
    }

    async fn open(&self, key: &str) -> String {
        let (status, session) = self
            .call(Method::POST, "/v1/checkout/sessions", &SESSION, key)
            .await;
        assert_eq!(status, 200, "{session:#}");
        session["id"].as_str().unwrap().to_owned()
    }

    async fn refused(&self, method: Method, path: &str, fields: &[(&str, &str)]) -> (u16, Value) {
        let (status, mut body) = self.call(method, path, fields, "").await;
        (status, body["error"]["message"].take())
    }
}

#[tokio::test]
async fn a_session_becomes_a_subscription_that_can_be_changed_and_ended_once() {
    let client = Client::new().await;
    let session = client.open("").await;
    assert_eq!(client.gateway.latest_session(), session);
    let path = format!("/v1/checkout/sessions/{session}");
    let (_, shown) = client.call(Method::GET, &path, &[], "").await;
    assert_eq!(shown["status"], "open");
    assert!(
        shown["url"]
            .as_str()
            .unwrap()
            .starts_with(&client.gateway.url())
    );

    let events = client.gateway.pay(&session);
    let kinds: Vec<_> = events.iter().map(Event::kind).collect();
    let expected = [
        "checkout.session.completed",
        "customer.subscription.created",
        "invoice.paid",
    ];
    assert_eq!(kinds, expected);
    let (_, shown) = client.call(Method::GET, &path, &[], "").await;
    assert_eq!(
        (&shown["status"], &shown["payment_status"]),
        (&json!("complete"), &json!("paid"))
    );
    assert_eq!(shown["url"], Value::Null);
    assert_eq!(events[0].object(), &shown);
    let id = shown["subscription"].as_str().unwrap();
    assert_eq!(client.gateway.subscriptions(), [id]);

    let path = format!("/v1/subscriptions/{id}");
    let (_, shown) = client
        .call(Method::POST, &path, &[("cancel_at_period_end", "true")], "")
        .await;
    assert_eq!(
        (&shown["status"], &shown["cancel_at_period_end"]),
        (&json!("active"), &json!(true))
    );
    assert_eq!(shown["metadata"], json!({"org_id": "org-1"}));
    let (_, shown) = client.call(Method::DELETE, &path, &[], "").await;
    assert_eq!(shown["status"], "canceled");
    let caused = client.gateway.take_events();
    let kinds: Vec<_> = caused.iter().map(Event::kind).collect();
    assert_eq!(
        kinds,
        [
            "customer.subscription.updated",
            "customer.subscription.deleted"
        ]
    );

    let again = client.refused(Method::DELETE, &path, &[]).await;
    assert_eq!(again, (404, json!(format!("No such subscription: '{id}'"))));
    let again = client
        .refused(Method::POST, &path, &[("cancel_at_period_end", "false")])
        .await;
    assert_eq!(again.0, 400);
    assert_eq!(
        client.call(Method::GET, &path, &[], "").await.1["status"],
        "canceled"
    );
    assert!(client.gateway.take_events().is_empty());
}

#[tokio::test]
async fn the_same_key_has_one_effect() {
    let client = Client::new().await;
    let first = client.open("key-1").await;
    assert_eq!(client.open("key-1").await, first);
    assert_ne!(client.open("key-2").await, first);
    let mut other = SESSION;
    other[3].1 = "grace@example.com";
    let (status, body) = client
        .call(Method::POST, "/v1/checkout/sessions", &other, "key-1")
        .await;
    assert_eq!(
        (status, &body["error"]["type"]),
        (400, &json!("idempotency_error"))
    );

    let clock = Clock::manual(START);
    clock.advance(Duration::from_secs(86_400));
    client.gateway.follow(&clock);
    assert_ne!(client.open("key-1").await, first, "keys are kept for a day");
}

#[tokio::test]
async fn what_the_gateway_would_refuse_is_refused() {
    let client = Client::new().await;
    let sessions = "/v1/checkout/sessions";
    let refused = [
        ("mode", "", "Missing required param: mode."),
        (
            "line_items[0][price]",
            "price_x",
            "No such price: 'price_x'",
        ),
        ("line_items[0][quantity]", "one", "Invalid integer: one"),
        ("customer_email", "ada", "Invalid email address: ada"),
        ("success_url", "/done", "Not a valid URL"),
    ];
    for (name, value, message) in refused {
        let fields =
            SESSION.map(|(field, given)| (field, if field == name { value } else { given }));
        let answer = client.refused(Method::POST, sessions, &fields).await;
        assert_eq!(answer, (400, json!(message)));
    }
    let unknown = client
        .refused(Method::POST, sessions, &[("colour", "red")])
        .await;
    assert_eq!(unknown, (400, json!("Received unknown parameter: colour")));
    let (status, _) = client
        .refused(Method::GET, "/v1/checkout/sessions/cs_x", &[])
        .await;
    assert_eq!(status, 404);
    let portal = client
        .refused(
            Method::POST,
            "/v1/billing_portal/sessions",
            &[("customer", "cus_x")],
        )
        .await;
    assert_eq!(portal, (400, json!("No such customer: 'cus_x'")));

    let url = format!("{}{sessions}", client.gateway.url());
    let request = client
        .http
        .post(&url)
        .bearer_auth("sk_other")
        .form(&SESSION);
    assert_eq!(request.send().await.unwrap().status(), 401);
    let request = client
        .http
        .post(&url)
        .bearer_auth(SECRET_KEY)
        .json(&json!({}));
    assert_eq!(request.send().await.unwrap().status(), 400);
}

#[tokio::test]
async fn trouble_is_what_the_caller_sees_and_nothing_else_happens() {
    let client = Client::new().await;
    let open = || client.try_call(Method::POST, "/v1/checkout/sessions", &SESSION, "key");
    client.gateway.trouble(Trouble::Status(503), 2);
    for _ in 0..2 {
        assert_eq!(open().await.unwrap().0, 503);
    }
    client.gateway.trouble(Trouble::Junk, 1);
    assert!(open().await.unwrap().1.starts_with("<html>"));
    client.gateway.trouble(Trouble::OtherShape, 1);
    assert!(open().await.unwrap().1.starts_with('['));
    client.gateway.trouble(Trouble::Huge, 1);
    assert!(open().await.unwrap().1.len() > 2 * 1024 * 1024);
    client.gateway.trouble(Trouble::Hang(Effect::None), 1);
    assert!(open().await.unwrap_err().is_timeout());
    client.gateway.trouble(Trouble::Close(Effect::None), 1);
    assert!(!open().await.unwrap_err().is_timeout());
    assert!(client.gateway.account().sessions.is_empty());

    client.gateway.trouble(Trouble::Close(Effect::Done), 1);
    open().await.unwrap_err();
    let made = client.gateway.latest_session();
    assert_eq!(
        client.open("key").await,
        made,
        "the key tells what had happened"
    );
    assert_eq!(
        client
            .gateway
            .requests_to("POST", "/v1/checkout/sessions")
            .len(),
        9
    );
}

#[tokio::test]
async fn a_gateway_that_is_down_refuses_connections_and_knows_everything_when_it_is_up() {
    let client = Client::new().await;
    let session = client.open("key").await;
    client.gateway.go_down().await;
    let path = format!("/v1/checkout/sessions/{session}");
    let down = client
        .try_call(Method::GET, &path, &[], "")
        .await
        .unwrap_err();
    assert!(down.is_connect());
    client.gateway.come_up().await;
    assert_eq!(client.call(Method::GET, &path, &[], "").await.0, 200);
}

#[tokio::test]
async fn periods_and_ids_stand_where_the_shape_says() {
    let client = Client::new().await;
    let session = client.open("").await;
    client.gateway.pay(&session);
    let [id] = &client.gateway.subscriptions()[..] else {
        panic!("one subscription");
    };
    let end = json!(datetime!(2026-07-04 12:00 UTC).unix_timestamp());
    let [failed, updated] = &client.gateway.fail_payment(id)[..] else {
        panic!("two events");
    };
    assert_eq!(
        updated.object()["items"]["data"][0]["current_period_end"],
        end
    );
    assert_eq!(updated.object()["current_period_end"], Value::Null);
    assert_eq!(updated.object()["status"], "past_due");
    let details = &failed.object()["parent"]["subscription_details"];
    assert_eq!(
        details,
        &json!({"subscription": id, "metadata": {"org_id": "org-1"}})
    );

    client.gateway.speak(Shape::Older);
    let updated = client.gateway.report(id);
    assert_eq!(updated.object()["current_period_end"], end);
    assert_eq!(
        updated.object()["items"]["data"][0]["current_period_end"],
        Value::Null
    );
    let failed = &client.gateway.fail_payment(id)[0];
    assert_eq!(failed.object()["subscription"], json!(id));
    assert_eq!(
        failed.object()["subscription_details"]["metadata"],
        json!({"org_id": "org-1"})
    );
    assert_eq!(failed.object()["parent"], Value::Null);
}
