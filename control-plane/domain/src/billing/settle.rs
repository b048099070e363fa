//! Queries the gateway about open questions: unanswered cancellations, unreported payments and renewals, past due
//! subscriptions, and those whose time is over. The answers are judged in `verdict.rs`.

use std::sync::Arc;

use serving::error::chain;
use time::{Duration, OffsetDateTime};

use super::{
    Billing, KEPT,
    checkout::idempotency_key,
    ends::ended,
    gateways::redirect::client::{GatewayError, Outcome, RedirectGateway},
    history::{Kind, SubscriptionEvent},
    ledger::Added,
    model::{Gateway, Status, Subscription},
    store::{
        checkouts,
        events::Source,
        questions::{self, AskedAbout, Unsettled},
        subscriptions,
    },
    verdict::{LONGEST_PAUSE, RENEWED_WITHIN, Verdict, judge, next_question, pause},
};
use crate::{events::Actor, lifecycle::settings::LifecycleSettings, unit::Unit};
use base::{
    db,
    jobs::{Failure, Job, RunsOn},
    refusal::Refusal,
};

/// Queries per run and kind: a slow gateway takes time.
const BATCH: i64 = 20;

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
    /// The settling job; `None` if no gateway can be queried.
    pub fn job_of_settling(self: &Arc<Self>, settings: LifecycleSettings) -> Option<Job> {
        if self.redirect.is_none() && self.form_api.is_none() {
            return None;
        }
        let patience = Duration::try_from(settings.past_due_grace).ok();
        let patience = patience.filter(|patience| !patience.is_zero());
        let job = Job::new(
            "settle_payments",
            settings.interval,
            RunsOn::Leader,
            (Arc::clone(self), patience),
            async |(billing, patience)| billing.settle(patience).await,
        );
        Some(job.meanwhile("what payment gateways left open stays so"))
    }

    async fn settle(&self, patience: Option<Duration>) -> Result<(), Failure> {
        let subscriptions = match &self.redirect {
            Some(gateway) => self.settle_subscriptions(gateway, patience).await,
            None => Ok(()),
        };
        // Failures do not hold up the others.
        self.settle_checkouts().await.and(subscriptions)
    }

    async fn settle_subscriptions(
        &self,
        gateway: &RedirectGateway,
        patience: Option<Duration>,
    ) -> Result<(), Failure> {
        let now = self.clock.now();
        let mut failed: Option<Failure> = None;
        let open = {
            let mut conn = self.db.acquire().await?;
            let asked_daily =
                patience.map_or(LONGEST_PAUSE, |patience| patience.min(LONGEST_PAUSE));
            let times = AskedAbout {
                ended_by: now,
                renewed_by: now - RENEWED_WITHIN,
                past_due_since: now - asked_daily,
            };
            questions::list_unsettled(&mut conn, times, BATCH).await?
        };
        for open in open {
            if let Err(error) = self.settle_subscription(gateway, &open, patience).await {
                let reason = chain(&error);
                // So many unanswered queries take days: an operator must investigate.
                if open.settle_attempts < 11 {
                    tracing::warn!(subscription.id = %open.id, error = reason, "a subscription stays open");
                } else {
                    tracing::error!(
                        subscription.id = %open.id,
                        questions = open.settle_attempts + 1,
                        error = reason,
                        "a subscription stays open: the payment gateway has not answered for days"
                    );
                }
                failed = Some(error.into());
            }
        }
        failed.map_or(Ok(()), Err)
    }

    async fn settle_checkouts(&self) -> Result<(), Failure> {
        let mut failed: Option<Failure> = None;
        let redirect = self.redirect.as_ref().map(|_| Gateway::Redirect);
        let form = self.form_api.as_ref().map(|_| Gateway::Form);
        let asked: Vec<_> = redirect.into_iter().chain(form).collect();
        let open = {
            let mut conn = self.db.acquire().await?;
            checkouts::list_unsettled(&mut conn, &asked, self.clock.now(), BATCH).await?
        };
        for open in open {
            if let Err(error) = self.settle_checkout(&open).await {
                let reason = chain(&error);
                tracing::warn!(checkout.id = %open.id, error = reason, "a checkout stays open");
                failed = Some(error.into());
            }
        }
        failed.map_or(Ok(()), Err)
    }

    async fn settle_subscription(
        &self,
        gateway: &RedirectGateway,
        open: &Unsettled,
        patience: Option<Duration>,
    ) -> Result<(), SettleError> {
        let now = self.clock.now();
        let asked = now + pause(open.settle_attempts);
        let all = {
            // First of all: whatever happens, it is not queried again at once.
            let mut conn = self.db.acquire().await?;
            questions::note_asking(&mut conn, open.org_id, open.id, asked).await?;
            subscriptions::list(&mut conn, open.org_id).await?
        };
        let Some(known) = all.iter().find(|it| it.id == open.id) else {
            return Ok(());
        };
        // A subscription unknown to the gateway has ended.
        let gone = || SubscriptionEvent {
            status: Some(Status::Canceled),
            ..SubscriptionEvent::new(Kind::Reported, now)
        };
        let report = gateway.subscription(&open.gateway_ref, now).await?;
        let mut event = report.map_or_else(gone, |report| report.event);
        match judge(known, &event, &all, now, patience) {
            Verdict::AsReported => {}
            Verdict::Over => event.status = Some(Status::Canceled),
            Verdict::Cancel => {
                gateway.cancel(&open.gateway_ref).await?;
                event.status = Some(Status::Canceled);
            }
            Verdict::EndWithPeriod => {
                let key = idempotency_key();
                gateway.cancel_at_period_end(&open.gateway_ref, key).await?;
                event.cancel_at_period_end = Some(true);
            }
        }
        let learnt = self.learn(known, &event).await?;
        let Some(learnt) = learnt else { return Ok(()) };
        let next = next_question(&learnt.state, now, patience);
        let mut conn = self.db.acquire().await?;
        questions::settle(&mut conn, learnt.org_id, learnt.id, asked, next).await?;
        Ok(())
    }

    /// Applies the gateway's answer; returns the resulting subscription. `None` if it changed during the query, which is then
    /// repeated.
    async fn learn(
        &self,
        known: &Subscription,
        event: &SubscriptionEvent,
    ) -> Result<Option<Subscription>, SettleError> {
        let (org_id, id) = (known.org_id, known.id);
        let mut unit = Unit::begin(&self.db, org_id, Actor::System, self.clock.now()).await?;
        let mut change = unit.lock_org(&self.clock).await?;
        if subscriptions::find(&mut change, org_id, id).await?.as_ref() != Some(known) {
            return Ok(None);
        }
        // A known state is not stored again: it may be queried every day.
        let added = if known.state.differs_from(event) {
            let source = Source::here(known);
            self.ledger.add(&mut change, source, event).await?
        } else {
            Added::Known
        };
        let learnt = subscriptions::find(&mut change, org_id, id).await?;
        added.commit(unit).await?;
        let is_live = |it: &Subscription| it.state.status.is_live();
        if is_live(known) && !learnt.as_ref().is_some_and(is_live) {
            ended("canceled");
        }
        Ok(learnt)
    }

    async fn settle_checkout(&self, open: &checkouts::Unsettled) -> Result<(), Refusal> {
        let now = self.clock.now();
        let next = Some(now + pause(open.settle_attempts));
        self.ask_again(open, next).await?;
        let (is_open, open_for) = match open.gateway {
            Gateway::Redirect => {
                let gateway = self.redirect()?;
                let is_open = self.ask_about_checkout(gateway, open).await?;
                // It expires an unpaid checkout after a day.
                (is_open, Duration::hours(25))
            }
            Gateway::Form => (self.ask_about_payment(open).await?, KEPT),
        };
        if is_open && now >= open.created_at + open_for {
            self.ask_again(open, None).await?;
        }
        Ok(())
    }

    /// Queries the gateway for the outcome of a checkout. Returns whether it can still be paid.
    pub(super) async fn ask_about_checkout(
        &self,
        gateway: &RedirectGateway,
        open: &checkouts::Unsettled,
    ) -> Result<bool, Refusal> {
        let now = self.clock.now();
        match gateway.session(&open.reference, now).await? {
            Outcome::Open => return Ok(true),
            Outcome::Pending => {}
            Outcome::Over => self.ask_again(open, None).await?,
            Outcome::Completed(mut report) => {
                // The checkout is ours, whatever organization the gateway names.
                report.org_id = Some(open.org_id);
                self.take(&open.reference, &report).await?;
            }
        }
        Ok(false)
    }

    pub(super) async fn ask_again(
        &self,
        open: &checkouts::Unsettled,
        at: Option<OffsetDateTime>,
    ) -> db::Result<()> {
        checkouts::update_settle_at(&mut *self.db.acquire().await?, open.org_id, open.id, at).await
    }
}
