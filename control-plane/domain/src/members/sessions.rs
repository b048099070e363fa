//! Ending the sessions of a member.

use super::{
    change::{Acting, find},
    store,
};
use crate::{
    access_tokens,
    accounts::{
        store::{families, one_time_tokens},
        tokens::Tokens,
    },
    events::{Action, Event, Subject},
    unit::{OrgChange, Recorded},
};
use base::{ids::MemberId, refusal::Refusal};

/// Ends the sessions and access tokens of a member in the organization, with the tokens that would open a session. Those in other organizations are not
/// the organization's to end: they go on there, and may not move here. The account is locked, so that no session is missed that
/// is being opened or moved here.
pub async fn end(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    id: MemberId,
    tokens: &Tokens,
) -> Result<Recorded<()>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let member = find(change, id).await?;
    if acting.is(id) {
        return Err(Refusal::invalid(
            "end your own sessions at DELETE /v1/auth/sessions/{sessionID}",
        ));
    }
    acting.may_handle(&[member.role])?;
    acting.confirm(change, &[member.role]).await?;

    one_time_tokens::delete_of_member(change, org_id, member.user_id).await?;
    families::revoke_in(change, org_id, member.user_id, now).await?;
    access_tokens::store::revoke_in(change, org_id, member.user_id, now).await?;
    let end = tokens.session_end(now);
    store::update_ended_sessions(change, org_id, id, end).await?;
    let event = Event::new(Action::MemberSessionsEnded, Subject::Member(id));
    Ok(change.record(event, ()).await?)
}
