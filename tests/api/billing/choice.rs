//! Which gateway a checkout goes through.

use harness::{App, Gateways};
use serde_json::json;

use super::{SUBSCRIPTION, Scene, check_out, choose_redirect, none_on};
use crate::trail;

const PATH: &str = "/v1/billing/gateway";

#[tokio::test]
async fn a_gateway_is_chosen_also_if_it_is_not_configured() {
    let (app, owner) = App::with_owner().await;
    for gateway in ["gateway_redirect", "gateway_form"] {
        let choice = json!({"gateway": gateway});
        owner.put(PATH, choice.clone()).await.expect(200, choice);
        let answer = owner.get(SUBSCRIPTION).await;
        answer.expect(200, none_on("trial", gateway));
        let refusal = "payment gateway is not configured";
        check_out(&owner).await.expect_error(503, refusal);
    }
    let told = trail::of_action(&app, &owner, "billing.gateway_changed").await;
    assert_eq!(told.len(), 2);
    assert_eq!(told[0]["before_state"], json!({"gateway": "gateway_form"}));
    assert_eq!(
        told[0]["after_state"],
        json!({"gateway": "gateway_redirect"})
    );
}

#[tokio::test]
async fn updating_the_gateway_with_an_unsupported_name_is_400() {
    let (_app, owner) = App::with_owner().await;
    for (body, refusal) in [
        (json!({}), "gateway is required"),
        (json!({"gateway": null}), "gateway is required"),
        (
            json!({"gateway": "stripe"}),
            "gateway must be gateway_form or gateway_redirect",
        ),
        (
            json!({"gateway": ""}),
            "gateway must be gateway_form or gateway_redirect",
        ),
    ] {
        owner.put(PATH, body).await.expect_error(400, refusal);
    }
    let refused = owner.put(PATH, json!({"gateway": 1})).await;
    refused.expect_status(400);
    let answer = owner.get(SUBSCRIPTION).await;
    answer.expect(200, none_on("trial", "gateway_form"));
}

#[tokio::test]
async fn a_running_subscription_keeps_its_gateway() {
    let scene = Scene::form().await;
    scene.pay_by_form().await;
    choose_redirect(&scene.owner).await;
    assert_eq!(scene.subscription().await["gateway"], "gateway_form");
}

#[tokio::test]
async fn a_gateway_with_only_some_of_its_settings_is_not_configured() {
    let gateways = Gateways::start().await;
    let app = gateways
        .app(&[("GATEWAY_FORM_SALT", ""), ("GATEWAY_REDIRECT_PRICE_ID", "")])
        .await;
    let owner = app.signup("acme").await;
    let refusal = "payment gateway is not configured";
    check_out(&owner).await.expect_error(503, refusal);
    choose_redirect(&owner).await;
    check_out(&owner).await.expect_error(503, refusal);
    assert_eq!(gateways.redirect.requests().len(), 0);
}
