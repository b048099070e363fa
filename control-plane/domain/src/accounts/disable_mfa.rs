//! Disabling the second factor, which requires the password or a code.
//!
//! Failures count towards the lockout of the address, so that an open session cannot be used to guess passwords and codes.

use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    Accounts,
    failures::{Failed, Failure},
    store::users::{self, Credentials},
};
use crate::{
    members::caller::Caller,
    mfa::{Mfa, NOT_ENROLLED, Proof, WRONG_CODE},
};
use base::refusal::Refusal;

/// Proof of identity. Every value given must be correct.
#[derive(Debug)]
pub struct DisableMfa {
    pub password: Option<SecretString>,
    /// A code from the authenticator, or a backup code.
    pub code: Option<SecretString>,
}

impl Accounts {
    /// Switches the caller's second factor off, and deletes the backup codes.
    pub async fn disable_mfa(
        &self,
        caller: &Caller,
        proof: DisableMfa,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        if proof.password.is_none() && proof.code.is_none() {
            return Err(Refusal::invalid("password or code is required"));
        }
        if self.mfa.enrolled_at(caller.user_id).await?.is_none() {
            return Err(NOT_ENROLLED);
        }
        let Credentials {
            user,
            password_hash,
            ..
        } = {
            let mut conn = self.db.acquire().await?;
            users::find_credentials_of(&mut conn, caller.user_id)
                .await?
                .ok_or(NOT_ENROLLED)?
        };
        self.lockout.check(&user.email, now).await?;
        let attempt = self
            .prove_and_remove(caller, proof, password_hash, now)
            .await;
        let (failure, email) = (Failure::MfaDisable, user.email.clone());
        self.count_guess(failure, attempt, &email, Some(user), caller.ip, now)
            .await
    }

    async fn prove_and_remove(
        &self,
        caller: &Caller,
        proof: DisableMfa,
        password_hash: Option<String>,
        now: OffsetDateTime,
    ) -> Result<(), Failed> {
        if let Some(password) = &proof.password {
            self.compare(password, password_hash, caller).await?;
        }
        let mut tx = self.db.begin().await?;
        let code = proof.code.as_ref();
        if code.is_some()
            && self.mfa.prove(&mut tx, caller.user_id, code, now).await? != Proof::Given
        {
            return Err(Failed::Guess(Refusal::Unprocessable(WRONG_CODE)));
        }
        if !Mfa::remove(&mut tx, caller, now).await? {
            return Err(NOT_ENROLLED.into());
        }
        tx.commit().await?;
        Ok(())
    }
}
