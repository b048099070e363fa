//! Plans that are paid for: what members do, and what gateways tell.

use harness::gateways::{Callback, Event};
use harness::{App, Gateways, Response, User};
use serde_json::{Value, json};

use super::{Pace, Refused, States, Step, Walk, database};

/// What a gateway sends.
enum Message {
    Event(Event),
    Callback(Callback),
}

impl Message {
    async fn send(&self, gateways: &Gateways, app: &App) -> Response {
        let anonymous = app.anonymous();
        match self {
            Self::Event(event) => gateways.redirect.deliver(&anonymous, event).await,
            Self::Callback(callback) => gateways.form.deliver(&anonymous, callback).await,
        }
    }

    /// The same, and not genuine.
    async fn forge(&self, gateways: &Gateways, app: &App) -> Response {
        let anonymous = app.anonymous();
        match self {
            Self::Event(event) => {
                let body = event.body.to_string();
                gateways
                    .redirect
                    .deliver_signed(&anonymous, &body, "t=1,v1=00")
                    .await
            }
            Self::Callback(callback) => {
                let forged = callback.clone().altered("hash", "00");
                gateways.form.deliver(&anonymous, &forged).await
            }
        }
    }
}

impl Walk {
    pub(super) async fn billing(&mut self, owner: &User) {
        self.choose(owner, "gateway_redirect").await;
        self.check_out(owner).await;
        let redirect = &self.gateways.redirect;
        let paid = redirect.pay(&redirect.latest_session()).remove(0);
        let endpoint = "POST /v1/billing/gateway_redirect/webhook";
        let begins = ["billing.subscription_activated", "billing.plan_changed"];
        self.told(owner, endpoint, &Message::Event(paid), &begins)
            .await;
        let portal = "POST /v1/billing/portal";
        self.step(step(owner, portal, Value::Null, None, &[])).await;

        let now = json!({"at_period_end": false});
        let refused = Refused::Body(json!({"at_period_end": 1}), 400);
        let ends = ["billing.subscription_canceled", "billing.plan_changed"];
        // It was canceled at the gateway when the commit failed: a job asks.
        self.leaves = Some("subscriptions");
        let cancel = "POST /v1/billing/cancel";
        self.step(step(owner, cancel, now, Some(refused), &ends))
            .await;

        self.choose(owner, "gateway_form").await;
        let checkout = self.check_out(owner).await;
        let failed = Message::Callback(self.gateways.form.failure(&checkout.body));
        let endpoint = "POST /v1/billing/gateway_form/failure";
        self.told(owner, endpoint, &failed, &[]).await;
        let paid = Message::Callback(self.gateways.form.success(&checkout.body));
        let endpoint = "POST /v1/billing/gateway_form/callback";
        self.told(owner, endpoint, &paid, &begins).await;
    }

    async fn choose(&mut self, owner: &User, gateway: &str) {
        let refused = Refused::Body(json!({"gateway": "cash"}), 400);
        let endpoint = "PUT /v1/billing/gateway";
        let writes = ["billing.gateway_changed"];
        let body = json!({"gateway": gateway});
        self.step(step(owner, endpoint, body, Some(refused), &writes))
            .await;
    }

    async fn check_out(&mut self, owner: &User) -> Response {
        let refused = Refused::Path("/v1/billing/checkout?return_url=/".to_owned(), 400);
        let endpoint = "POST /v1/billing/checkout";
        let writes = ["billing.checkout_started"];
        let step = step(owner, endpoint, Value::Null, Some(refused), &writes);
        self.step(step).await.0
    }

    /// What a gateway tells is forged, fails, and counts; the service itself does what follows.
    async fn told(&mut self, owner: &User, endpoint: &str, message: &Message, writes: &[&str]) {
        let Self { app, gateways, .. } = self;
        let pool = app.pool();
        app.mails().await;
        let known = database::entries(pool).await;
        let contents = database::contents(pool).await;
        message.forge(gateways, app).await;
        if self.pace == Pace::Thorough && !writes.is_empty() {
            database::fail_commits_with_entries(pool, true).await;
            message.send(gateways, app).await.expect_status(500);
            database::fail_commits_with_entries(pool, false).await;
        }
        app.mails().await;
        assert_eq!(database::contents(pool).await, contents, "{endpoint}");

        let answer = message.send(gateways, app).await;
        assert!(answer.status < 400, "{endpoint}: {}", answer.body);
        let entries = database::entries(pool).await.split_off(known.len());
        let actions: Vec<_> = entries.iter().map(|entry| &entry.action).collect();
        assert_eq!(actions, writes, "{endpoint}");
        for entry in &entries {
            assert_eq!(entry.actor_type, "system", "{endpoint}");
            assert_eq!(entry.org_id, owner.org_id, "{endpoint}");
            assert_eq!(
                entry.resource_id.as_ref(),
                Some(&owner.org_id),
                "{endpoint}"
            );
        }
        self.walked.insert(endpoint.to_owned(), !entries.is_empty());
    }
}

fn step<'a>(
    owner: &'a User,
    endpoint: &'static str,
    body: Value,
    refused: Option<Refused>,
    writes: &'a [&'a str],
) -> Step<'a> {
    let (_, path) = endpoint.split_once(' ').expect("method and path");
    Step {
        endpoint,
        path: path.to_owned(),
        by: Some(owner),
        body,
        status: 200,
        refused,
        writes,
        states: States::Any,
    }
}
