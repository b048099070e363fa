//! The events of `gateway_redirect`. Each has its effect in the transaction that remembers it, once.

use super::{
    Billing,
    gateways::redirect::event::{Envelope, Told},
    history::Kind,
    ledger::Added,
    model::Gateway,
    store::{
        checkouts,
        events::{self, Source},
        orgs, subscriptions,
    },
};
use crate::{
    db::{self, Tx},
    events::Actor,
    ids::OrgId,
    refusal::Refusal,
    unit::Unit,
};

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// It is kept, and counts as much as it should.
    Done,
    /// It was told before.
    Repeated,
    /// It is of a type that is not of interest here.
    Ignored,
}

impl Received {
    /// As it is counted.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Repeated => "repeated",
            Self::Ignored => "ignored",
        }
    }
}

impl Billing {
    /// Takes an event that the gateway signed.
    pub async fn take_event(&self, envelope: &Envelope) -> Result<Received, Refusal> {
        let received = match envelope.told(self.clock.now()) {
            None => Received::Ignored,
            Some(told) => self.take(&envelope.id, &told).await?,
        };
        let outcome = received.as_str();
        metrics::counter!("halyard_gateway_events_total", "outcome" => outcome).increment(1);
        Ok(received)
    }

    /// Takes what the gateway told, once for each `event_ref`.
    pub(super) async fn take(&self, event_ref: &str, told: &Told) -> Result<Received, Refusal> {
        let mut tx = self.db.begin().await?;
        let source = Source {
            gateway: Gateway::Redirect,
            event_ref: Some(event_ref),
            gateway_ref: told.gateway_ref.as_deref(),
            subscription_id: None,
        };
        if let Some(gateway_ref) = source.gateway_ref {
            subscriptions::lock_ref(&mut tx, gateway_ref).await?;
        }
        let counts = told.event.kind != Kind::Unpaid;
        let org_id = if counts {
            place(&mut tx, told).await?
        } else {
            None
        };
        let Some(org_id) = org_id else {
            return self.keep(tx, source, told, counts).await;
        };

        let mut unit = Unit::within(tx, org_id, Actor::System, self.clock.now());
        let mut change = unit.lock_org(&self.clock).await?;
        let added = self.ledger.add(&mut change, source, &told.event).await?;
        if let Some(session_ref) = &told.session_ref {
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

    /// Keeps an event that does not count, or that nobody can place yet.
    async fn keep(
        &self,
        mut tx: Tx,
        source: Source<'_>,
        told: &Told,
        counts: bool,
    ) -> Result<Received, Refusal> {
        let source = Source {
            gateway_ref: source.gateway_ref.filter(|_| counts),
            ..source
        };
        let is_new = events::insert(&mut tx, source, None, &told.event).await?;
        tx.commit().await?;
        Ok(if is_new {
            Received::Done
        } else {
            Received::Repeated
        })
    }
}

/// The organization that an event is about: that of the subscription, else the one that it names. None that is being deleted
/// permanently.
async fn place(tx: &mut Tx, told: &Told) -> db::Result<Option<OrgId>> {
    let known = match &told.gateway_ref {
        Some(gateway_ref) => {
            subscriptions::find_org_by_ref(tx, Gateway::Redirect, gateway_ref).await?
        }
        None => None,
    };
    match known.or(told.org_id) {
        Some(org_id) if orgs::exists(tx, org_id).await? => Ok(Some(org_id)),
        Some(_) | None => Ok(None),
    }
}
