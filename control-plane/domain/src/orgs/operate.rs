//! What operators do to an organization.

use std::borrow::Cow;

use serving::clock::Clock;

use super::{change, model::Organization, store};
use crate::{
    accounts::{email::Email, store::users},
    events::Actor,
    members::{self, change::Acting, input::MemberChange, model::Role},
    sign_in::domains,
    unit::{Committed, Unit},
};
use base::{db::Db, input::Patch, refusal::Refusal};

const NO_MEMBER: Refusal = Refusal::Invalid(Cow::Borrowed(
    "no member of the organization has this address",
));

/// What is done to an organization.
#[derive(Debug)]
pub enum Operation {
    /// Gives it another name.
    Rename(String),
    /// Makes the member with this address an owner whom no custom role limits.
    SetOwner(Email),
    /// Vouches that a domain is the organization's, whatever DNS says.
    ProveDomain(String),
}

/// Does it to the organization with this id or slug. `None` if there is no such organization.
///
/// # Errors
/// What members are refused for, too, and an address that no member has.
pub async fn operate(
    db: &Db,
    clock: &Clock,
    id_or_slug: &str,
    operation: Operation,
) -> Result<Option<Organization>, Refusal> {
    let mut tx = db.begin().await?;
    let Some(org) = store::find_by_name_for_update(&mut tx, id_or_slug).await? else {
        return Ok(None);
    };
    let mut unit = Unit::within(tx, org.id, Actor::Operator, clock.now());
    let mut changing = unit.lock_org(clock).await?;
    let done = match operation {
        Operation::Rename(name) => change::rename(&mut changing, name).await?,
        Operation::SetOwner(email) => {
            let account = users::find_credentials(&mut changing, &email).await?;
            let user_id = account.ok_or(NO_MEMBER)?.user.id;
            let member = members::store::find_of_user(&mut changing, org.id, user_id).await?;
            let member_id = member.ok_or(NO_MEMBER)?.id;
            let wanted = MemberChange {
                role: Some(Role::Owner),
                custom_role_id: Patch::Clear,
            };
            let made = members::change::update(&mut changing, Acting::Operator, member_id, wanted);
            made.await?.map(|()| org)
        }
        Operation::ProveDomain(domain) => {
            let proven = domains::prove_as_operator(&mut changing, domain);
            proven.await?.map(|_| org)
        }
    };
    let Committed { made, .. } = unit.commit(done).await?;
    Ok(Some(made))
}
