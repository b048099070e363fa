//! Prices, checkouts and subscriptions, with both gateways played by stand-ins.

mod asking;
mod callbacks;
mod choice;
mod departure;
mod events;
mod foreign;
mod form;
mod model;
mod orders;
mod passing;
mod peers;
mod plans;
mod pricing;
mod redirect;
mod settling;
mod signatures;
mod trouble;
mod twice;
mod uncredited;

use std::time::Duration;

use harness::gateways::Event;
use harness::{App, Gateways, Response, User, eventually};
use serde_json::{Value, json};

const SUBSCRIPTION: &str = "/v1/billing/subscription";
const CHECKOUT: &str = "/v1/billing/checkout";
const CANCEL: &str = "/v1/billing/cancel";
const PORTAL: &str = "/v1/billing/portal";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What lets jobs run all the time, by the test's clock, and tests call as often as they like.
const BUSY: [(&str, &str); 4] = [
    ("LIFECYCLE_INTERVAL", "20ms"),
    ("RATE_CALLBACK", "0"),
    ("RATE_SIGN_IN", "0"),
    // Longer than any test moves the clock.
    ("TOKEN_TTL_MINUTES", "400000"),
];

/// An organization of one owner, and both gateways.
struct Scene {
    gateways: Gateways,
    app: App,
    owner: User,
}

impl Scene {
    /// One that pays through `gateway_form`.
    async fn form() -> Self {
        Self::with(&BUSY).await
    }

    /// One that pays through `gateway_redirect`.
    async fn redirect() -> Self {
        let scene = Self::with(&BUSY).await;
        choose_redirect(&scene.owner).await;
        scene
    }

    /// The same with one more setting.
    async fn redirect_with(setting: (&'static str, &'static str)) -> Self {
        let settings = [&BUSY[..], &[setting]].concat();
        let scene = Self::with(&settings).await;
        choose_redirect(&scene.owner).await;
        scene
    }

    /// One that subscribed to Pro through `gateway_redirect`, and the gateway's id of the subscription.
    async fn subscribed() -> (Self, String) {
        let scene = Self::redirect().await;
        let id = scene.subscribe().await;
        (scene, id)
    }

    /// One that began to pay through `gateway_form`, and the checkout.
    async fn form_begun() -> (Self, Value) {
        let scene = Self::form().await;
        let checkout = scene.begin().await;
        (scene, checkout)
    }

    /// The same where nothing happens by time alone.
    async fn quiet() -> Self {
        Self::redirect_with(("LIFECYCLE_INTERVAL", "1h")).await
    }

    async fn with(settings: &[(&str, &str)]) -> Self {
        let gateways = Gateways::start().await;
        let app = gateways.app(settings).await;
        let owner = app.signup("acme").await;
        Self {
            gateways,
            app,
            owner,
        }
    }

    /// Pays for Pro through `gateway_form`.
    async fn pay_by_form(&self) -> Value {
        let checkout = self.begin().await;
        let callback = self.gateways.form.success(&checkout);
        let answer = self.bring(&callback).await;
        returns_to(&answer, "/settings/billing?status=success");
        checkout
    }

    /// Subscribes to Pro through `gateway_redirect`; the gateway's id of the subscription.
    async fn subscribe(&self) -> String {
        self.subscribe_as(&self.owner).await
    }

    async fn subscribe_as(&self, owner: &User) -> String {
        check_out(owner).await.expect_status(200);
        let redirect = &self.gateways.redirect;
        let events = redirect.pay(&redirect.latest_session());
        self.deliver(&events[0]).await;
        let all = self.gateways.redirect.subscriptions();
        all.last().expect("a subscription").clone()
    }

    /// Begins to pay through `gateway_redirect`, and pays; the gateway's events about it, which are not delivered.
    async fn pay(&self) -> Vec<Event> {
        check_out(&self.owner).await.expect_status(200);
        let redirect = &self.gateways.redirect;
        redirect.pay(&redirect.latest_session())
    }

    /// Has the gateway send an event, which counts.
    async fn deliver(&self, event: &Event) {
        let answer = self.send(event).await;
        answer.expect(200, json!({"status": "ok"}));
    }

    async fn send(&self, event: &Event) -> Response {
        self.gateways
            .redirect
            .deliver(&self.app.anonymous(), event)
            .await
    }

    /// The subscription as the API shows it.
    async fn subscription(&self) -> Value {
        subscription(&self.owner).await
    }

    /// Waits for the subscription to have this status, by a job; with the plan.
    async fn becomes(&self, status: &str, plan: &str) {
        eventually(&format!("it is {status}, {plan}"), async || {
            let now = self.subscription().await;
            (now["status"] == status && now["plan"] == plan).then_some(())
        })
        .await;
    }

    /// Status and plan now.
    async fn is(&self, status: &str, plan: &str) {
        let now = self.subscription().await;
        assert_eq!(
            (&now["status"], &now["plan"]),
            (&json!(status), &json!(plan))
        );
    }

    /// The subjects of the mails to somebody, but for those of signing up and of the trial.
    async fn subjects_to(&self, email: &str) -> Vec<String> {
        let mails = self.app.mails().await.into_iter();
        let to = mails.filter(|mail| mail.to == email);
        let about = ["payment", "subscription", "paid"];
        to.map(|mail| mail.subject)
            .filter(|subject| about.iter().any(|word| subject.contains(word)))
            .collect()
    }
}

async fn choose_redirect(owner: &User) {
    let gateway = json!({"gateway": "gateway_redirect"});
    let chosen = owner.put("/v1/billing/gateway", gateway.clone()).await;
    chosen.expect(200, gateway);
}

async fn subscription(owner: &User) -> Value {
    let answer = owner.get(SUBSCRIPTION).await;
    answer.expect_status(200);
    answer.body
}

async fn check_out(owner: &User) -> Response {
    post(owner, CHECKOUT).await
}

/// A POST without a body.
async fn post(owner: &User, path: &str) -> Response {
    owner.send(owner.request(reqwest::Method::POST, path)).await
}

/// Asserts that the payer is sent on to this page of the dashboard.
#[track_caller]
fn returns_to(answer: &Response, page: &str) {
    answer.expect(303, Value::Null);
    assert_eq!(
        answer.header("location"),
        format!("http://127.0.0.1:8080{page}")
    );
}

/// What the organization of the owner is on without a subscription.
fn none_on(plan: &str, gateway: &str) -> Value {
    let limits = if plan == "free" { [3, 1, 2] } else { [-1; 3] };
    json!({
        "plan": plan, "seats_limit": limits[0], "projects_limit": limits[1], "environments_limit": limits[2],
        "gateway": gateway, "status": "none", "current_period_start": null, "current_period_end": null,
        "cancel_at_period_end": false, "can_manage": false, "seats_used": 1, "projects_used": 1,
    })
}
