//! Consequences of an event that was added to a subscription: the audit entry, the new plan and the mail.

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

/// A mail to owners and admins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mail {
    PaymentFailed,
    PaymentDue,
    Canceled,
    PaidTwice,
}

pub(super) struct Step<'a> {
    pub(super) before: Option<&'a Subscription>,
    pub(super) after: &'a Subscription,
    pub(super) event: &'a SubscriptionEvent,
    pub(super) is_latest: bool,
    pub(super) others_entitle: bool,
    /// Whether it is now paid for beside another running one.
    pub(super) is_second: bool,
}

impl Step<'_> {
    /// The action in the audit log; `None` when nothing changed.
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

    /// Whether the gateway reports a failed payment, early enough to matter.
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

    /// The plan that the organization changes to. Enterprise, set by an operator, stays.
    pub(super) fn plan(&self, current: Plan) -> Option<Plan> {
        let was = self
            .before
            .map_or(Entitlement::Never, |before| before.state.entitlement);
        let is = self.after.state.entitlement;
        let pays = self.event.kind == Kind::Activated && self.after.state.status == Status::Active;
        match (is, current) {
            (Entitlement::Now, Plan::Trial | Plan::Free) if was != is || pays => Some(Plan::Pro),
            // Also if a past paid period is reported late: it was Pro then, and is Free now.
            (Entitlement::Over, Plan::Trial | Plan::Pro) if was != is && !self.others_entitle => {
                Some(Plan::Free)
            }
            _ => None,
        }
    }

    /// The mail to owners and admins, after a change of plan from `before` to `after`.
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
