//! Asks the gateway about what was left open: cancellations whose answer was never heard, payments and renewals that it did
//! not tell of, and subscriptions that ended here and go on there.

use std::sync::Arc;

use serving::error::chain;
use time::{Duration, OffsetDateTime};

use super::{
    Billing,
    gateways::redirect::client::{GatewayError, Outcome, RedirectGateway},
    history::{Kind, SubscriptionEvent},
    ledger::Added,
    model::{Status, Subscription},
    store::{checkouts, events::Source, subscriptions},
};
use crate::{
    db,
    events::Actor,
    jobs::{Failure, Job, RunsOn},
    refusal::Refusal,
    unit::Unit,
};

/// Asked about in one run at most, of each kind: a gateway that is slow costs time.
const BATCH: i64 = 20;
/// A renewal that is not told this long after the end of the period is asked about.
const RENEWED_WITHIN: Duration = Duration::HOUR;
/// Pause after a first answer that settled nothing; it doubles, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::MINUTE;
const LONGEST_PAUSE: Duration = Duration::DAY;
/// The gateway gives up a checkout that nobody paid for after a day.
const OPEN_FOR: Duration = Duration::hours(25);

/// Why something stays open.
#[derive(Debug, thiserror::Error)]
enum SettleError {
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Database(#[from] db::Error),
}

impl Billing {
    /// The job that settles; `None` where there is no gateway to ask.
    pub fn job_of_settling(self: &Arc<Self>, interval: std::time::Duration) -> Option<Job> {
        let gateway = Arc::clone(self.redirect.as_ref()?);
        let job = Job::new(
            "settle_payments",
            interval,
            RunsOn::Leader,
            (Arc::clone(self), gateway),
            async |(billing, gateway)| billing.settle(&gateway).await,
        );
        Some(job.meanwhile("what the payment gateway left open stays so"))
    }

    async fn settle(&self, gateway: &RedirectGateway) -> Result<(), Failure> {
        let now = self.clock.now();
        let mut failed: Option<Failure> = None;
        let open = {
            let mut conn = self.db.acquire().await?;
            subscriptions::list_unsettled(&mut conn, now, now - RENEWED_WITHIN, BATCH).await?
        };
        for open in open {
            if let Err(error) = self.settle_subscription(gateway, &open).await {
                let told = chain(&error);
                tracing::warn!(subscription.id = %open.id, error = told, "a subscription stays open");
                failed = Some(error.into());
            }
        }
        let open = {
            let mut conn = self.db.acquire().await?;
            checkouts::list_unsettled(&mut conn, now, BATCH).await?
        };
        for open in open {
            if let Err(error) = self.settle_checkout(gateway, &open).await {
                let told = chain(&error);
                tracing::warn!(checkout.id = %open.id, error = told, "a checkout stays open");
                failed = Some(error.into());
            }
        }
        failed.map_or(Ok(()), Err)
    }

    async fn settle_subscription(
        &self,
        gateway: &RedirectGateway,
        open: &subscriptions::Unsettled,
    ) -> Result<(), SettleError> {
        let asked = self.clock.now() + pause(open.settle_attempts);
        {
            // First of all: whatever happens, it is not asked about again at once.
            let mut conn = self.db.acquire().await?;
            let (org_id, id) = (open.org_id, open.id);
            subscriptions::update_settle_at(&mut conn, org_id, id, Some(asked)).await?;
        }
        if open.status == Status::Canceled {
            gateway.cancel(&open.gateway_ref).await?;
            let mut conn = self.db.acquire().await?;
            subscriptions::settle(&mut conn, open.org_id, open.id, asked).await?;
            return Ok(());
        }
        let Some(known) = self.find(open).await? else {
            return Ok(());
        };
        let now = self.clock.now();
        let told = gateway.subscription(&open.gateway_ref, now).await?;
        // The gateway does not know it any more.
        let gone = || SubscriptionEvent::new(Kind::Canceled, now);
        let event = told.map_or_else(gone, |told| told.event);
        self.learn(&known, &event, asked).await
    }

    async fn find(&self, open: &subscriptions::Unsettled) -> db::Result<Option<Subscription>> {
        let mut conn = self.db.acquire().await?;
        subscriptions::find(&mut conn, open.org_id, open.id).await
    }

    /// Takes what the gateway said, unless something happened while it was asked: then it is asked again.
    async fn learn(
        &self,
        known: &Subscription,
        event: &SubscriptionEvent,
        asked: OffsetDateTime,
    ) -> Result<(), SettleError> {
        let (org_id, id) = (known.org_id, known.id);
        let mut unit = Unit::begin(&self.db, org_id, Actor::System, self.clock.now()).await?;
        let mut change = unit.lock_org(&self.clock).await?;
        if subscriptions::find(&mut change, org_id, id).await?.as_ref() != Some(known) {
            return Ok(());
        }
        // What is known already is not kept: it may be asked every day.
        let added = if is_news(event, known) {
            let source = Source::here(known);
            self.ledger.add(&mut change, source, event).await?
        } else {
            Added::Known
        };
        let renewed_by = change.now() - RENEWED_WITHIN;
        if event.period_end.is_none_or(|end| end > renewed_by) {
            subscriptions::settle(&mut change, org_id, id, asked).await?;
        }
        Ok(added.commit(unit).await?)
    }

    async fn settle_checkout(
        &self,
        gateway: &RedirectGateway,
        open: &checkouts::Unsettled,
    ) -> Result<(), SettleError> {
        let now = self.clock.now();
        let next = now + pause(open.settle_attempts);
        let next = (next < open.created_at + OPEN_FOR).then_some(next);
        {
            let mut conn = self.db.acquire().await?;
            checkouts::update_settle_at(&mut conn, open.org_id, open.id, next).await?;
        }
        match gateway.session(&open.session_ref, now).await? {
            Outcome::Open => {}
            Outcome::Over => {
                let mut conn = self.db.acquire().await?;
                checkouts::update_settle_at(&mut conn, open.org_id, open.id, None).await?;
            }
            Outcome::Completed(mut told) => {
                // The checkout is ours, whatever the gateway says of it.
                told.org_id = Some(open.org_id);
                self.take(&open.session_ref, &told).await?;
            }
        }
        Ok(())
    }
}

fn is_news(event: &SubscriptionEvent, known: &Subscription) -> bool {
    let Subscription { state, .. } = known;
    let ending = event.cancel_at_period_end;
    event.status != Some(state.status)
        || ending.is_some_and(|told| told != state.cancel_at_period_end)
        || event.period_end.is_some() && event.period_end != state.period_end
        || event.customer_ref.is_some() && event.customer_ref != state.customer_ref
}

fn pause(attempts: i32) -> Duration {
    let doubled: i32 = 1 << attempts.clamp(0, 16);
    (FIRST_PAUSE * doubled).min(LONGEST_PAUSE)
}
