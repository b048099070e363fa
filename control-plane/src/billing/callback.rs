//! The outcome of a checkout through `gateway_form`, which the payer's browser brings.

use super::{
    Billing,
    gateways::form::Callback,
    history::{Period, SubscriptionEvent},
    input::{Ended, ReturnPath},
    model::Gateway,
    money::Amount,
    store::{
        checkouts::{self, Checkout},
        events::Source,
        orgs, subscriptions,
    },
};
use crate::{events::Actor, refusal::Refusal, unit::Unit};

impl Billing {
    /// Takes an outcome; gives the address that the payer goes on to. Whatever is not a genuine payment of a known checkout
    /// changes nothing, and neither does one that was taken before.
    pub async fn take_callback(&self, callback: &Callback) -> Result<String, Refusal> {
        let mut conn = self.db.acquire().await?;
        let checkout = checkouts::find_by_txnid(&mut conn, callback.field("txnid")).await?;
        drop(conn);
        let ended = match &checkout {
            Some(checkout) if self.is_payment(callback, checkout) => {
                self.pay(callback, checkout).await?
            }
            Some(_) | None => Ended::Failed,
        };
        Ok(self.back(ended, checkout.as_ref()))
    }

    /// Where the payer goes on to after a failure. Nothing of it is believed.
    pub async fn take_failure(&self, callback: &Callback) -> Result<String, Refusal> {
        let mut conn = self.db.acquire().await?;
        let checkout = checkouts::find_by_txnid(&mut conn, callback.field("txnid")).await?;
        Ok(self.back(Ended::Failed, checkout.as_ref()))
    }

    fn back(&self, ended: Ended, checkout: Option<&Checkout>) -> String {
        let path = checkout.map_or(ReturnPath::Billing.as_str(), |it| &it.return_path);
        ended.at(&self.urls.dashboard, path)
    }

    fn is_payment(&self, callback: &Callback, checkout: &Checkout) -> bool {
        let amount = Amount::parse(callback.field("amount")).map(Amount::minor);
        let form = self.form.as_ref();
        form.is_some_and(|form| callback.is_genuine(&form.key, &form.salt))
            && callback.field("status") == "success"
            && amount == Some(checkout.amount_minor)
            && callback
                .field("email")
                .eq_ignore_ascii_case(&checkout.email)
    }

    /// Makes the payment count, once.
    async fn pay(&self, callback: &Callback, checkout: &Checkout) -> Result<Ended, Refusal> {
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
        let source = Source {
            gateway: Gateway::Form,
            event_ref: Some(callback.field("txnid")),
            gateway_ref: None,
            subscription_id: None,
        };
        let added = self.ledger.add(&mut change, source, &event).await?;
        added.commit(unit).await?;
        Ok(Ended::Success)
    }
}
