//! Who is who at a provider, for those who manage members.

use super::store::identities;
use crate::{
    accounts::store::families,
    events::{Action, Event, Subject},
    members::{self, change::Acting},
    unit::{OrgChange, Recorded},
};
use base::{
    ids::{MemberId, SignInProviderId},
    refusal::{Missing, Refusal},
};

/// Unbinds a member from what a provider calls them, and ends the sessions that it opened for them. Whom the provider signs in
/// next is recognised by their address again, as at a first sign-in: somebody whom it has given another subject gets in again.
pub async fn unbind(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    id: MemberId,
    provider_id: SignInProviderId,
) -> Result<Recorded<()>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let member = members::store::find(change, org_id, id).await?;
    let member = member.ok_or(Missing::Member)?;
    acting.may_handle(&[member.role])?;
    acting.confirm(change, &[member.role]).await?;
    let user_id = member.user_id;
    // A sign-in binds, and opens its session, under the organization's lock.
    let identity = identities::delete(change, org_id, provider_id, user_id).await?;
    let identity = identity.ok_or(Missing::SignInIdentity)?;
    families::revoke_of_identity(change, org_id, provider_id, user_id, now).await?;
    let subject = Subject::Member(id);
    let event = Event::deleted(Action::SignInIdentityUnbound, subject, &identity);
    Ok(change.record(event, ()).await?)
}
