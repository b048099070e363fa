//! The account behind a SCIM user, and when what a provider says may reach it.
//!
//! An organization must not get into what belongs to another one. So the account of a user follows their record only while all of
//! this holds: it was made for this record; nobody has claimed it by a password; nobody else has it as a member; and no other
//! organization has any record of it, by which it could become a member there again. An address that another account has is not
//! given to this one. Everything else that a provider says changes the record alone.
//!
//! An account that nobody has claimed has no sessions, and no code or link for it is on its way, so none outlives its address.

use super::{
    model::Attributes,
    store::{self, Record},
};
use crate::{
    accounts::store::{
        stubs::{self, Made},
        users,
    },
    members,
    unit::OrgChange,
};
use base::{db, ids::UserId};

/// The account for somebody new: that of their address, else one that is made. What an account that was there says of its holder is
/// not for the provider to know.
pub(super) async fn find_or_make(
    change: &mut OrgChange<'_>,
    attributes: &Attributes,
) -> db::Result<(UserId, Made)> {
    let (now, name) = (change.now(), attributes.account_name());
    if let Some(email) = attributes.account_email() {
        let (account, made) = stubs::find_or_insert_stub(change, &email, &name, now).await?;
        return Ok((account.user.id, made));
    }
    let id = UserId::new(now);
    stubs::insert_without_address(change, id, &name, now).await?;
    Ok((id, Made::Now))
}

/// Gives the account the name and the address of the record, if it may have them.
pub(super) async fn follow(change: &mut OrgChange<'_>, record: &Record) -> db::Result<()> {
    let (org_id, now, user_id) = (change.org_id(), change.now(), record.user_id);
    // Held, nobody can make the account a member of anything, or a record of it, until this is committed.
    if !record.made_here || !users::lock(change, user_id).await? {
        return Ok(());
    }
    if members::store::is_member_elsewhere(change, user_id, org_id).await?
        || store::is_known_elsewhere(change, user_id, org_id).await?
    {
        return Ok(());
    }
    let email = record.attributes.account_email();
    let name = record.attributes.account_name();
    stubs::update_unclaimed(change, user_id, email.as_ref(), &name, now).await
}
