//! Webhooks of real processes, which may die at any moment.

use harness::{Answer, Receiver, Stack, User, eventually};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};

const SETTINGS: [(&str, &str); 2] = [
    ("WEBHOOK_ALLOWED_CIDRS", "127.0.0.0/8"),
    ("WEBHOOK_TIMEOUT", "1s"),
];

/// A stack, an owner whose webhook leads to the receiver, and the path of the flags of their project.
async fn scene(settings: &[(&'static str, &str)]) -> (Stack, User, Receiver, String) {
    let stack = Stack::start_with(&[&SETTINGS, settings].concat()).await;
    let owner = stack.proven("acme").await;
    let project = owner.default_project().await;
    let receiver = Receiver::start();
    let body = json!({"name": "Chat", "url": receiver.url("/"), "secret": "s3cret"});
    owner.create("/v1/webhooks", body).await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    (stack, owner, receiver, flags)
}

async fn create(owner: &User, flags: &str, key: &str) {
    let flag = json!({"key": key, "name": "A flag"});
    owner.create(flags, flag).await;
}

async fn number(stack: &Stack, query: &'static str) -> i64 {
    let url = stack.database().url();
    let mut database = PgConnection::connect(url)
        .await
        .expect("the test's database");
    let number = sqlx::query_scalar(query);
    number.fetch_one(&mut database).await.expect("a number")
}

async fn until_nothing_waits(stack: &Stack) {
    eventually("nothing waits", async || {
        let waiting =
            "SELECT (SELECT COUNT(*) FROM webhook_events) + (SELECT COUNT(*) FROM webhook_queue)";
        (number(stack, waiting).await == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_was_committed_is_delivered_although_the_process_was_killed() {
    let (mut stack, owner, receiver, flags) = scene(&[]).await;
    create(&owner, &flags, "checkout").await;
    // The first attempt waits for a second: nothing was delivered yet.
    stack.control.kill();
    assert!(receiver.received().is_empty());

    stack.start_control().await;
    let received = receiver.until(1).await;
    assert_eq!(received[0].header("x-webhook-event"), "flag.created");
    assert!(received[0].is_signed_with("s3cret"));
    until_nothing_waits(&stack).await;
    assert_eq!(receiver.received().len(), 1);
}

/// At least once: whether the receiver had it is not known, so it has it again, under the same id.
#[tokio::test]
async fn a_delivery_in_progress_when_the_process_was_killed_is_made_again() {
    let (mut stack, owner, receiver, flags) = scene(&[]).await;
    receiver.answers([Answer::Hang]);
    create(&owner, &flags, "checkout").await;
    receiver.until(1).await;
    stack.control.kill();

    stack.start_control().await;
    let received = receiver.until(2).await;
    assert_eq!(received[0].body, received[1].body);
    // All but the time of sending is the same.
    let [first, second] = [&received[0], &received[1]].map(|one| {
        let mut headers = one.headers.clone();
        let sent = headers.remove("x-service-signature-v2");
        (headers, sent.expect("it says when it was sent"))
    });
    assert_eq!(first.0, second.0);
    assert_ne!(first.1, second.1);
    until_nothing_waits(&stack).await;
    assert_eq!(receiver.received().len(), 2);
    let delivered = "SELECT COUNT(*) FROM webhook_deliveries WHERE success";
    assert_eq!(number(&stack, delivered).await, 1);
}

#[tokio::test]
async fn a_process_that_is_asked_to_stop_finishes_what_it_is_sending() {
    let (mut stack, owner, receiver, flags) = scene(&[("WEBHOOK_TIMEOUT", "30s")]).await;
    receiver.hold();
    create(&owner, &flags, "checkout").await;
    receiver.until(1).await;
    stack.control.ask_to_stop();
    receiver.release();
    until_nothing_waits(&stack).await;
    assert!(stack.control.wait().success());
    let delivered = "SELECT COUNT(*) FROM webhook_deliveries WHERE success";
    assert_eq!(number(&stack, delivered).await, 1);
}

#[tokio::test]
async fn dropped_events_and_attempts_are_counted_and_logs_hold_no_address() {
    let settings = [
        ("WEBHOOK_QUEUE_SIZE", "1"),
        ("WEBHOOK_RETRY_WAITS", "10ms"),
        ("WEBHOOK_TIMEOUT", "30s"),
    ];
    let (stack, owner, receiver, flags) = scene(&settings).await;
    receiver.hold();
    for key in ["a", "b", "c"] {
        create(&owner, &flags, key).await;
    }
    let metrics = eventually("the drops are counted", async || {
        let metrics = stack.admin().get("/metrics").await.body;
        let metrics = metrics.as_str().unwrap_or_default().to_owned();
        metrics
            .contains("halyard_webhook_events_dropped_total 2")
            .then_some(metrics)
    })
    .await;
    for outcome in ["delivered", "retried", "failed"] {
        let none = format!("halyard_webhook_attempts_total{{outcome=\"{outcome}\"}} 0\n");
        assert!(metrics.contains(&none), "{metrics}");
    }
    receiver.release();
    until_nothing_waits(&stack).await;
    let metrics = stack.admin().get("/metrics").await.body;
    let metrics = metrics.as_str().unwrap_or_default();
    let told = r#"halyard_webhook_attempts_total{outcome="delivered"} 1"#;
    assert!(metrics.contains(told), "{metrics}");

    // An address may hold a credential.
    receiver.go_down().await;
    let webhook = owner.get("/v1/webhooks").await.text("/data/0/id");
    let test = format!("/v1/webhooks/{webhook}/test");
    owner.post(&test, Value::Null).await.expect_status(202);
    let log = eventually("the failure is logged", async || {
        let log = stack.control.log();
        log.contains("a webhook did not answer").then_some(log)
    })
    .await;
    assert!(log.contains("queues of webhooks are full"), "{log}");
    let port = receiver.address().port().to_string();
    assert!(!log.contains(&format!("127.0.0.1:{port}")), "{log}");
}
