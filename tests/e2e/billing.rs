//! Payments through real processes, which may die at any moment.

use harness::gateways::{Effect, Trouble};
use harness::{RedirectGateway, Stack, User, eventually};
use reqwest::Method;
use serde_json::{Value, json};
use serving::clock::Clock;
use sqlx::{Connection, PgConnection};

async fn subscribed() -> (RedirectGateway, Stack, User) {
    let gateway = RedirectGateway::start(Clock::system()).await;
    let settings = gateway.settings();
    let mut all: Vec<_> = settings
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    all.push(("LIFECYCLE_INTERVAL", "100ms"));
    let stack = Stack::start_with(&all).await;
    let owner = stack.signup("acme").await;
    let choice = json!({"gateway": "gateway_redirect"});
    owner.change("/v1/billing/gateway", choice).await;
    let checkout = owner.request(Method::POST, "/v1/billing/checkout");
    owner.send(checkout).await.expect_status(200);
    let paid = gateway.pay(&gateway.latest_session());
    gateway.deliver(&owner, &paid[0]).await.expect_status(200);
    assert_eq!(subscription(&owner).await["status"], "active");
    (gateway, stack, owner)
}

async fn subscription(owner: &User) -> Value {
    owner.get("/v1/billing/subscription").await.body
}

#[tokio::test]
async fn a_process_that_is_killed_while_the_gateway_cancels_finds_out_later() {
    let (gateway, mut stack, owner) = subscribed().await;
    gateway.trouble(Trouble::Hang(Effect::Done), 1);
    let cancel = owner.request(Method::POST, "/v1/billing/cancel");
    let cancel = cancel.json(&json!({"at_period_end": false}));
    let caller = owner.clone();
    let call = tokio::spawn(async move { caller.try_send(cancel).await });
    let id = gateway.subscriptions().remove(0);
    eventually("the gateway canceled", async || {
        (gateway.subscription(&id)["status"] == "canceled").then_some(())
    })
    .await;
    stack.control.kill();
    assert!(call.await.expect("a task").is_err(), "nobody was told");

    stack.start_control().await;
    // Nothing half-done: it goes on until somebody knows better.
    assert_eq!(subscription(&owner).await["status"], "active");
    // A minute later.
    let mut database = PgConnection::connect(stack.database().url())
        .await
        .expect("the test's database");
    sqlx::query("UPDATE subscriptions SET settle_at = settle_at - interval '1 minute'")
        .execute(&mut database)
        .await
        .expect("the test's database");
    let over = eventually("it is canceled", async || {
        let now = subscription(&owner).await;
        (now["status"] == "canceled").then_some(now)
    })
    .await;
    assert_eq!(over["plan"], "free");
}

#[tokio::test]
async fn an_event_that_was_answered_survives_a_kill() {
    let (gateway, mut stack, owner) = subscribed().await;
    let id = gateway.subscriptions().remove(0);
    let failed = gateway.fail_payment(&id).remove(0);
    let answer = gateway.deliver(&owner, &failed).await;
    answer.expect(200, json!({"status": "ok"}));
    let metrics = stack.admin().get("/metrics").await.body;
    let metrics = metrics.as_str().unwrap();
    for line in [
        "halyard_gateway_events_total{outcome=\"done\"} 2",
        "halyard_outbound_calls_total{service=\"gateway_redirect\",outcome=\"done\"} 1",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
    stack.control.kill();
    stack.start_control().await;
    assert_eq!(subscription(&owner).await["status"], "past_due");
    let again = gateway.deliver(&owner, &failed).await;
    again.expect(200, json!({"status": "already_processed"}));
}
