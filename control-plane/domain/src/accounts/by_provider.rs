//! Opening a session for somebody for whom a provider of an organization vouches.
//!
//! Who somebody is at a provider is remembered by its subject. A subject that is new is recognised by its verified address, if that is
//! in a domain which the organization has proven. The provider stands for password and second factor, in its organization
//! alone: the session does not move to another one. To ask for a second factor here as well would teach people to enter codes
//! anywhere.

use serde_json::json;
use serving::clock::Clock;
use time::OffsetDateTime;

use super::{
    Accounts, Device,
    model::User,
    store::{
        families, stubs,
        stubs::Made,
        users::{self, Credentials},
    },
    tokens::{Keeper, TokenPair},
    verification::verified,
};
use crate::{
    events::{Action, Actor, Event, Subject},
    members::{
        change::{admit, allow_another},
        model::{Member, Membership, Role},
        store,
    },
    orgs::activity::arrive,
    scim,
    sign_in::{
        finish::Vouched,
        model::Provider,
        store::{identities, removals},
        vouches_for,
    },
    unit::{Committed, OrgChange, Unit},
};
use base::{
    db::Tx,
    ids::{OrgId, UserId},
    refusal::Refusal,
};

const NO_ADDRESS: Refusal = Refusal::Forbidden(
    "the provider does not name a verified e-mail address, and has not signed you in before",
);
const FOREIGN_DOMAIN: Refusal = Refusal::Forbidden(
    "the organization has not proven the domain of your e-mail address, so its provider cannot vouch for it",
);
const NO_MEMBER: Refusal = Refusal::Forbidden(
    "you are not a member of the organization: have an owner or admin invite you",
);
const UNPROVEN: Refusal = Refusal::Forbidden(
    "your account has a password that was never proven to be yours: reset it at POST /v1/auth/forgot-password first",
);
const OTHER_SUBJECT: Refusal = Refusal::Forbidden(
    "the provider has signed somebody else in with this e-mail address: ask an owner of the organization",
);
const GONE: Refusal = Refusal::Forbidden("the organization is being deleted");

/// Whom a provider means.
struct Found {
    account: Credentials,
    made: Made,
    /// Whether the provider has signed them in before.
    is_known: bool,
}

impl Accounts {
    /// Signs somebody in for whom a provider vouches: a member, or somebody who becomes one where the provider makes members.
    pub async fn sign_in_by_provider(
        &self,
        vouched: Vouched,
        device: &Device,
        clock: &Clock,
    ) -> Result<(User, TokenPair), Refusal> {
        let now = clock.now();
        let (org_id, provider) = (vouched.org_id, &vouched.provider);
        let mut tx = self.db.begin().await?;
        let found = identify(&mut tx, &vouched, now).await?;
        let user_id = found.account.user.id;
        let actor = Actor::user(user_id, device.ip);
        // The end of sessions waits for this lock, and must not miss the one that is opened here.
        users::find_hash_for_share(&mut tx, user_id).await?;
        let arrived = arrive(&mut tx, org_id, actor, now).await?.ok_or(GONE)?;

        let mut unit = Unit::within(tx, org_id, actor, now);
        let mut change = unit.lock_org(clock).await?;
        let member = self.member(&mut change, &vouched, &found).await?;
        if !found.is_known {
            let bound = identities::insert(
                &mut change,
                org_id,
                provider.id,
                &vouched.subject,
                user_id,
                now,
            );
            // A concurrent first sign-in may have bound the same.
            if !bound.await?
                && identities::find_user(&mut change, org_id, provider.id, &vouched.subject).await?
                    != Some(user_id)
            {
                return Err(OTHER_SUBJECT);
            }
        }
        identities::update_used(&mut change, org_id, provider.id, &vouched.subject, now).await?;
        let mut user = found.account.user;
        let is_unclaimed = found.account.password_hash.is_none();
        if is_unclaimed
            && !found.is_known
            && users::update_verified(&mut change, user_id, now).await?
        {
            user.email_verified = true;
            drop(change.record(verified(user_id), ()).await?);
        }
        let (keeper, end) = (Keeper::Client, self.tokens.session_end(now));
        let opened = self
            .open_family(&mut change, &member, &arrived, (keeper, device), end, now)
            .await?;
        families::update_provider(&mut change, org_id, opened.family_id, provider.id).await?;
        let event = Event::new(Action::AuthLogin, Subject::User(user_id))
            .note("provider", &named(provider));
        let recorded = change.record(event, ()).await?;
        let Committed { .. } = unit.commit(recorded).await?;
        Ok((user, opened.pair))
    }

    /// The membership that is signed in to, with the role that the provider gives now.
    async fn member(
        &self,
        change: &mut OrgChange<'_>,
        vouched: &Vouched,
        found: &Found,
    ) -> Result<Membership, Refusal> {
        let (org_id, provider) = (vouched.org_id, &vouched.provider);
        let user_id = found.account.user.id;
        let wanted = vouched
            .role_values
            .as_ref()
            .map(|values| provider.role_for(values));
        let held = match store::find_of_user(change, org_id, user_id).await? {
            Some(held) => held,
            None => {
                may_join(change, vouched, user_id).await?;
                allow_another(change).await?;
                let role = wanted.unwrap_or(provider.default_role);
                // An account that was there before keeps its name to itself until its holder is signed in.
                let known_as = (found.made == Made::Before).then_some(&*found.account.user.email);
                let membership = admit(change, user_id, role, known_as).await?;
                let held = store::find_of_user(change, org_id, user_id).await?;
                let held = held.filter(|held| !held.awaits_proof).ok_or(UNPROVEN)?;
                let member = store::find(change, org_id, membership.id).await?;
                let event = Event::new(
                    Action::SignInMemberProvisioned,
                    Subject::Member(membership.id),
                );
                let event = event.after(&member).note("provider", &named(provider));
                drop(change.record(event, ()).await?);
                held
            }
        };
        // Else whoever registered the address first would get in with its holder.
        if held.awaits_proof {
            return Err(UNPROVEN);
        }
        let mut membership = Membership {
            id: held.id,
            org_id,
            user_id,
            role: held.role,
        };
        // At each sign-in, so that losing a group takes effect. Not for owners: the last one must stay.
        if let Some(role) = wanted
            && role != held.role
            && held.role != Role::Owner
            && !is_kept_by_scim(change, org_id, user_id).await?
        {
            follow(change, provider, &membership, role).await?;
            membership.role = role;
        }
        Ok(membership)
    }
}

/// Finds whom a provider means: by the subject, else by a verified address in a domain of the organization.
async fn identify(tx: &mut Tx, vouched: &Vouched, now: OffsetDateTime) -> Result<Found, Refusal> {
    let (org_id, provider) = (vouched.org_id, &vouched.provider);
    if let Some(user_id) = identities::find_user(tx, org_id, provider.id, &vouched.subject).await? {
        let account = users::find_credentials_of(tx, user_id).await?;
        return Ok(Found {
            account: account.ok_or(NO_MEMBER)?,
            made: Made::Before,
            is_known: true,
        });
    }
    let email = vouched.email.as_ref().ok_or(NO_ADDRESS)?;
    if !vouches_for(tx, org_id, email).await? {
        return Err(FOREIGN_DOMAIN);
    }
    let name = vouched.name.as_deref().unwrap_or(email.as_str());
    // Rolled back with everything else if they may not become a member.
    let (account, made) = stubs::find_or_insert_stub(tx, email, name, now).await?;
    Ok(Found {
        account,
        made,
        is_known: false,
    })
}

/// Refuses those whom a first sign-in does not make members: where the provider makes none, and those whom somebody removed.
async fn may_join(
    change: &mut OrgChange<'_>,
    vouched: &Vouched,
    user_id: UserId,
) -> Result<(), Refusal> {
    let org_id = vouched.org_id;
    let is_refused = !vouched.provider.provisions_members
        || removals::was_removed(change, org_id, user_id).await?
        || scim::store::find_record(change, org_id, user_id)
            .await?
            .is_some();
    if is_refused { Err(NO_MEMBER) } else { Ok(()) }
}

/// Whether an identity provider keeps the member by SCIM, whose roles are given in Halyard.
async fn is_kept_by_scim(
    change: &mut OrgChange<'_>,
    org_id: OrgId,
    user_id: UserId,
) -> Result<bool, Refusal> {
    let record = scim::store::find_record(change, org_id, user_id).await?;
    Ok(record.is_some_and(|record| record.removed_at.is_none()))
}

/// Gives a member the role that the provider says.
async fn follow(
    change: &mut OrgChange<'_>,
    provider: &Provider,
    membership: &Membership,
    role: Role,
) -> Result<(), Refusal> {
    let org_id = membership.org_id;
    let Some(before) = store::find(change, org_id, membership.id).await? else {
        return Err(NO_MEMBER);
    };
    let member = Member {
        role,
        ..before.clone()
    };
    store::update_roles(change, org_id, member.id, role, member.custom_role_id).await?;
    let subject = Subject::Member(member.id);
    let event = Event::updated(Action::MemberRoleChanged, subject, &before, &member)
        .note("provider", &named(provider));
    drop(change.record(event, ()).await?);
    Ok(())
}

/// The provider in an audit entry.
fn named(provider: &Provider) -> serde_json::Value {
    json!({"id": provider.id, "name": provider.name})
}
