//! What happens to subscriptions by time alone: those that end with their period end, those of single payments become past
//! due, and patience with what is past due runs out.

use std::{sync::Arc, time::Duration};

use serving::error::chain;
use time::OffsetDateTime;
use tokio::time::timeout;

use super::{
    Billing,
    history::{Kind, SubscriptionEvent},
    model::{Gateway, Status, Subscription},
    store::{
        events::Source,
        subscriptions::{self, Due},
    },
};
use crate::{
    config::LifecycleSettings,
    db,
    events::Actor,
    jobs::{Failure, Job, RunsOn},
    unit::Unit,
};

/// Subscriptions that are read at once.
const BATCH: i64 = 100;
/// How long one of them may take. It is tried again by the next run.
const PATIENCE: Duration = Duration::from_secs(10);

struct Ends {
    billing: Billing,
    settings: LifecycleSettings,
}

impl Billing {
    /// The job that ends what is over.
    pub fn job_of_ends(&self, settings: LifecycleSettings) -> Job {
        let ends = Arc::new(Ends {
            billing: self.clone(),
            settings,
        });
        Job::new(
            "end_subscriptions",
            settings.interval,
            RunsOn::Leader,
            ends,
            Ends::run,
        )
        .meanwhile("subscriptions that are over go on")
    }
}

impl Ends {
    async fn run(self: Arc<Self>) -> Result<(), Failure> {
        let Self { billing, settings } = &*self;
        let now = billing.clock.now();
        let grace = settings.past_due_grace;
        let past_due_until = (!grace.is_zero()).then(|| now - grace);
        let mut after = None;
        let mut failed = None;
        loop {
            let mut conn = billing.db.acquire().await?;
            let due = subscriptions::list_due(&mut conn, now, past_due_until, after, BATCH).await?;
            drop(conn);
            let Some(last) = due.last() else {
                return failed.map_or(Ok(()), Err);
            };
            after = Some(last.id);
            for due in due {
                // One that fails does not hold up the others.
                let ended = timeout(PATIENCE, self.end(due, past_due_until)).await;
                if let Err(error) = ended.map_err(Failure::from).and_then(|it| Ok(it?)) {
                    let told = chain(&*error);
                    tracing::error!(subscription.id = %due.id, error = told, "a subscription did not end");
                    failed = Some(error);
                }
            }
        }
    }

    async fn end(&self, due: Due, past_due_until: Option<OffsetDateTime>) -> db::Result<()> {
        let Billing {
            db, clock, ledger, ..
        } = &self.billing;
        let mut unit = Unit::begin(db, due.org_id, Actor::System, clock.now()).await?;
        let mut change = unit.lock_org(clock).await?;
        let now = change.now();
        let Some(subscription) = subscriptions::find(&mut change, due.org_id, due.id).await? else {
            return Ok(());
        };
        let Some(kind) = next(&subscription, now, past_due_until) else {
            return Ok(());
        };
        let source = Source::here(&subscription);
        let event = SubscriptionEvent::new(kind, now);
        let added = ledger.add(&mut change, source, &event).await?;
        // Nobody shall go on paying there for what they no longer have here.
        let was_past_due = subscription.state.status == Status::PastDue;
        if was_past_due && subscription.gateway_ref.is_some() {
            let id = subscription.id;
            subscriptions::update_settle_at(&mut change, due.org_id, id, Some(now)).await?;
        }
        added.commit(unit).await?;
        let outcome = match kind {
            Kind::Lapsed => "past_due",
            _ => "canceled",
        };
        metrics::counter!("halyard_subscriptions_ended_total", "to" => outcome).increment(1);
        Ok(())
    }
}

/// What time does to it; `None` when nothing is due.
fn next(
    subscription: &Subscription,
    now: OffsetDateTime,
    past_due_until: Option<OffsetDateTime>,
) -> Option<Kind> {
    let Subscription { state, gateway, .. } = subscription;
    match state.status {
        Status::Active => {
            let is_over = state.period_end.is_some_and(|end| end <= now);
            match gateway {
                _ if !is_over => None,
                _ if state.cancel_at_period_end => Some(Kind::Canceled),
                Gateway::Form => Some(Kind::Lapsed),
                // It renews by itself, and tells.
                Gateway::Redirect => None,
            }
        }
        Status::PastDue => {
            let is_over = state.past_due_since? <= past_due_until?;
            is_over.then_some(Kind::Canceled)
        }
        Status::Canceled => None,
    }
}
