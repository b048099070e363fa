//! Deletion of accounts whose only organization is deleted permanently.

use super::store::{
    families, login_failures, one_time_tokens, password_resets, pending_signups, sent_codes, users,
};
use crate::{members, scim};
use base::{
    db::{self, Tx},
    ids::{OrgId, UserId},
    mail,
};

/// Deletes the account and all data stored under its address. Returns `false` if the account is a member of an organization
/// other than `org_id`, or is provisioned by the identity provider of another one; the caller must then roll back.
///
/// The data of the address is deleted first: sign-up, sign-in and password reset lock it before the account.
pub async fn delete_unless_member_elsewhere(
    tx: &mut Tx,
    user_id: UserId,
    org_id: OrgId,
) -> db::Result<bool> {
    let Some(email) = users::find_email(tx, user_id).await? else {
        return Ok(true);
    };
    if let Some(email) = email {
        pending_signups::delete_of(tx, &email).await?;
        sent_codes::delete_of(tx, &email).await?;
        password_resets::delete_of(tx, &email).await?;
        login_failures::delete_of(tx, &email).await?;
        mail::delete_waiting(tx, &email).await?;
    }
    if !users::lock(tx, user_id).await? {
        return Ok(true);
    }
    // The account is locked against new memberships here.
    if members::store::is_member_elsewhere(tx, user_id, org_id).await?
        || scim::store::is_known_elsewhere(tx, user_id, org_id).await?
    {
        return Ok(false);
    }
    users::delete(tx, user_id).await?;
    Ok(true)
}

/// Deletes the sessions and one-time tokens of a user in one organization.
pub async fn end_sessions(tx: &mut Tx, user_id: UserId, org_id: OrgId) -> db::Result<()> {
    one_time_tokens::delete_of_member(tx, org_id, user_id).await?;
    families::delete_of_member(tx, org_id, user_id).await
}
