//! The account behind a SCIM user, and the conditions under which a provider may change it.
//!
//! An organization must not gain access to data of another one. So an account follows its record only if all of these hold: it
//! was created for this record; it is unclaimed; it has no other memberships; and no other organization has a record of it,
//! which could reactivate a membership. An address that another account has is not assigned. Everything else that a provider
//! sends changes the record alone.
//!
//! An unclaimed account has no sessions, and no pending codes or links, so none outlives its address.

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

/// Finds the account of a new user's address, or creates one. Attributes of an existing account are hidden from the provider.
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

/// Applies the record's name and address to the account, if permitted.
pub(super) async fn follow(change: &mut OrgChange<'_>, record: &Record) -> db::Result<()> {
    let (org_id, now, user_id) = (change.org_id(), change.now(), record.user_id);
    // The lock prevents new memberships and records of the account until the commit.
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
