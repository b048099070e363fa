//! Changes of subscriptions by time alone, where no gateway can be queried: cancellation at period end, single payments
//! becoming past due, and the end of the grace period. Where a gateway can be queried it decides (`settle.rs`); only after a
//! month without an answer time decides instead.

use std::sync::Arc;

use sqlx::PgConnection;

use super::{
    Billing,
    history::{Kind, SubscriptionEvent},
    model::{Gateway, Status, Subscription},
    store::{
        events::Source,
        questions,
        subscriptions::{self, Ends},
    },
};
use crate::{events::Actor, lifecycle::settings::LifecycleSettings, unit::Unit};
use base::{
    db,
    ids::{OrgId, SubscriptionId},
    jobs::{
        Job, RunsOn,
        sweep::{Sweep, sweep},
    },
    refusal::Refusal,
};

impl Billing {
    pub fn job_of_ends(self: &Arc<Self>, settings: LifecycleSettings) -> Job {
        let grace = settings.past_due_grace;
        Job::new(
            "end_subscriptions",
            settings.interval,
            RunsOn::Leader,
            Arc::clone(self),
            move |billing: Arc<Self>| async move {
                let now = billing.clock.now();
                let ends = Ends {
                    now,
                    past_due_until: (!grace.is_zero()).then(|| now - grace),
                    // They take about a month. Then a due subscription ends here, and is still queried.
                    unanswered: billing.redirect.is_some().then_some(40),
                };
                let due = Due {
                    billing: &billing,
                    ends,
                };
                sweep(&billing.db, &due).await
            },
        )
        .meanwhile("subscriptions that are over go on")
    }
}

struct Due<'a> {
    billing: &'a Billing,
    ends: Ends,
}

impl Sweep for Due<'_> {
    async fn list(&self, conn: &mut PgConnection, after: OrgId) -> db::Result<Vec<OrgId>> {
        subscriptions::list_due_orgs(conn, self.ends, after).await
    }

    async fn apply(&self, org_id: OrgId) -> Result<(), Refusal> {
        let all = subscriptions::list(&mut *self.billing.db.acquire().await?, org_id).await?;
        for subscription in all {
            if next(&subscription, self.ends).is_some() {
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
        let Some(kind) = next(&subscription, Ends { now, ..self.ends }) else {
            return Ok(());
        };
        if let Some(unanswered) = self.ends.unanswered
            && subscription.gateway_ref.is_some()
        {
            if questions::count_unanswered(&mut change, org_id, id).await? < unanswered {
                return Ok(());
            }
            tracing::error!(subscription.id = %id, "a subscription ends: the payment gateway has not answered for a month");
        }
        let source = Source::here(&subscription);
        let event = SubscriptionEvent::new(kind, now);
        let added = ledger.add(&mut change, source, &event).await?;
        added.commit(unit).await?;
        ended(match kind {
            Kind::Lapsed => "past_due",
            _ => "canceled",
        });
        Ok(())
    }
}

/// Counts a subscription ended by time.
pub(super) fn ended(to: &'static str) {
    metrics::counter!("halyard_subscriptions_ended_total", "to" => to).increment(1);
}

/// The change due by time; `None` when nothing is due.
fn next(subscription: &Subscription, ends: Ends) -> Option<Kind> {
    let Subscription { state, gateway, .. } = subscription;
    let is_over = match state.status {
        Status::Active => state.period_end.is_some_and(|end| end <= ends.now),
        Status::PastDue => state.past_due_since? <= ends.past_due_until?,
        Status::Canceled => false,
    };
    let is_nameless = subscription.gateway_ref.is_none();
    match (state.status, gateway) {
        _ if !is_over => None,
        (Status::Active, Gateway::Form) if !state.cancel_at_period_end => Some(Kind::Lapsed),
        // The gateway renews it.
        (Status::Active, Gateway::Redirect)
            if !is_nameless && !state.cancel_at_period_end && ends.unanswered.is_none() =>
        {
            None
        }
        _ => Some(Kind::Canceled),
    }
}
