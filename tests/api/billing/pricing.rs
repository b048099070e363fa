//! What plans cost, and what an organization uses of its plan.

use harness::{App, Gateways};
use serde_json::json;

use super::{CHECKOUT, SUBSCRIPTION, none_on, post};

#[tokio::test]
async fn pricing_is_public_and_the_same_for_an_hour() {
    let app = App::start().await;
    let pricing = app.anonymous().get("/v1/pricing").await;
    pricing.expect(
        200,
        json!({
            "currency": "INR",
            "currency_symbol": "₹",
            "plans": {
                "free": {
                    "name": "Free",
                    "price": 0,
                    "display_price": "₹0",
                    "billing_period": "month",
                    "limits": {"projects": 1, "environments": 2, "seats": 3},
                    "features": [
                        "Targeting rules, segments, rollouts and A/B variants",
                        "Approvals, schedules and the audit trail",
                        "OpenFeature and server-sent events",
                    ],
                },
                "pro": {
                    "name": "Pro",
                    "price": 1999,
                    "display_price": "₹1,999",
                    "billing_period": "month",
                    "limits": {"projects": -1, "environments": -1, "seats": -1},
                    "features": [
                        "Everything in Free",
                        "Unlimited projects, environments and members",
                        "Multi-factor authentication",
                    ],
                },
                "enterprise": {
                    "name": "Enterprise",
                    "price": null,
                    "display_price": "Contact us",
                    "features": ["Everything in Pro", "Custom roles", "SCIM provisioning"],
                },
            },
        }),
    );
    assert_eq!(pricing.header("cache-control"), "public, max-age=3600");
}

#[tokio::test]
async fn the_price_that_is_shown_is_the_one_that_is_charged() {
    let gateways = Gateways::start().await;
    let app = gateways
        .app(&[
            ("PRICING_PRO_PRICE", "19.50"),
            ("PRICING_CURRENCY", "EUR"),
            ("PRICING_CURRENCY_SYMBOL", "€"),
        ])
        .await;
    let pricing = app.anonymous().get("/v1/pricing").await.body;
    assert_eq!(pricing["currency"], "EUR");
    assert_eq!(pricing["currency_symbol"], "€");
    let plans = &pricing["plans"];
    assert_eq!(plans["free"]["display_price"], "€0");
    assert_eq!(plans["pro"]["price"], json!(19.5));
    assert_eq!(plans["pro"]["display_price"], "€19.50");

    let owner = app.proven("acme").await;
    let checkout = post(&owner, CHECKOUT).await;
    assert_eq!(checkout.expect_status(200).body["amount"], "19.50");
}

#[tokio::test]
async fn usage_and_limits_are_those_that_are_enforced() {
    let (app, owner) = App::with_owner().await;
    let usage = |plan: &str, limits: [i64; 3]| {
        json!({
            "seats_used": 1, "seats_limit": limits[0], "projects_used": 1, "projects_limit": limits[1],
            "environments_used": 3, "environments_limit": limits[2], "plan": plan,
        })
    };
    for (plan, limits) in [
        ("trial", [-1; 3]),
        ("pro", [-1; 3]),
        ("enterprise", [-1; 3]),
        ("free", [3, 1, 2]),
    ] {
        app.set_plan(&owner, plan).await;
        let found = owner.get("/v1/billing/usage").await;
        found.expect(200, usage(plan, limits));
        let found = owner.get(SUBSCRIPTION).await;
        found.expect(200, none_on(plan, "gateway_form"));
    }
    let viewer = app.member(&owner, "viewer").await;
    let found = viewer.get("/v1/billing/usage").await;
    found.expect_status(200);
    assert_eq!(found.body["seats_used"], 2);
}
