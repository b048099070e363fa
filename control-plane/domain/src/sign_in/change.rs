//! Creating, changing and deleting providers, and requiring them. All under the organization's lock.

use serde_json::json;

use super::{
    Providers,
    input::{ProviderChange, ProviderWish},
    model::{Provider, Rules},
    store::{self, identities, providers},
};
use crate::{
    accounts::store::families,
    events::{Action, Event, Subject},
    unit::{OrgChange, Recorded},
};
use base::{
    ids::SignInProviderId,
    refusal::{Missing, Refusal},
};

const MAX_PROVIDERS: i64 = 10;
const REQUIRED: &str =
    "members must sign in by a provider: allow passwords first, with only_by_provider";

impl Providers {
    pub async fn create(
        &self,
        change: &mut OrgChange<'_>,
        wish: ProviderWish,
    ) -> Result<Recorded<Provider>, Refusal> {
        let (org_id, now) = (change.org_id(), change.now());
        if providers::count(change, org_id).await? >= MAX_PROVIDERS {
            return Err(Refusal::invalid(
                "an organization has at most 10 sign-in providers",
            ));
        }
        let provider = wish.create(now);
        let sealed = wish.secret.as_ref().map(|secret| self.seal(secret));
        providers::insert(change, org_id, &provider, sealed).await?;
        let subject = Subject::SignInProvider(provider.id);
        let event = Event::created(Action::SignInProviderCreated, subject, &provider);
        Ok(change.record(event, provider).await?)
    }

    /// Changes a provider. With another issuer nobody is recognised by what the former one called them, sign-ins under way end,
    /// and so do the sessions that it opened. Records nothing if all stays the same; a given secret counts as another one.
    pub async fn update(
        &self,
        change: &mut OrgChange<'_>,
        id: SignInProviderId,
        wish: ProviderChange,
    ) -> Result<Recorded<Provider>, Refusal> {
        let (org_id, now) = (change.org_id(), change.now());
        let before = find(change, id).await?;
        let mut provider = wish.apply(&before);
        let keeps_secret = wish.secret.is_keep() || !before.has_secret && !provider.has_secret;
        if keeps_secret && provider == before {
            return Ok(change.unchanged(before));
        }
        if provider.issuer != before.issuer {
            identities::delete_of_provider(change, org_id, id).await?;
            store::attempts::delete_of_provider(change, org_id, id).await?;
            families::revoke_of_provider(change, org_id, id, now).await?;
        }
        provider.updated_at = now;
        let sealed = wish.secret.map(|secret| self.seal(&secret));
        providers::update(change, org_id, &provider, sealed).await?;
        let subject = Subject::SignInProvider(id);
        let event = Event::updated(Action::SignInProviderUpdated, subject, &before, &provider);
        Ok(change.record(event, provider).await?)
    }
}

/// Deletes a provider with the sessions that it opened. Refused for the last one while members need one.
pub async fn delete(
    change: &mut OrgChange<'_>,
    id: SignInProviderId,
) -> Result<Recorded<()>, Refusal> {
    let org_id = change.org_id();
    let provider = find(change, id).await?;
    if providers::count(change, org_id).await? == 1 && store::is_required(change, org_id).await? {
        return Err(Refusal::conflict(REQUIRED));
    }
    providers::delete(change, org_id, id).await?;
    let subject = Subject::SignInProvider(id);
    let event = Event::deleted(Action::SignInProviderDeleted, subject, &provider);
    Ok(change.record(event, ()).await?)
}

/// Requires providers, or allows passwords again. Once required, sessions of members other than owners that a password opened
/// end at once. Owners keep their passwords, so that a provider that fails locks nobody out for good.
///
/// Somebody must have signed in by a provider before: one that does not work would end the work of all.
pub async fn require(
    change: &mut OrgChange<'_>,
    is_required: bool,
) -> Result<Recorded<Rules>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let rules = Rules {
        only_by_provider: is_required,
    };
    if store::is_required(change, org_id).await? == is_required {
        return Ok(change.unchanged(rules));
    }
    if is_required && !identities::is_any(change, org_id).await? {
        return Err(Refusal::conflict(
            "nobody has signed in by a provider yet: sign in by one first, so that it is known to work",
        ));
    }
    store::update_required(change, org_id, is_required, now).await?;
    if is_required {
        families::revoke_of_passwords(change, org_id, now).await?;
    }
    let [before, after] = [!is_required, is_required].map(|is| json!({"only_by_provider": is}));
    let subject = Subject::Org(org_id);
    let event = Event::updated(Action::SignInRulesChanged, subject, &before, &after);
    Ok(change.record(event, rules).await?)
}

async fn find(change: &mut OrgChange<'_>, id: SignInProviderId) -> Result<Provider, Refusal> {
    let org_id = change.org_id();
    let found = providers::find(change, org_id, id).await?;
    found.ok_or(Missing::SignInProvider.into())
}
