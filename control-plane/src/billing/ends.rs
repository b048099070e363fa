//! What happens to subscriptions by time alone: those that end with their period end, those of single payments become past
//! due, and patience with what is past due runs out.

use std::sync::Arc;

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{
    Billing,
    history::{Kind, SubscriptionEvent},
    model::{Gateway, Status, Subscription},
    store::{events::Source, subscriptions},
};
use crate::{
    config::LifecycleSettings,
    db,
    events::Actor,
    ids::{OrgId, SubscriptionId},
    jobs::{
        Job, RunsOn,
        sweep::{Sweep, sweep},
    },
    refusal::Refusal,
    unit::Unit,
};

impl Billing {
    /// The job that ends what is over.
    pub fn job_of_ends(self: &Arc<Self>, settings: LifecycleSettings) -> Job {
        let grace = settings.past_due_grace;
        Job::new(
            "end_subscriptions",
            settings.interval,
            RunsOn::Leader,
            Arc::clone(self),
            move |billing: Arc<Self>| async move {
                let now = billing.clock.now();
                let due = Due {
                    billing: &billing,
                    now,
                    past_due_until: (!grace.is_zero()).then(|| now - grace),
                };
                sweep(&billing.db, &due).await
            },
        )
        .meanwhile("subscriptions that are over go on")
    }
}

/// Organizations with subscriptions whose time is over.
struct Due<'a> {
    billing: &'a Billing,
    now: OffsetDateTime,
    past_due_until: Option<OffsetDateTime>,
}

impl Sweep for Due<'_> {
    async fn list(&self, conn: &mut PgConnection, after: OrgId) -> db::Result<Vec<OrgId>> {
        subscriptions::list_due_orgs(conn, self.now, self.past_due_until, after).await
    }

    async fn apply(&self, org_id: OrgId) -> Result<(), Refusal> {
        let all = {
            let mut conn = self.billing.db.acquire().await?;
            subscriptions::list(&mut conn, org_id).await?
        };
        for subscription in all {
            if next(&subscription, self.now, self.past_due_until).is_some() {
                self.end(org_id, subscription.id).await?;
            }
        }
        Ok(())
    }
}

impl Due<'_> {
    async fn end(&self, org_id: OrgId, id: SubscriptionId) -> db::Result<()> {
        let Billing {
            db, clock, ledger, ..
        } = self.billing;
        let mut unit = Unit::begin(db, org_id, Actor::System, clock.now()).await?;
        let mut change = unit.lock_org(clock).await?;
        let now = change.now();
        let Some(subscription) = subscriptions::find(&mut change, org_id, id).await? else {
            return Ok(());
        };
        let Some(kind) = next(&subscription, now, self.past_due_until) else {
            return Ok(());
        };
        let source = Source::here(&subscription);
        let event = SubscriptionEvent::new(kind, now);
        let added = ledger.add(&mut change, source, &event).await?;
        // Nobody shall go on paying there for what they no longer have here.
        let was_past_due = subscription.state.status == Status::PastDue;
        if was_past_due && subscription.gateway_ref.is_some() {
            subscriptions::update_settle_at(&mut change, org_id, id, Some(now)).await?;
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
