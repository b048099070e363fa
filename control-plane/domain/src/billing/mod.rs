//! Paid plans: prices, checkouts, and subscriptions through two payment gateways.
//!
//! Like accounts, billing begins transactions of its own: it calls gateways in between, and never while it holds a lock or a
//! connection. Work left open when a gateway does not answer is settled by a job (`settle.rs`).

mod callback;
mod cancel;
mod checkout;
mod departure;
mod ends;
pub mod gateways;
pub mod history;
pub mod input;
mod ledger;
pub mod model;
pub mod money;
pub mod pricing;
pub mod settings;
mod settle;
mod step;
pub mod store;
mod verdict;
mod webhook;

use std::sync::Arc;

use secrecy::SecretString;
use serving::clock::Clock;
use time::{Duration, OffsetDateTime};

use self::{
    gateways::{form_api::FormApi, redirect::client::RedirectGateway},
    ledger::Ledger,
    pricing::{Price, Pricing},
    settings::{BillingSettings, FormGatewaySettings},
};
use crate::{
    events::{Action, Event, Subject},
    unit::{OrgChange, Recorded},
};
use base::{
    config::UrlSettings,
    db::{self, Db},
    limits::{self, Limiter},
    mail::Mailer,
    outbound::{ATTEMPTS, Client},
    refusal::Refusal,
};

pub use self::{checkout::Checkout, departure::allow_deletion, webhook::Received};

/// How long unpaid checkouts and unassigned events are kept: banks may take weeks.
const KEPT: Duration = Duration::days(30);

pub struct Billing {
    db: Db,
    clock: Clock,
    ledger: Ledger,
    urls: UrlSettings,
    form: Option<FormGatewaySettings>,
    form_api: Option<FormApi>,
    redirect: Option<Arc<RedirectGateway>>,
    price: Price,
    calls: Limiter,
    /// Exceeds the duration of all attempts of a call.
    outcome_known_after: std::time::Duration,
}

impl Billing {
    /// Reads the system's certificates if a gateway is configured.
    pub fn new(
        db: Db,
        clock: Clock,
        mailer: Mailer,
        settings: &BillingSettings,
        urls: &UrlSettings,
    ) -> Self {
        let BillingSettings {
            form,
            redirect,
            price,
            timeout,
        } = settings.clone();
        let redirect = redirect.map(|redirect| {
            let client = Client::new(
                "gateway_redirect",
                &redirect.api_url,
                Some(redirect.secret_key.clone()),
                timeout,
            );
            Arc::new(RedirectGateway::new(client, redirect))
        });
        let form_api = form.as_ref().and_then(|form| {
            let client = Client::new("gateway_form", form.api_url.as_ref()?, None, timeout);
            Some(FormApi::new(client, form.key.clone(), form.salt.clone()))
        });
        Self {
            db,
            clock,
            ledger: Ledger {
                mailer,
                urls: urls.clone(),
            },
            urls: urls.clone(),
            form,
            form_api,
            redirect,
            price,
            calls: Limiter::new(limits::GATEWAY_CALLS),
            outcome_known_after: timeout * ATTEMPTS + std::time::Duration::from_secs(30),
        }
    }

    pub fn pricing(&self) -> Pricing {
        Pricing::at(&self.price)
    }

    fn form(&self) -> Result<&FormGatewaySettings, Refusal> {
        self.form.as_ref().ok_or(NOT_CONFIGURED)
    }

    pub fn webhook_secret(&self) -> Result<&SecretString, Refusal> {
        Ok(&self.redirect()?.settings().webhook_secret)
    }

    fn redirect(&self) -> Result<&Arc<RedirectGateway>, Refusal> {
        self.redirect.as_ref().ok_or(NOT_CONFIGURED)
    }
}

const NOT_CONFIGURED: Refusal = Refusal::Unavailable {
    words: "payment gateway is not configured",
    retry_after: None,
};

/// Chooses the gateway of the next checkout. A running subscription keeps its own. Records nothing if it is the chosen one.
pub async fn choose_gateway(
    change: &mut OrgChange<'_>,
    gateway: model::Gateway,
) -> db::Result<Recorded<model::Gateway>> {
    let (org_id, now) = (change.org_id(), change.now());
    let before = store::orgs::get_gateway(change, org_id).await?;
    if before == gateway {
        return Ok(change.unchanged(gateway));
    }
    store::orgs::update_gateway(change, org_id, gateway, now).await?;
    let [before, after] = [before, gateway].map(|gateway| serde_json::json!({"gateway": gateway}));
    let subject = Subject::Org(org_id);
    let event = Event::updated(Action::BillingGatewayChanged, subject, &before, &after);
    change.record(event, gateway).await
}

/// Deletes unpaid checkouts and unassigned events.
pub async fn forget(db: &Db, now: OffsetDateTime) -> db::Result<()> {
    let mut conn = db.acquire().await?;
    let asked_until = now - Duration::days(90);
    store::checkouts::delete_unpaid(&mut conn, now - KEPT, asked_until).await?;
    store::events::delete_unplaced(&mut conn, now - KEPT).await
}
