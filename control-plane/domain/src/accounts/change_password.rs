//! Replacing the caller's own password, which requires the current one.
//!
//! Wrong ones count towards the lockout of the address, so that an open session cannot be used to guess the password.

use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    Accounts,
    failures::{Failed, Failure},
    hasher::Verdict,
    login::{BUSY, INVALID_CREDENTIALS},
    password::NewPassword,
    store::{families, one_time_tokens, users},
};
use crate::{
    events::{self, Action, Event, Subject},
    members::caller::Caller,
};
use base::{ids::FamilyId, refusal::Refusal};

#[derive(Debug)]
pub struct PasswordChange {
    pub current: SecretString,
    pub new: NewPassword,
}

impl Accounts {
    /// Replaces the password, and ends all sessions and one-time tokens of the account but the caller's session. The second
    /// factor stays, and so does what is known of the address: the password was not mailed.
    pub async fn change_password(
        &self,
        caller: &Caller,
        family_id: FamilyId,
        change: PasswordChange,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        let account = self.own_credentials(caller, now).await?;
        let email = account.user.email.clone();
        let stored = account.password_hash;
        let attempt = self
            .replace_password((caller, family_id), &email, change, stored, now)
            .await;
        let (failure, user) = (Failure::PasswordChange, Some(account.user));
        self.count_guess(failure, attempt, &email, user, caller.ip, now)
            .await
    }

    async fn replace_password(
        &self,
        (caller, family_id): (&Caller, FamilyId),
        email: &str,
        change: PasswordChange,
        mut stored: Option<String>,
        now: OffsetDateTime,
    ) -> Result<(), Failed> {
        let (user_id, ip) = (caller.user_id, caller.ip);
        self.compare(&change.current, stored.clone(), caller)
            .await?;
        // Slow, so no connection is held.
        let new_hash = self.hasher.hash(change.new.into_secret(), ip).await?;
        // Again where the hash changes during verification.
        for _ in 0..3 {
            let mut tx = self.db.begin().await?;
            // Concurrent attempts may have locked the address.
            self.lockout.forgive(&mut tx, email, now).await?;
            let former = stored.as_deref().unwrap_or_default();
            if users::replace_password(&mut tx, user_id, former, &new_hash, now).await? {
                // Before the families: a token exchanged concurrently creates one.
                one_time_tokens::delete_of_user(&mut tx, user_id).await?;
                families::revoke_others(&mut tx, user_id, family_id, now).await?;
                let event = Event::new(Action::AuthPasswordChanged, Subject::User(user_id));
                events::record(&mut tx, caller.org_id, caller.actor(), event, now).await?;
                tx.commit().await?;
                return Ok(());
            }
            stored = users::find_hash_for_share(&mut tx, user_id).await?;
            drop(tx);
            self.compare(&change.current, stored.clone(), caller)
                .await?;
        }
        Err(BUSY.into())
    }

    pub(super) async fn compare(
        &self,
        password: &SecretString,
        stored: Option<String>,
        caller: &Caller,
    ) -> Result<(), Failed> {
        let verifying = self.hasher.verify(password.clone(), stored, caller.ip);
        match verifying.await? {
            Verdict::Wrong => Err(Failed::Guess(INVALID_CREDENTIALS)),
            Verdict::Right | Verdict::RightButOutdated => Ok(()),
        }
    }
}
