//! What plans cost, and what an organization uses of its plan.

use harness::App;
use serde_json::json;

use super::{SUBSCRIPTION, none_on};

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
