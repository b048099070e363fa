//! Beginning a checkout.

use serde::Serialize;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

use super::{
    Billing,
    gateways::{
        form::{self, Request},
        redirect::client::{NewSession, RedirectGateway},
    },
    input::{Ended, ReturnPath},
    model::Gateway,
    money::Amount,
    pricing::PRODUCT,
    store::{checkouts, orgs, subscriptions},
};
use crate::{
    accounts::{model::User, store::users},
    events::{Action, Event, Subject},
    members::caller::Caller,
    orgs::{self as organizations, model::Plan},
    unit::{OrgChange, Recorded, Unit},
};
use base::{
    ids::{CheckoutId, OrgId},
    refusal::Refusal,
};

/// Checkouts that an organization may begin within an hour.
const MAX_BEGUN: i64 = 60;

/// Gateways tell of a payment within seconds; this much later they are asked.
const ASK_AFTER: Duration = Duration::minutes(15);

/// Where payers go to pay.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Checkout {
    /// To a page of the gateway.
    Redirect(RedirectCheckout),
    /// To the gateway, with a form.
    Form(Box<FormCheckout>),
}

/// A page that the payer is redirected to.
#[derive(Debug, Serialize, ToSchema)]
pub struct RedirectCheckout {
    gateway: Gateway,
    redirect_url: String,
}

/// A form of all these fields but the first two, which the payer's browser posts to the gateway.
#[derive(Debug, Serialize, ToSchema)]
pub struct FormCheckout {
    gateway: Gateway,
    gateway_form_url: String,
    key: String,
    txnid: String,
    /// SHA-512 over the fields, which the gateway checks.
    hash: String,
    /// Decimal.
    amount: String,
    productinfo: String,
    firstname: String,
    email: String,
    phone: String,
    /// Where the gateway posts the outcome.
    surl: String,
    /// Where it posts a failure.
    furl: String,
}

impl Billing {
    /// Begins a checkout of Pro through the organization's gateway.
    pub async fn check_out(
        &self,
        caller: &Caller,
        return_path: ReturnPath,
    ) -> Result<Checkout, Refusal> {
        let (org_id, now) = (caller.org_id, self.clock.now());
        let mut conn = self.db.acquire().await?;
        let gateway = orgs::get_gateway(&mut conn, org_id).await?;
        may_check_out(&mut conn, org_id, now).await?;
        let user = users::get(&mut conn, caller.user_id).await?;
        drop(conn);
        match gateway {
            Gateway::Form => self.check_out_by_form(caller, &user, return_path).await,
            Gateway::Redirect => self.check_out_by_redirect(caller, &user, return_path).await,
        }
    }

    async fn check_out_by_form(
        &self,
        caller: &Caller,
        user: &User,
        return_path: ReturnPath,
    ) -> Result<Checkout, Refusal> {
        let settings = self.form()?;
        let mut unit = self.begin(caller).await?;
        if orgs::find_purge(&mut unit, caller.org_id).await? != Some(false) {
            return Err(Refusal::INVALID_TOKEN);
        }
        let mut change = unit.lock_org(&self.clock).await?;
        let now = change.now();
        let mut checkout = new(&change, user, Gateway::Form, self.price.pro, return_path);
        may_check_out(&mut change, caller.org_id, now).await?;
        // Another organization whose id begins in the same way may begin one in the same millisecond.
        let settle_at = self.form_api.as_ref().map(|_| now + ASK_AFTER);
        let mut unix_ms = now.unix_timestamp() * 1_000 + i64::from(now.millisecond());
        let txnid = loop {
            let txnid = form::txnid(&caller.org_id.to_string(), unix_ms);
            checkout.txnid = Some(txnid.clone());
            if checkouts::insert(&mut change, &checkout, settle_at).await? {
                break txnid;
            }
            unix_ms += 1;
        };
        let started = started(&mut change, Gateway::Form).await?;
        let () = unit.commit(started).await?.made;

        let (amount, firstname) = (self.price.pro.to_string(), form::firstname(&user.name));
        let request = Request {
            txnid: &txnid,
            amount: &amount,
            productinfo: PRODUCT,
            firstname: &firstname,
            email: &user.email,
        };
        let hash = request.hash(&settings.key, &settings.salt);
        let callback = |name| format!("{}/v1/billing/gateway_form/{name}", self.urls.api);
        Ok(Checkout::Form(Box::new(FormCheckout {
            gateway: Gateway::Form,
            gateway_form_url: settings.url.clone(),
            key: settings.key.clone(),
            txnid,
            hash,
            amount,
            productinfo: PRODUCT.to_owned(),
            firstname,
            email: user.email.clone(),
            phone: settings.phone.clone(),
            surl: callback("callback"),
            furl: callback("failure"),
        })))
    }

    async fn check_out_by_redirect(
        &self,
        caller: &Caller,
        user: &User,
        return_path: ReturnPath,
    ) -> Result<Checkout, Refusal> {
        let gateway = self.redirect()?;
        let org_id = caller.org_id;
        let _call = self.calls.try_enter(org_id)?;
        let before = checkouts::list_open(&mut *self.db.acquire().await?, org_id).await?;
        self.end_checkouts(gateway, &before).await?;
        may_buy(&mut *self.db.acquire().await?, org_id, self.clock.now()).await?;
        let session = {
            let [success_url, cancel_url] =
                [Ended::Success, Ended::Failed].map(|ended| ended.at(&self.urls, return_path));
            let session = NewSession {
                org_id,
                email: &user.email,
                success_url: &success_url,
                cancel_url: &cancel_url,
                idempotency_key: idempotency_key(),
            };
            gateway.open_session(session).await?
        };

        let mut unit = self.begin(caller).await?;
        if orgs::find_purge(&mut unit, org_id).await? != Some(false) {
            drop(unit);
            gateway
                .expire_session(&session.id, idempotency_key())
                .await?;
            return Err(Refusal::INVALID_TOKEN);
        }
        let mut change = unit.lock_org(&self.clock).await?;
        let now = change.now();
        let mut checkout = new(
            &change,
            user,
            Gateway::Redirect,
            self.price.pro,
            return_path,
        );
        checkout.session_ref = Some(session.id);
        let meanwhile = checkouts::list_open(&mut change, org_id).await?;
        checkouts::insert(&mut change, &checkout, Some(now + ASK_AFTER)).await?;
        let started = started(&mut change, Gateway::Redirect).await?;
        let () = unit.commit(started).await?.made;
        self.end_checkouts(gateway, &meanwhile).await?;
        may_buy(&mut *self.db.acquire().await?, org_id, self.clock.now()).await?;
        Ok(Checkout::Redirect(RedirectCheckout {
            gateway: Gateway::Redirect,
            redirect_url: session.url,
        }))
    }

    /// Has nobody pay for checkouts that were begun before: two that are paid for would both renew. What turns out to be paid for
    /// counts.
    pub(super) async fn end_checkouts(
        &self,
        gateway: &RedirectGateway,
        open: &[checkouts::Unsettled],
    ) -> Result<(), Refusal> {
        for open in open {
            let key = idempotency_key();
            if gateway.expire_session(&open.reference, key).await? {
                self.ask_again(open, None).await?;
            } else if self.ask_about_checkout(gateway, open).await? {
                tracing::warn!(checkout.id = %open.id, "the payment gateway refuses to end a checkout");
                return Err(Refusal::Upstream("payment gateway failed".into()));
            }
        }
        Ok(())
    }

    pub(super) async fn begin(&self, caller: &Caller) -> Result<Unit, Refusal> {
        let now = self.clock.now();
        Ok(Unit::begin(&self.db, caller.org_id, caller.actor(), now).await?)
    }
}

/// Refuses to sell what the organization has already, and to begin ever more checkouts.
async fn may_check_out(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> Result<(), Refusal> {
    may_buy(conn, org_id, now).await?;
    if checkouts::count_since(conn, org_id, now - Duration::HOUR, MAX_BEGUN).await? >= MAX_BEGUN {
        let words = "too many checkouts, please try again later";
        return Err(Refusal::until(now + Duration::HOUR, now, words));
    }
    Ok(())
}

/// Refuses to sell what the organization has already.
async fn may_buy(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> Result<(), Refusal> {
    let plan = organizations::store::current_plan(conn, org_id, now).await?;
    if plan == Plan::Enterprise {
        return Err(Refusal::conflict(
            "the enterprise plan is not changed by a checkout",
        ));
    }
    let current = subscriptions::find_current(conn, org_id).await?;
    if current.is_some_and(|current| current.goes_on()) {
        return Err(Refusal::conflict("subscription is already active"));
    }
    Ok(())
}

fn new(
    change: &OrgChange<'_>,
    user: &User,
    gateway: Gateway,
    amount: Amount,
    return_path: ReturnPath,
) -> checkouts::Checkout {
    let now = change.now();
    checkouts::Checkout {
        id: CheckoutId::new(now),
        org_id: change.org_id(),
        user_id: user.id,
        gateway,
        txnid: None,
        session_ref: None,
        amount_minor: amount.minor(),
        email: user.email.clone(),
        return_path: return_path.page().path().to_owned(),
        created_at: now,
        completed_at: None,
    }
}

async fn started(change: &mut OrgChange<'_>, gateway: Gateway) -> Result<Recorded<()>, Refusal> {
    let event = Event::new(
        Action::BillingCheckoutStarted,
        Subject::Org(change.org_id()),
    );
    let event = event.with(serde_json::json!({"gateway": gateway}));
    Ok(change.record(event, ()).await?)
}

/// A key that no other call has.
pub(super) fn idempotency_key() -> String {
    format!("halyard-{}", hex::encode(rand::random::<[u8; 16]>()))
}
