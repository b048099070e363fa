//! The one place where subscriptions change: it adds an event to a subscription of a locked organization, and applies all
//! consequences in the same transaction: plan, audit log, mails.

use time::Duration;

use super::{
    history::{Entitlement, Kind, State, SubscriptionEvent},
    model::{Gateway, Status, Subscription},
    step::{Mail, Step},
    store::{
        events::{self, Source},
        questions, subscriptions,
    },
};
use crate::{
    members::store::{Contacts, list_contacts},
    onboarding,
    orgs::change::set_plan,
    unit::{OrgChange, Recorded, Unit},
};
use base::{
    config::{Page, UrlSettings},
    db,
    ids::SubscriptionId,
    mail::{Mailer, Template},
};

pub(super) struct Ledger {
    pub(super) mailer: Mailer,
    pub(super) urls: UrlSettings,
}

#[derive(Debug)]
pub(super) enum Added {
    /// The subscription changed, or a mail was enqueued.
    Effective(Recorded<()>),
    /// The event is stored; a newer one counts.
    Ineffective,
    Known,
}

impl Added {
    pub(super) async fn commit(self, unit: Unit) -> db::Result<()> {
        match self {
            Self::Effective(recorded) => {
                unit.commit(recorded).await.map(|committed| committed.made)
            }
            Self::Ineffective | Self::Known => unit.commit_unrecorded().await,
        }
    }
}

impl Ledger {
    /// Adds an event to its subscription, which is created if missing. Events are identified by the gateway's id.
    pub(super) async fn add(
        &self,
        change: &mut OrgChange<'_>,
        source: Source<'_>,
        event: &SubscriptionEvent,
    ) -> db::Result<Added> {
        if let Some(event_ref) = source.event_ref
            && events::is_known(change, source.gateway, event_ref).await?
        {
            return Ok(Added::Known);
        }
        let org_id = change.org_id();
        let all = subscriptions::list(change, org_id).await?;
        let before = find(&all, source);
        let mut subscription = match before {
            Some(before) => named(before, source),
            None => open(change, source, event).await?,
        };
        let event = &placed_in_time(change, source, subscription.id, event).await?;
        let history = append(change, &mut subscription, source, event).await?;
        if source.event_ref.is_some()
            && subscription.state.differs_from(event)
            && events::is_overruled(change, subscription.id, event.happened_at).await?
        {
            ask(change, &subscription).await?;
        }
        let others = || all.iter().filter(|other| other.id != subscription.id);
        if event.kind == Kind::Activated && subscription.state.status == Status::Active {
            for other in others().filter(|other| other.state.status == Status::PastDue) {
                replace(change, other).await?;
            }
        }
        let went_on = before.is_some_and(Subscription::goes_on);
        let is_second = subscription.goes_on() && !went_on && others().any(Subscription::goes_on);
        if is_second {
            tracing::warn!(org.id = %org_id, subscription.id = %subscription.id, "an organization pays for a second subscription");
            for one in others().chain([&subscription]) {
                ask(change, one).await?;
            }
        }
        let step = Step {
            before,
            after: &subscription,
            event,
            is_latest: history.iter().all(|it| it.happened_at <= event.happened_at),
            others_entitle: others().any(|other| other.state.entitlement == Entitlement::Now),
            is_second,
        };
        self.follow(change, step).await
    }

    async fn follow(&self, change: &mut OrgChange<'_>, step: Step<'_>) -> db::Result<Added> {
        let (org_id, now) = (change.org_id(), change.now());
        if step.event.kind == Kind::Activated {
            onboarding::select_plan(change, org_id, now).await?;
        }
        let mut recorded = match step.action() {
            Some(action) => Some(step.record(change, action).await?),
            None => None,
        };
        let plan = step.plan(change.org().plan);
        if let Some(plan) = plan
            && let Some(changed) = set_plan(change, plan).await?
        {
            recorded = Some(changed);
        }
        if let Some(mail) = step.mail(change.org().plan, plan) {
            self.enqueue(change, mail).await?;
        }
        Ok(recorded.map_or(Added::Ineffective, Added::Effective))
    }

    async fn enqueue(&self, change: &mut OrgChange<'_>, mail: Mail) -> db::Result<()> {
        let (org_id, now) = (change.org_id(), change.now());
        let organization = &change.org().name.clone();
        let link = &self.urls.page(Page::Billing);
        let (contacts, template) = match mail {
            Mail::PaymentFailed => (
                Contacts::All,
                Template::PaymentFailed { organization, link },
            ),
            Mail::PaymentDue => (
                Contacts::Claimed,
                Template::PaymentDue { organization, link },
            ),
            Mail::PaidTwice => (
                Contacts::Claimed,
                Template::PaidTwice { organization, link },
            ),
            Mail::Canceled => {
                let plan = "Free";
                let template = Template::SubscriptionCanceled {
                    organization,
                    plan,
                    link,
                };
                (Contacts::Claimed, template)
            }
        };
        let to = list_contacts(change, org_id, contacts).await?;
        self.mailer
            .enqueue_for_all(change, &to, &template, now)
            .await
    }
}

/// The subscription, with the gateway's id if it was unknown.
fn named(subscription: &Subscription, source: Source<'_>) -> Subscription {
    let gateway_ref = subscription.gateway_ref.as_deref().or(source.gateway_ref);
    Subscription {
        gateway_ref: gateway_ref.map(str::to_owned),
        ..subscription.clone()
    }
}

/// A new subscription without a state.
async fn open(
    change: &mut OrgChange<'_>,
    source: Source<'_>,
    event: &SubscriptionEvent,
) -> db::Result<Subscription> {
    let (org_id, now) = (change.org_id(), change.now());
    let new = Subscription {
        id: SubscriptionId::new(now),
        org_id,
        gateway: source.gateway,
        gateway_ref: source.gateway_ref.map(str::to_owned),
        started_at: event.happened_at,
        state: State::of(&[]),
    };
    subscriptions::insert(change, &new, now).await?;
    Ok(new)
}

/// Dates our own decision after all known events, including those from a gateway whose clock is ahead of ours.
async fn placed_in_time(
    change: &mut OrgChange<'_>,
    source: Source<'_>,
    id: SubscriptionId,
    event: &SubscriptionEvent,
) -> db::Result<SubscriptionEvent> {
    let mut event = event.clone();
    if source.event_ref.is_none()
        && let Some(latest) = events::find_latest(change, id).await?
    {
        event.happened_at = event.happened_at.max(latest);
    }
    Ok(event)
}

/// Adds the event to the others and recomputes the subscription; returns the events in order.
async fn append(
    change: &mut OrgChange<'_>,
    subscription: &mut Subscription,
    source: Source<'_>,
    event: &SubscriptionEvent,
) -> db::Result<Vec<SubscriptionEvent>> {
    let now = change.now();
    events::insert(change, source, Some(subscription.id), event).await?;
    if let Some(gateway_ref) = source.gateway_ref {
        events::place(change, source.gateway, gateway_ref, subscription.id).await?;
    }
    let history = events::list(change, subscription.id).await?;
    subscription.state = State::of(&history);
    let first = history.first().map(|event| event.happened_at);
    subscription.started_at = first.unwrap_or(event.happened_at);
    subscriptions::update(change, subscription, now).await?;
    Ok(history)
}

/// Ends a past due subscription in favour of one that was paid for, to avoid charging twice. If a gateway knows it, the gateway
/// is queried first.
async fn replace(change: &mut OrgChange<'_>, other: &Subscription) -> db::Result<()> {
    if other.gateway_ref.is_some() {
        return ask(change, other).await;
    }
    let source = Source::here(other);
    let over = SubscriptionEvent::new(Kind::Canceled, change.now());
    let over = placed_in_time(change, source, other.id, &over).await?;
    append(change, &mut other.clone(), source, &over).await?;
    Ok(())
}

/// Schedules a query of the subscription at its gateway, if possible: our state may be wrong.
async fn ask(change: &mut OrgChange<'_>, subscription: &Subscription) -> db::Result<()> {
    if subscription.gateway_ref.is_none() {
        return Ok(());
    }
    let (org_id, now) = (change.org_id(), change.now());
    // A gateway call in progress ends by then.
    let soon = now + Duration::minutes(5);
    questions::ask(change, org_id, subscription.id, now, soon).await
}

/// The subscription of an event. One without an id gets that of the first event that names one; an event without an id concerns
/// the current subscription.
fn find<'a>(all: &'a [Subscription], source: Source<'_>) -> Option<&'a Subscription> {
    if source.subscription_id.is_some() {
        return all.iter().find(|it| Some(it.id) == source.subscription_id);
    }
    let mut of_gateway = all.iter().filter(|it| it.gateway == source.gateway);
    let Some(gateway_ref) = source.gateway_ref else {
        return of_gateway.next();
    };
    let named = of_gateway
        .clone()
        .find(|it| it.gateway_ref.as_deref() == Some(gateway_ref));
    named.or_else(|| {
        of_gateway.find(|it| it.gateway_ref.is_none() && it.gateway == Gateway::Redirect)
    })
}
