//! Creating and revoking SCIM tokens, under the organization's lock, which protects the bound on them.

use super::{
    input::NewToken,
    model::{ScimToken, TokenText},
    store,
};
use crate::{
    events::{Action, Event, Subject},
    unit::{OrgChange, Recorded},
};
use base::{
    ids::{ScimTokenId, UserId},
    refusal::{Missing, Refusal},
};

/// Creates a token; the caller shows its text once. It is limited to the permissions of its creator.
pub async fn create(
    change: &mut OrgChange<'_>,
    new: NewToken,
    made_by: UserId,
    text: &TokenText,
) -> Result<Recorded<ScimToken>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    if store::count(change, org_id).await? >= 100 {
        return Err(Refusal::invalid(
            "an organization has at most 100 SCIM tokens",
        ));
    }
    let token = ScimToken {
        id: ScimTokenId::new(now),
        name: new.name.map(Into::into),
        created_at: now,
        expires_at: new.lifetime.map(|lifetime| now + lifetime),
    };
    store::insert(change, org_id, &token, made_by, text.hash()).await?;
    let subject = Subject::ScimToken(token.id);
    let event = Event::created(Action::ScimTokenCreated, subject, &token);
    Ok(change.record(event, token).await?)
}

/// Revokes a token, effective at once: it is looked up on each request.
pub async fn revoke(change: &mut OrgChange<'_>, id: ScimTokenId) -> Result<Recorded<()>, Refusal> {
    let org_id = change.org_id();
    let token = store::delete(change, org_id, id).await?;
    let token = token.ok_or(Missing::ScimToken)?;
    let event = Event::deleted(Action::ScimTokenRevoked, Subject::ScimToken(id), &token);
    Ok(change.record(event, ()).await?)
}
