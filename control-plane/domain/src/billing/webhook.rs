//! The events of `gateway_redirect`. Each takes effect once, in the transaction that stores its id.

use super::{
    Billing,
    gateways::redirect::{
        client::Outcome,
        event::{Envelope, Report},
    },
    history::Kind,
    ledger::Added,
    model::Gateway,
    store::{
        checkouts,
        events::{self, Source},
        orgs, subscriptions,
    },
};
use crate::{events::Actor, unit::Unit};
use base::{
    db::{self, Tx},
    ids::OrgId,
    refusal::Refusal,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// Stored and applied.
    Done,
    /// Delivered before.
    Repeated,
    /// Of an irrelevant type.
    Ignored,
}

impl Received {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Repeated => "repeated",
            Self::Ignored => "ignored",
        }
    }
}

impl Billing {
    /// Handles an event signed by the gateway.
    pub async fn take_event(&self, envelope: &Envelope) -> Result<Received, Refusal> {
        let received = match envelope.report(self.clock.now()) {
            None => Received::Ignored,
            Some(report) => {
                let report = self.vouch(report).await?;
                self.take(&envelope.id, &report).await?
            }
        };
        let outcome = received.as_str();
        metrics::counter!("halyard_gateway_events_total", "outcome" => outcome).increment(1);
        Ok(received)
    }

    /// Determines the organization of a paid checkout: the one that began it here. A checkout unknown here counts only if the
    /// gateway, queried, reports our price and an organization in a field that payers cannot write.
    async fn vouch(&self, mut report: Report) -> Result<Report, Refusal> {
        let Some(session_ref) = report.session_ref.clone() else {
            return Ok(report);
        };
        let begun_by =
            checkouts::find_org_by_session(&mut *self.db.acquire().await?, &session_ref).await?;
        report.named_org_id = report.org_id.take().or(report.named_org_id);
        if report.event.kind == Kind::Unpaid || begun_by.or(report.named_org_id).is_none() {
            return Ok(report);
        }
        if report.gateway_ref.is_some() && begun_by.is_some() {
            report.org_id = begun_by;
            return Ok(report);
        }
        let gateway = self.redirect()?;
        if let Outcome::Completed(asked) = gateway.session(&session_ref, self.clock.now()).await?
            && asked.gateway_ref.is_some()
        {
            let is_ours = asked.sells(&gateway.settings().price_id);
            report.org_id = begun_by.or(asked.org_id.filter(|_| is_ours));
            report.gateway_ref = asked.gateway_ref;
        }
        Ok(report)
    }

    /// Handles a report of the gateway, once per `event_ref`.
    pub(super) async fn take(&self, event_ref: &str, report: &Report) -> Result<Received, Refusal> {
        let mut tx = self.db.begin().await?;
        let source = Source {
            gateway: Gateway::Redirect,
            event_ref: Some(event_ref),
            gateway_ref: report.gateway_ref.as_deref(),
            subscription_id: None,
        };
        if let Some(gateway_ref) = source.gateway_ref {
            subscriptions::lock_ref(&mut tx, gateway_ref).await?;
        }
        let counts = report.event.kind != Kind::Unpaid;
        let owner = if counts {
            self.find_owner(&mut tx, report).await?
        } else {
            Owner::Unknown
        };
        let Owner::Org(org_id) = owner else {
            return self.keep(tx, source, report, owner).await;
        };

        let mut unit = Unit::within(tx, org_id, Actor::System, self.clock.now());
        let mut change = unit.lock_org(&self.clock).await?;
        let added = self.ledger.add(&mut change, source, &report.event).await?;
        if let Some(session_ref) = &report.session_ref {
            let now = change.now();
            checkouts::complete_session(&mut change, org_id, session_ref, now).await?;
        }
        let received = match added {
            Added::Effective(_) | Added::Ineffective => Received::Done,
            Added::Known => Received::Repeated,
        };
        added.commit(unit).await?;
        Ok(received)
    }

    /// Stores an event that does not count, or has no known subscription yet.
    async fn keep(
        &self,
        mut tx: Tx,
        source: Source<'_>,
        report: &Report,
        owner: Owner,
    ) -> Result<Received, Refusal> {
        let counts = report.event.kind != Kind::Unpaid;
        let source = Source {
            gateway_ref: source.gateway_ref.filter(|_| counts),
            ..source
        };
        let is_new = events::insert(&mut tx, source, None, &report.event).await?;
        tx.commit().await?;
        if !is_new {
            return Ok(Received::Repeated);
        }
        let event = source.event_ref.unwrap_or_default();
        let subscription = source.gateway_ref.unwrap_or_default();
        if let Owner::Deleted(org_id) = owner {
            tracing::error!(org.id = %org_id, event, subscription, "an event of a subscription of an organization that is being deleted");
        } else if report.event.kind == Kind::Activated
            && let Some(org_id) = report.named_org_id
        {
            tracing::error!(org.id = %org_id, event, subscription, "a payment names an organization, but is of no checkout of it");
        }
        Ok(Received::Done)
    }

    /// The organization of an event: that of the subscription, else the one that it names.
    async fn find_owner(&self, tx: &mut Tx, report: &Report) -> db::Result<Owner> {
        let known = match &report.gateway_ref {
            Some(gateway_ref) => {
                subscriptions::find_org_by_ref(tx, Gateway::Redirect, gateway_ref).await?
            }
            None => None,
        };
        let is_session = report.session_ref.is_some();
        let price = self.redirect.as_ref().map(|it| &it.settings().price_id);
        let is_foreign = price.is_some_and(|price| report.is_of_another_price(price));
        let named = report.org_id.filter(|_| {
            // The price may have changed since the checkout was begun here.
            if is_session {
                report.gateway_ref.is_some()
            } else {
                !is_foreign
            }
        });
        let Some(org_id) = known.or(named) else {
            return Ok(Owner::Unknown);
        };
        Ok(match orgs::find_purge(tx, org_id).await? {
            Some(false) => Owner::Org(org_id),
            Some(true) => Owner::Deleted(org_id),
            None => Owner::Unknown,
        })
    }
}

#[derive(Clone, Copy, Debug)]
enum Owner {
    Org(OrgId),
    Deleted(OrgId),
    /// Unknown, or the event does not count.
    Unknown,
}
