//! Creating, changing, deleting and testing webhooks.

use super::{
    Webhooks,
    input::{WebhookChange, WebhookWish},
    model::{TEST, Webhook},
    store,
};
use crate::{
    events::{
        Action, Event, Subject,
        contents::{About, Resource},
        outbox,
    },
    orgs::Counted,
    unit::{Expected, OrgChange, Recorded},
};
use base::{
    ids::WebhookId,
    input::Patch,
    refusal::{Missing, Refusal},
};

impl Webhooks {
    /// Creates a webhook, which receives events committed after it.
    pub async fn create(
        &self,
        change: &mut OrgChange<'_>,
        wish: WebhookWish,
    ) -> Result<Recorded<Webhook>, Refusal> {
        let org_id = change.org_id();
        refuse_unproven(change).await?;
        let (existing, now) = (store::count(change, org_id).await?, change.now());
        change
            .org()
            .allow_another(Counted::Webhooks, existing, now)?;
        let webhook = wish.create(change.now());
        let sealed = wish.secret.as_ref().map(|secret| self.seal(secret));
        store::insert(change, org_id, &webhook, sealed).await?;
        let event = Event::created(
            Action::WebhookCreated,
            Subject::Webhook(webhook.id),
            &webhook.for_audit_log(),
        );
        Ok(change.record(event, webhook).await?)
    }

    /// Changes a webhook. Attempts that begin afterwards use the new fields. Records nothing if all stay the same; a given secret
    /// counts as another one, since comparing it would confirm a guess.
    pub async fn update(
        &self,
        change: &mut OrgChange<'_>,
        id: WebhookId,
        wish: WebhookChange,
        expected: &Expected,
    ) -> Result<Recorded<Webhook>, Refusal> {
        let (org_id, now) = (change.org_id(), change.now());
        let before = find(change, id).await?;
        if wish.url.is_some() {
            refuse_unproven(change).await?;
        }
        expected.check(before.version)?;
        let webhook = wish.apply(&before);
        let has_same_secret = match wish.secret {
            Patch::Keep => true,
            Patch::Clear => !before.has_secret,
            Patch::Set(_) => false,
        };
        if has_same_secret && webhook == before {
            return Ok(change.unchanged(before));
        }
        let webhook = Webhook {
            updated_at: now,
            version: before.version + 1,
            ..webhook
        };
        let secret = wish.secret.map(|secret| self.seal(&secret));
        store::update(change, org_id, &webhook, secret, before.enabled).await?;
        let event = Event::updated(
            Action::WebhookUpdated,
            Subject::Webhook(id),
            &before.for_audit_log(),
            &webhook.for_audit_log(),
        );
        Ok(change.record(event, webhook).await?)
    }
}

/// Deletes a webhook with its pending deliveries. An attempt in progress ends by itself.
pub async fn delete(
    change: &mut OrgChange<'_>,
    id: WebhookId,
    expected: &Expected,
) -> Result<Recorded<()>, Refusal> {
    let org_id = change.org_id();
    let webhook = find(change, id).await?;
    expected.check(webhook.version)?;
    store::delete(change, org_id, id).await?;
    store::purge(change, org_id, 0).await?;
    let event = Event::deleted(
        Action::WebhookDeleted,
        Subject::Webhook(id),
        &webhook.for_audit_log(),
    );
    Ok(change.record(event, ()).await?)
}

/// Enqueues a delivery marked as a test.
pub async fn test(change: &mut OrgChange<'_>, id: WebhookId) -> Result<(), Refusal> {
    let (org_id, actor, now) = (change.org_id(), change.actor(), change.now());
    let webhook = find(change, id).await?;
    let about = About {
        resource: Resource {
            kind: "webhook".to_owned(),
            id: id.to_string(),
            key: None,
            name: Some(webhook.name),
        },
        changed: Vec::new(),
        comment: None,
    };
    Ok(outbox::write_for(change, org_id, actor, id, (TEST, about), now).await?)
}

/// Refuses an organization without an owner of proven address: anyone can create one with any address.
async fn refuse_unproven(change: &mut OrgChange<'_>) -> Result<(), Refusal> {
    let org_id = change.org_id();
    if store::has_proven_owner(change, org_id).await? {
        return Ok(());
    }
    let words = "webhooks need an owner whose e-mail address is verified";
    Err(Refusal::Forbidden(words))
}

pub(super) async fn find(change: &mut OrgChange<'_>, id: WebhookId) -> Result<Webhook, Refusal> {
    let org_id = change.org_id();
    let found = store::find(change, org_id, id).await?;
    found.ok_or(Missing::Webhook.into())
}
