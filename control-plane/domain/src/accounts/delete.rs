//! Deletion of accounts whose only organization is deleted permanently.

use super::store::{
    families, login_failures, one_time_tokens, password_resets, pending_signups, sent_codes, users,
};
use base::{
    db::{self, Tx},
    ids::{OrgId, UserId},
    mail,
};

/// Deletes all data stored under the account's address and locks the account against new memberships. `false` if it is gone.
///
/// The data of the address is deleted first: sign-up, sign-in and password reset lock it before the account.
pub async fn begin(tx: &mut Tx, user_id: UserId) -> db::Result<bool> {
    let Some(email) = users::find_email(tx, user_id).await? else {
        return Ok(false);
    };
    if let Some(email) = email {
        pending_signups::delete_of(tx, &email).await?;
        sent_codes::delete_of(tx, &email).await?;
        password_resets::delete_of(tx, &email).await?;
        login_failures::delete_of(tx, &email).await?;
        mail::delete_waiting(tx, &email).await?;
    }
    users::lock(tx, user_id).await
}

/// Deletes the sessions and one-time tokens of a user in one organization.
pub async fn end_sessions(tx: &mut Tx, user_id: UserId, org_id: OrgId) -> db::Result<()> {
    one_time_tokens::delete_of_member(tx, org_id, user_id).await?;
    families::delete_of_member(tx, org_id, user_id).await
}
