//! `gateway_form`: the service and the library agree on hashes.

use harness::{App, Gateways, User};
use serde_json::json;

use super::Library;
use super::questions::{request_hash_of, reverse_hash_of};

#[tokio::test]
async fn the_hash_of_a_checkout_is_the_one_that_the_library_makes() {
    let gateways = Gateways::start().await;
    let app = gateways.app(&[]).await;
    let owner = app.signup("acme").await;
    let checkout = owner.act("/v1/billing/checkout", json!({})).await;
    assert_eq!(gateways.form.check(&checkout.body), Ok(()));

    let callback = gateways.form.success(&checkout.body);
    let questions = [request_hash_of(&checkout.body), reverse_hash_of(&callback)];
    if let Some(answers) = Library::Payu.ask(&questions).await {
        let expected = [
            json!({"hash": checkout.body["hash"]}),
            json!({"valid": true}),
        ];
        assert_eq!(answers, expected);
    }
}

/// Pays in one way; tells where the payer is sent.
async fn pay(gateways: &Gateways, app: &App, owner: &User, fields: &[(&str, &str)]) -> String {
    let checkout = owner.act("/v1/billing/checkout", json!({})).await;
    let callback = gateways.form.success(&checkout.body);
    let callback = fields.iter().fold(callback, |callback, (name, value)| {
        callback.with(name, value)
    });
    let answer = gateways.form.deliver(&app.anonymous(), &callback).await;
    answer.expect_status(303).header("location").to_owned()
}

#[tokio::test]
async fn a_callback_with_the_reverse_hash_is_accepted() {
    let gateways = Gateways::start().await;
    let app = gateways.app(&[]).await;
    let ways: [&[(&str, &str)]; 4] = [
        &[],
        &[("udf1", "one"), ("udf5", "five")],
        // What the library cannot check: it fails over them.
        &[("additionalCharges", "12.50")],
        &[("additional_charges", "12.50")],
    ];
    for (number, fields) in ways.into_iter().enumerate() {
        let owner = app.signup(&format!("acme{number}")).await;
        let location = pay(&gateways, &app, &owner, fields).await;
        assert_eq!(
            location,
            "http://127.0.0.1:8080/settings/billing?status=success"
        );
        let subscription = owner.get("/v1/billing/subscription").await;
        assert_eq!(subscription.text("/status"), "active");
    }
}

#[tokio::test]
async fn a_callback_that_was_altered_changes_nothing() {
    let gateways = Gateways::start().await;
    let app = gateways.app(&[]).await;
    let owner = app.signup("acme").await;
    let checkout = owner.post("/v1/billing/checkout", json!({})).await;
    let callback = gateways.form.success(&checkout.body);
    for (name, value) in [("amount", "1.00"), ("status", "Success"), ("udf1", "one")] {
        let altered = callback.clone().altered(name, value);
        let answer = gateways.form.deliver(&app.anonymous(), &altered).await;
        let location = answer.expect_status(303).header("location");
        assert_eq!(
            location,
            "http://127.0.0.1:8080/settings/billing?status=failed"
        );
    }
    let subscription = owner.get("/v1/billing/subscription").await;
    assert_eq!(subscription.text("/status"), "none");
}
