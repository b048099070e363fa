//! Deletion of accounts whose only organization is deleted permanently.

use super::store::{self, families, one_time_tokens, users};
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
        store::delete_of_address(tx, &email).await?;
        mail::delete_waiting(tx, &email).await?;
    }
    users::lock(tx, user_id).await
}

/// Deletes the sessions and one-time tokens of a user in one organization.
pub async fn end_sessions(tx: &mut Tx, user_id: UserId, org_id: OrgId) -> db::Result<()> {
    one_time_tokens::delete_of_member(tx, org_id, user_id).await?;
    families::delete_of_member(tx, org_id, user_id).await
}
