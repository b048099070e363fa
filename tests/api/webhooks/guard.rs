//! Webhooks lead to public addresses alone: when they are created, when they are changed, and whenever something is delivered.
//! The table of addresses is the guard's own test.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base::outbound::guard::Resolver;
use harness::{App, Receiver, eventually};
use serde_json::{Value, json};

const REFUSED: &str = "url must not lead to a private, local or reserved address";

/// A name that leads to these addresses, one look-up after the other, and to the last of them from then on; counts look-ups.
fn leads_to(addresses: &'static [&'static [&'static str]]) -> (Resolver, Arc<AtomicUsize>) {
    let look_ups = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&look_ups);
    let resolver = Resolver::new(move |_| {
        let number = counted.fetch_add(1, Ordering::SeqCst);
        let answer = addresses[number.min(addresses.len() - 1)];
        let parsed = answer.iter().map(|text| text.parse::<IpAddr>().unwrap());
        Ok(parsed.collect())
    });
    (resolver, look_ups)
}

#[tokio::test]
async fn an_address_that_is_not_public_is_400_at_creation_and_update() {
    let (_app, owner) = App::with_proven_owner().await;
    let body = json!({"name": "Chat", "url": "https://192.0.2.7/hooks"});
    let created = owner.post("/v1/webhooks", body).await;
    let path = format!("/v1/webhooks/{}", created.text("/id"));
    let local = "url must not have a host name that has a meaning only locally";
    let form = "url must be an http or https URL";
    let user = "url must not contain a user name or password";
    for (url, message) in [
        ("http://127.0.0.1/", REFUSED),
        ("http://10.1.2.3:8080/hook", REFUSED),
        ("http://172.16.0.1/", REFUSED),
        ("http://172.31.255.255/", REFUSED),
        ("https://192.168.1.1/", REFUSED),
        ("http://169.254.169.254/latest/meta-data/", REFUSED),
        ("http://2130706433/", REFUSED),
        ("http://0x7f.1/", REFUSED),
        ("http://017700000001/", REFUSED),
        ("http://[::1]/", REFUSED),
        ("http://[::ffff:10.0.0.1]/", REFUSED),
        ("http://[64:ff9b::7f00:1]/", REFUSED),
        ("http://localhost:8080/", local),
        ("http://api.LOCALHOST/", local),
        ("http://printer.local/", local),
        ("http://metadata.google.internal/", local),
        ("ftp://example.com/", form),
        ("//example.com/", form),
        ("example.com", form),
        ("https://user:pass@example.com/", user),
    ] {
        let body = json!({"name": "Chat", "url": url});
        let refused = owner.post("/v1/webhooks", body).await;
        refused.expect_error(400, message);
        let refused = owner.put(&path, json!({"url": url})).await;
        refused.expect_error(400, message);
    }
    let long = format!("https://192.0.2.7/{}", "x".repeat(2048));
    let answer = owner.put(&path, json!({"url": long})).await;
    answer.expect_error(400, "url must have at most 2048 characters");
    owner.get(&path).await.expect(200, created.body);
}

#[tokio::test]
async fn a_name_that_leads_to_a_private_address_is_400_at_creation_and_update() {
    let (resolver, _) = leads_to(&[&["192.0.2.7"], &["192.0.2.7", "10.0.0.1"]]);
    let app = App::start_with_resolver(&[], resolver).await;
    let owner = app.proven("acme").await;
    let body = json!({"name": "Chat", "url": "https://hooks.example.com/"});
    let created = owner.create("/v1/webhooks", body.clone()).await;
    let refused = owner.post("/v1/webhooks", body).await;
    refused.expect_error(400, REFUSED);
    let path = format!("/v1/webhooks/{}", created.text("/id"));
    let url = json!({"url": "https://other.example.com/"});
    owner.put(&path, url).await.expect_error(400, REFUSED);
    owner.get(&path).await.expect(200, created.body);
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_accepted_and_fails_at_delivery() {
    let resolver = Resolver::new(|_| Err(std::io::Error::other("no such name")));
    let settings = [("WEBHOOK_RETRY_WAITS", "1s")];
    let app = App::start_with_resolver(&settings, resolver).await;
    let owner = app.proven("acme").await;
    let body = json!({"name": "Chat", "url": "https://hooks.example.com/"});
    let created = owner.create("/v1/webhooks", body).await;
    assert!(!only_delivery(&app, &owner, &created.text("/id")).await);
}

/// Public when it is looked at, private when it is called.
#[tokio::test]
async fn a_name_that_is_rebound_to_a_private_address_never_gets_a_connection() {
    let receiver = Receiver::start();
    let (resolver, look_ups) = leads_to(&[&["192.0.2.7"], &["127.0.0.1"]]);
    let settings = [("WEBHOOK_RETRY_WAITS", "1s,1s,1s")];
    let app = App::start_with_resolver(&settings, resolver).await;
    let owner = app.proven("acme").await;
    let url = format!("http://hooks.example.com:{}/", receiver.address().port());
    let created = owner
        .create("/v1/webhooks", json!({"name": "Chat", "url": url}))
        .await;
    assert!(!only_delivery(&app, &owner, &created.text("/id")).await);
    assert_eq!(receiver.connections(), 0);
    let path = format!("/v1/webhooks/{}/deliveries", created.text("/id"));
    let delivery = &owner.get(&path).await.body["data"][0];
    let error = "the address is private, local or reserved";
    assert_eq!(
        (&delivery["error"], &delivery["attempts"]),
        (&json!(error), &json!(3))
    );
    // Once when it was created, and once for each attempt.
    assert_eq!(look_ups.load(Ordering::SeqCst), 4);
}

/// The same, where the operator allows the address: then the name is called, with its own name.
#[tokio::test]
async fn an_allowed_address_is_called_under_its_name() {
    let receiver = Receiver::start();
    let (resolver, look_ups) = leads_to(&[&["127.0.0.1"]]);
    let settings = [("WEBHOOK_ALLOWED_CIDRS", "127.0.0.0/8")];
    let app = App::start_with_resolver(&settings, resolver).await;
    let owner = app.proven("acme").await;
    let port = receiver.address().port();
    let url = format!("http://hooks.example.com:{port}/");
    let created = owner
        .create("/v1/webhooks", json!({"name": "Chat", "url": url}))
        .await;
    assert!(only_delivery(&app, &owner, &created.text("/id")).await);
    let received = receiver.until(1).await;
    assert_eq!(
        received[0].header("host"),
        format!("hooks.example.com:{port}")
    );
    assert_eq!(look_ups.load(Ordering::SeqCst), 2);
    // Names that mean something locally stay refused.
    let body = json!({"name": "Chat", "url": format!("http://localhost:{port}/")});
    owner.post("/v1/webhooks", body).await.expect_status(400);
}

/// What was stored before the rules became stricter is not called any more.
#[tokio::test]
async fn an_address_that_is_no_longer_allowed_is_not_called() {
    let receiver = Receiver::start();
    let app = App::start_with(&[("WEBHOOK_RETRY_WAITS", "1s")]).await;
    let owner = app.proven("acme").await;
    let body = json!({"name": "Chat", "url": "https://192.0.2.7/"});
    let created = owner.post("/v1/webhooks", body).await;
    sqlx::query("UPDATE webhooks SET url = $1")
        .bind(receiver.url("/"))
        .execute(app.pool())
        .await
        .unwrap();
    assert!(!only_delivery(&app, &owner, &created.text("/id")).await);
    assert_eq!(receiver.connections(), 0);
}

/// Asks for a test delivery, lets all attempts be made, and tells whether it succeeded.
async fn only_delivery(app: &App, owner: &harness::User, id: &str) -> bool {
    let test = format!("/v1/webhooks/{id}/test");
    owner.post(&test, Value::Null).await.expect_status(202);
    let path = format!("/v1/webhooks/{id}/deliveries");
    let deliveries = eventually("the delivery has ended", async || {
        // Not while somebody works on it: their lease would end.
        let is_idle = "SELECT COUNT(*) = 0 FROM webhook_lanes WHERE lease IS NOT NULL";
        if sqlx::query_scalar(is_idle)
            .fetch_one(app.pool())
            .await
            .unwrap()
        {
            app.clock.advance(Duration::from_secs(1));
        }
        let page = owner.get(&path).await;
        (page.body["total"] == 1).then_some(page.body)
    })
    .await;
    deliveries["data"][0]["success"].as_bool().unwrap()
}
