//! The outcome of a checkout through `gateway_form`: delivered by the payer's browser or the gateway, or queried from the
//! gateway.

use super::{
    Billing, NOT_CONFIGURED,
    gateways::form::Callback,
    history::{Kind, Period, SubscriptionEvent},
    input::{Ended, ReturnPath},
    model::Gateway,
    money::Amount,
    store::{
        checkouts::{self, Checkout, Unsettled},
        events::{self, Source},
        orgs, subscriptions,
    },
};
use crate::{
    events::Actor,
    members::store::{Contacts, list_contacts},
    orgs::store as organizations,
    unit::Unit,
};
use base::{config::Page, db, mail::Template, refusal::Refusal};

struct Outcome<'a> {
    txnid: &'a str,
    reference: &'a str,
    status: &'a str,
    amount: &'a str,
}

impl Outcome<'_> {
    fn is_paid(&self) -> bool {
        self.status == "success"
    }

    fn pays_for(&self, checkout: &Checkout) -> bool {
        let amount = Amount::parse(self.amount).map(Amount::minor);
        self.is_paid() && amount == Some(checkout.amount_minor)
    }
}

impl Billing {
    pub fn is_genuine(&self, callback: &Callback) -> bool {
        let form = self.form.as_ref();
        form.is_some_and(|form| callback.is_genuine(&form.key, &form.salt))
    }

    /// Handles an outcome; returns the address to redirect the payer to. A forged or repeated one changes nothing. A genuine
    /// one that is no payment of a known checkout is stored.
    pub async fn take_callback(&self, callback: &Callback) -> Result<String, Refusal> {
        let checkout =
            checkouts::find_by_txnid(&mut *self.db.acquire().await?, callback.field("txnid"))
                .await?;
        let ended = if self.is_genuine(callback) {
            self.take_outcome(callback, checkout.as_ref()).await?
        } else {
            Ended::Failed
        };
        Ok(self.back(ended, checkout.as_ref()))
    }

    async fn take_outcome(
        &self,
        callback: &Callback,
        checkout: Option<&Checkout>,
    ) -> Result<Ended, Refusal> {
        let outcome = Outcome {
            txnid: callback.field("txnid"),
            reference: callback.field("mihpayid"),
            status: callback.field("status"),
            amount: callback.field("amount"),
        };
        let email = callback.field("email");
        if let Some(checkout) = checkout
            && outcome.pays_for(checkout)
            && email.eq_ignore_ascii_case(&checkout.email)
        {
            return self.pay(checkout).await;
        }
        self.keep_outcome(&outcome, checkout).await?;
        Ok(Ended::Failed)
    }

    /// Queries the gateway for the outcome of a checkout. Returns whether it can still be paid.
    pub(super) async fn ask_about_payment(&self, open: &Unsettled) -> Result<bool, Refusal> {
        let api = self.form_api.as_ref().ok_or(NOT_CONFIGURED)?;
        let Some(payment) = api.payment(&open.reference).await? else {
            return Ok(true);
        };
        let checkout =
            checkouts::find_by_txnid(&mut *self.db.acquire().await?, &open.reference).await?;
        let Some(checkout) = checkout else {
            return Ok(false);
        };
        let outcome = Outcome {
            txnid: &open.reference,
            reference: &payment.reference,
            status: "success",
            amount: &payment.amount,
        };
        if outcome.pays_for(&checkout) {
            self.pay(&checkout).await?;
            return Ok(false);
        }
        self.keep_outcome(&outcome, Some(&checkout)).await?;
        Ok(true)
    }

    /// Stores an outcome without effect, once. A payment is also logged as an error and mailed to owners and admins: it is
    /// credited by a later query, or must be refunded.
    async fn keep_outcome(
        &self,
        outcome: &Outcome<'_>,
        checkout: Option<&Checkout>,
    ) -> db::Result<()> {
        let now = self.clock.now();
        let event_ref = format!("{} {} {}", outcome.txnid, outcome.status, outcome.reference);
        // The payment id is whatever the gateway sends.
        let event_ref: String = event_ref.chars().take(200).collect();
        let source = Source::of_form(Some(&event_ref));
        let mut tx = self.db.begin().await?;
        let event = SubscriptionEvent::new(Kind::Unpaid, now);
        let is_new = events::insert(&mut tx, source, None, &event).await?;
        if is_new && outcome.is_paid() {
            let (txnid, payment, amount) = (outcome.txnid, outcome.reference, outcome.amount);
            tracing::error!(txnid, payment, amount, "a payment could not be credited");
            if let Some(checkout) = checkout {
                let org_id = checkout.org_id;
                if self.form_api.is_some() && checkout.completed_at.is_none() {
                    checkouts::update_settle_at(&mut tx, org_id, checkout.id, Some(now)).await?;
                }
                let organization = organizations::get(&mut tx, org_id).await?.name;
                let template = Template::PaymentNotCredited {
                    organization: &organization,
                    reference: txnid,
                    link: &self.urls.page(Page::Billing),
                };
                let to = list_contacts(&mut tx, org_id, Contacts::Claimed).await?;
                let mailer = &self.ledger.mailer;
                mailer.enqueue_for_all(&mut tx, &to, &template, now).await?;
            }
        }
        tx.commit().await
    }

    /// Returns where to redirect the payer after a failure. The callback itself is not trusted.
    pub async fn take_failure(&self, callback: &Callback) -> Result<String, Refusal> {
        let mut conn = self.db.acquire().await?;
        let checkout = checkouts::find_by_txnid(&mut conn, callback.field("txnid")).await?;
        Ok(self.back(Ended::Failed, checkout.as_ref()))
    }

    fn back(&self, ended: Ended, checkout: Option<&Checkout>) -> String {
        let path = checkout.map(|it| it.return_path.as_str());
        ended.at(&self.urls, ReturnPath::of_stored(path))
    }

    /// Credits the payment, once.
    async fn pay(&self, checkout: &Checkout) -> Result<Ended, Refusal> {
        let now = self.clock.now();
        let mut unit = Unit::begin(&self.db, checkout.org_id, Actor::System, now).await?;
        if orgs::find_purge(&mut unit, checkout.org_id).await? != Some(false) {
            let checkout = checkout.id;
            tracing::error!(checkout.id = %checkout, "a payment for an organization that is being deleted");
            return Ok(Ended::Failed);
        }
        let mut change = unit.lock_org(&self.clock).await?;
        let now = change.now();
        if !checkouts::complete(&mut change, checkout.org_id, checkout.id, now).await? {
            return Ok(Ended::Success);
        }
        let all = subscriptions::list(&mut change, checkout.org_id).await?;
        let running = all.iter().find(|it| it.gateway == Gateway::Form);
        let period = running.map_or_else(Period::default, |it| it.state.extended(now));
        let event = SubscriptionEvent::activated(now, period, None, now);
        let source = Source::of_form(checkout.txnid.as_deref());
        let added = self.ledger.add(&mut change, source, &event).await?;
        added.commit(unit).await?;
        Ok(Ended::Success)
    }
}
