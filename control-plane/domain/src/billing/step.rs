//! What follows from an event that was added to a subscription: what the trail says, which plan the organization goes on to, and
//! who is told.

use super::{
    history::{Entitlement, Kind, SubscriptionEvent},
    model::{Status, Subscription},
};
use crate::{
    events::{Action, Event, Subject},
    orgs::model::Plan,
    unit::{OrgChange, Recorded},
};
use base::db;

/// What owners and admins are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mail {
    PaymentFailed,
    PaymentDue,
    Canceled,
    PaidTwice,
}

/// An event, and what it made of the subscription.
pub(super) struct Step<'a> {
    pub(super) before: Option<&'a Subscription>,
    pub(super) after: &'a Subscription,
    pub(super) event: &'a SubscriptionEvent,
    /// Whether nothing newer is known.
    pub(super) is_latest: bool,
    /// Whether another subscription gives the organization Pro.
    pub(super) others_entitle: bool,
    /// Whether it is paid for from here on beside another one that goes on.
    pub(super) is_second: bool,
}

impl Step<'_> {
    /// What the trail says of it; `None` when nothing changed.
    pub(super) fn action(&self) -> Option<Action> {
        let status = self.after.state.status;
        let was = self.before.map(|before| before.state.status);
        if self.fails_to_pay() {
            Some(Action::BillingPaymentFailed)
        } else if self
            .before
            .is_some_and(|before| before.state == self.after.state)
        {
            None
        } else if status == Status::Canceled {
            Some(Action::BillingSubscriptionCanceled)
        } else if self.event.kind == Kind::Activated || !was.is_some_and(Status::is_live) {
            Some(Action::BillingSubscriptionActivated)
        } else {
            Some(Action::BillingSubscriptionUpdated)
        }
    }

    /// Whether the gateway says that a payment failed, and not too late to matter.
    fn fails_to_pay(&self) -> bool {
        self.event.kind == Kind::PaymentFailed
            && self.is_latest
            && self.after.state.status == Status::PastDue
    }

    pub(super) async fn record(
        &self,
        change: &mut OrgChange<'_>,
        action: Action,
    ) -> db::Result<Recorded<()>> {
        let mut event =
            Event::new(action, Subject::Org(change.org_id())).after(&self.after.shown());
        if let Some(before) = self.before {
            event = event.before(&before.shown());
        }
        if self.is_second {
            event = event.note("is_second", &true);
        }
        change.record(event, ()).await
    }

    /// The plan that the organization goes on to. One that an operator has set to Enterprise keeps it.
    pub(super) fn plan(&self, current: Plan) -> Option<Plan> {
        let was = self
            .before
            .map_or(Entitlement::Never, |before| before.state.entitlement);
        let is = self.after.state.entitlement;
        let pays = self.event.kind == Kind::Activated && self.after.state.status == Status::Active;
        match (is, current) {
            (Entitlement::Now, Plan::Trial | Plan::Free) if was != is || pays => Some(Plan::Pro),
            // Also when it is learnt late that it was paid for a time: it was Pro then, and is Free now.
            (Entitlement::Over, Plan::Trial | Plan::Pro) if was != is && !self.others_entitle => {
                Some(Plan::Free)
            }
            _ => None,
        }
    }

    /// What owners and admins are told, where the plan was `before` and goes on to `after`.
    pub(super) fn mail(&self, before: Plan, after: Option<Plan>) -> Option<Mail> {
        if self.fails_to_pay() {
            Some(Mail::PaymentFailed)
        } else if self.is_second {
            Some(Mail::PaidTwice)
        } else if self.event.kind == Kind::Lapsed && before == Plan::Pro {
            Some(Mail::PaymentDue)
        } else if after == Some(Plan::Free) {
            Some(Mail::Canceled)
        } else {
            None
        }
    }
}
