//! Canceling a subscription at the gateway, at once or with its period, and the gateway's own pages for payers.
//!
//! The gateway is called without a transaction. Before the call a row says that the outcome is open; after it the outcome is
//! stored and the row says so. Whoever dies in between, or never hears the answer, leaves it to [`super::settle`] to ask.

use super::{
    Billing,
    checkout::idempotency_key,
    history::{Kind, SubscriptionEvent},
    input::Cancellation,
    model::Subscription,
    store::{events::Source, questions, subscriptions},
};
use crate::members::caller::Caller;
use base::{
    config::Page,
    input::Invalid,
    refusal::{Missing, Refusal},
};

impl Billing {
    /// The subscriptions that a member may cancel or manage, the one that counts first: not over, and of the gateway that can do
    /// it.
    pub async fn manageable(
        &self,
        caller: &Caller,
        refusal: &'static str,
    ) -> Result<Vec<Subscription>, Refusal> {
        let mut conn = self.db.acquire().await?;
        let mut live = subscriptions::list(&mut conn, caller.org_id).await?;
        live.retain(|it| it.state.status.is_live());
        let current = live.first().ok_or(Missing::Subscription)?;
        let is_managed = current.can_manage();
        live.retain(Subscription::can_manage);
        // What renews beside the one that is shown can be stopped too.
        if is_managed || live.iter().any(|it| !it.state.cancel_at_period_end) {
            Ok(live)
        } else {
            Err(Invalid::new(refusal).into())
        }
    }

    /// Cancels all that the organization has. Canceling again what ends with its period changes nothing.
    pub async fn cancel(
        &self,
        caller: &Caller,
        subscriptions: &[Subscription],
        cancellation: Cancellation,
    ) -> Result<(), Refusal> {
        if subscriptions.iter().any(|it| it.gateway_ref.is_none()) {
            return Err(Refusal::conflict(
                "the payment gateway has not told which subscription this is; it ends with its period",
            ));
        }
        for subscription in subscriptions {
            self.cancel_one(caller, subscription, cancellation).await?;
        }
        Ok(())
    }

    async fn cancel_one(
        &self,
        caller: &Caller,
        subscription: &Subscription,
        cancellation: Cancellation,
    ) -> Result<(), Refusal> {
        let org_id = caller.org_id;
        let ends = subscription.state.cancel_at_period_end;
        if ends && cancellation == Cancellation::AtPeriodEnd {
            return Ok(());
        }
        if let Some(gateway_ref) = &subscription.gateway_ref {
            let gateway = self.redirect()?;
            let _call = self.calls.try_enter(org_id)?;
            let open_until = self.clock.now() + self.outcome_known_after;
            let mut conn = self.db.acquire().await?;
            questions::update_settle_at(&mut conn, org_id, subscription.id, Some(open_until))
                .await?;
            drop(conn);
            match cancellation {
                Cancellation::AtPeriodEnd => {
                    gateway
                        .cancel_at_period_end(gateway_ref, idempotency_key())
                        .await?;
                }
                Cancellation::Now => gateway.cancel(gateway_ref).await?,
            }
        }

        let mut unit = self.begin(caller).await?;
        let mut change = unit.lock_org(&self.clock).await?;
        let now = change.now();
        let event = match cancellation {
            Cancellation::AtPeriodEnd => SubscriptionEvent {
                cancel_at_period_end: Some(true),
                ..SubscriptionEvent::new(Kind::Ending, now)
            },
            Cancellation::Now => SubscriptionEvent::new(Kind::Canceled, now),
        };
        let source = Source::here(subscription);
        let added = self.ledger.add(&mut change, source, &event).await?;
        questions::update_settle_at(&mut change, org_id, subscription.id, None).await?;
        added.commit(unit).await?;
        Ok(())
    }

    /// Opens the portal for the payer of the subscription; returns its address.
    pub async fn open_portal(
        &self,
        caller: &Caller,
        subscriptions: &[Subscription],
    ) -> Result<String, Refusal> {
        let gateway = self.redirect()?;
        let mut customers = subscriptions
            .iter()
            .filter_map(|it| it.state.customer_ref.as_deref());
        let customer = customers.next().ok_or_else(|| {
            Refusal::conflict(
                "the payment gateway has not told yet who pays, please try again later",
            )
        })?;
        let _call = self.calls.try_enter(caller.org_id)?;
        let return_url = self.urls.page(Page::Billing);
        Ok(gateway
            .open_portal(customer, return_url, idempotency_key())
            .await?)
    }
}
