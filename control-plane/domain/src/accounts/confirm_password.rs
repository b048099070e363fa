//! Proving the caller's own password before something that cannot be undone.
//!
//! Wrong ones count towards the lockout of the address, so that an open session cannot be used to guess the password.

use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    Accounts,
    failures::{Failed, Failure},
    store::users::{self, Credentials},
};
use crate::members::caller::Caller;
use base::refusal::Refusal;

impl Accounts {
    /// Refuses a wrong password.
    pub async fn confirm_password(
        &self,
        caller: &Caller,
        password: &SecretString,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        let account = self.own_credentials(caller, now).await?;
        let email = account.user.email.clone();
        let attempt = self
            .match_password(caller, &email, password, account.password_hash, now)
            .await;
        let (failure, user) = (Failure::Confirmation, Some(account.user));
        self.count_guess(failure, attempt, &email, user, caller.ip, now)
            .await
    }

    /// The caller's account and the hash of its password, unless too many wrong ones locked its address.
    pub(super) async fn own_credentials(
        &self,
        caller: &Caller,
        now: OffsetDateTime,
    ) -> Result<Credentials, Refusal> {
        let found = {
            let mut conn = self.db.acquire().await?;
            users::find_credentials_of(&mut conn, caller.user_id).await?
        };
        let account = found.ok_or(Refusal::INVALID_TOKEN)?;
        self.lockout.check(&account.user.email, now).await?;
        Ok(account)
    }

    async fn match_password(
        &self,
        caller: &Caller,
        email: &str,
        password: &SecretString,
        stored: Option<String>,
        now: OffsetDateTime,
    ) -> Result<(), Failed> {
        self.compare(password, stored, caller).await?;
        let mut tx = self.db.begin().await?;
        // Concurrent attempts may have locked the address.
        self.lockout.forgive(&mut tx, email, now).await?;
        Ok(tx.commit().await?)
    }
}
