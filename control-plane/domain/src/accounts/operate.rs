//! What operators do to accounts whose holders cannot help themselves. Recorded in every
//! organization that the account has signed in to.

use std::borrow::Cow;

use serde_json::json;
use time::OffsetDateTime;

use super::{
    Accounts,
    email::Email,
    model::User,
    store::{families, login_failures, one_time_tokens, password_resets, users, verifications},
};
use crate::{
    events::{self, Action, Actor, Event, Subject},
    mfa::Mfa,
};
use base::{db::Tx, mail::Template, refusal::Refusal};

/// There is no such account.
pub const UNKNOWN: Refusal = Refusal::Invalid(Cow::Borrowed("no account has this address"));
const NO_SECOND_FACTOR: Refusal =
    Refusal::Invalid(Cow::Borrowed("the account has no second factor"));
const NOT_LOCKED: Refusal = Refusal::Invalid(Cow::Borrowed("the address has no failed logins"));
const SAME: Refusal = Refusal::Invalid(Cow::Borrowed("the account has this address already"));

/// What is done to an account.
#[derive(Debug)]
pub enum Operation {
    /// Removes the second factor and its backup codes.
    ResetSecondFactor,
    /// Forgets failed logins, which ends a lock.
    Unlock,
    /// Ends all sessions, with the tokens that would open one.
    SignOut,
    /// Gives it another address, which counts as proven, and mails that to the old one, whose holder may not have asked. Codes
    /// and links that were mailed there become void.
    SetEmail(Email),
}

impl Accounts {
    /// Does it to the account with this address. Refuses what there is not to do; nothing has changed then.
    pub async fn operate(
        &self,
        email: &Email,
        operation: &Operation,
        now: OffsetDateTime,
    ) -> Result<User, Refusal> {
        let mut tx = self.db.begin().await?;
        let found = users::find_credentials(&mut tx, email)
            .await?
            .ok_or(UNKNOWN)?;
        // Waits for sessions that are being opened, which would be missed.
        users::lock(&mut tx, found.user.id).await?;
        let mut user = users::get(&mut tx, found.user.id).await?;
        let event = apply(&mut tx, &mut user, email, operation, now).await?;
        for org_id in users::list_joined_orgs(&mut tx, user.id).await? {
            events::record(&mut tx, org_id, Actor::Operator, event.clone(), now).await?;
        }
        if let Operation::SetEmail(_) = operation {
            let notice = Template::AddressChanged { name: &user.name };
            let mailer = &self.mailer;
            mailer
                .enqueue(&mut tx, email.as_str(), &notice, now)
                .await?;
        }
        tx.commit().await?;
        Ok(user)
    }
}

async fn apply(
    tx: &mut Tx,
    user: &mut User,
    email: &Email,
    operation: &Operation,
    now: OffsetDateTime,
) -> Result<Event, Refusal> {
    let subject = Subject::User(user.id);
    match operation {
        Operation::ResetSecondFactor => Mfa::retire(tx, user.id).await?.ok_or(NO_SECOND_FACTOR),
        Operation::Unlock => match login_failures::delete(tx, email.as_str()).await? {
            true => Ok(Event::new(Action::AuthUnlocked, subject)),
            false => Err(NOT_LOCKED),
        },
        Operation::SignOut => {
            one_time_tokens::delete_of_user(tx, user.id).await?;
            families::revoke_all(tx, user.id, now).await?;
            Ok(Event::new(Action::AuthLogout, subject))
        }
        Operation::SetEmail(new) if new == email => Err(SAME),
        Operation::SetEmail(new) => {
            users::update_email(tx, user.id, new, now).await?;
            verifications::delete_of_user(tx, user.id).await?;
            password_resets::delete_of_user(tx, user.id).await?;
            let [before, after] = [email, new].map(|email| json!({"email": email.as_str()}));
            user.email = new.as_str().to_owned();
            Ok(Event::updated(
                Action::AuthEmailChanged,
                subject,
                &before,
                &after,
            ))
        }
    }
}
