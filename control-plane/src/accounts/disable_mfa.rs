//! Switching the second factor off, which requires the password or a code.
//!
//! Failures count towards the lockout of the address, so that an open session is no way to try out codes and passwords.

use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    Accounts,
    failures::Failure,
    hasher::{HashError, Verdict},
    lockout::{Locked, LockoutError},
    store::users::{self, Credentials},
};
use crate::{
    db,
    members::caller::Caller,
    mfa::{Mfa, MfaError, ProveError},
};

/// Proof that it is the user who switches it off. Everything given must be right.
#[derive(Debug)]
pub struct DisableMfa {
    /// The current password.
    pub password: Option<SecretString>,
    /// A code from the authenticator, or a backup code.
    pub code: Option<SecretString>,
}

/// Why the second factor was not switched off.
#[derive(Debug, thiserror::Error)]
pub enum DisableMfaError {
    #[error("password or code is required")]
    NoProof,
    #[error("mfa is not enrolled")]
    NotEnrolled,
    #[error("invalid credentials")]
    WrongPassword,
    #[error("invalid mfa code")]
    WrongCode,
    #[error(transparent)]
    Locked(#[from] Locked),
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error(transparent)]
    Mfa(#[from] MfaError),
    #[error(transparent)]
    Database(#[from] db::Error),
}

impl From<LockoutError> for DisableMfaError {
    fn from(error: LockoutError) -> Self {
        match error {
            LockoutError::Locked(locked) => Self::Locked(locked),
            LockoutError::Database(source) => Self::Database(source),
        }
    }
}

impl From<ProveError> for DisableMfaError {
    fn from(error: ProveError) -> Self {
        match error {
            ProveError::MissingCode | ProveError::WrongCode => Self::WrongCode,
            ProveError::Fault(source) => Self::Mfa(source),
        }
    }
}

impl Accounts {
    /// Switches the caller's second factor off, and deletes the backup codes.
    pub async fn disable_mfa(
        &self,
        caller: &Caller,
        proof: DisableMfa,
        now: OffsetDateTime,
    ) -> Result<(), DisableMfaError> {
        if proof.password.is_none() && proof.code.is_none() {
            return Err(DisableMfaError::NoProof);
        }
        if self.mfa.enrolled_at(caller.user_id).await?.is_none() {
            return Err(DisableMfaError::NotEnrolled);
        }
        let Credentials {
            user,
            password_hash,
        } = {
            let mut conn = self.db.acquire().await?;
            users::find_credentials_of(&mut conn, caller.user_id)
                .await?
                .ok_or(DisableMfaError::NotEnrolled)?
        };
        self.lockout.check(&user.email, now).await?;
        match self
            .prove_and_remove(caller, proof, password_hash, now)
            .await
        {
            Err(refused @ (DisableMfaError::WrongPassword | DisableMfaError::WrongCode)) => {
                let email = user.email.clone();
                self.count_failure(Failure::MfaDisable, &email, Some(user), caller.ip, now)
                    .await?;
                Err(refused)
            }
            answer => answer,
        }
    }

    async fn prove_and_remove(
        &self,
        caller: &Caller,
        proof: DisableMfa,
        password_hash: Option<String>,
        now: OffsetDateTime,
    ) -> Result<(), DisableMfaError> {
        if let Some(password) = proof.password
            && self.hasher.verify(password, password_hash).await? == Verdict::Wrong
        {
            return Err(DisableMfaError::WrongPassword);
        }
        let mut tx = self.db.begin().await?;
        if proof.code.is_some() {
            self.mfa
                .prove(&mut tx, caller.user_id, proof.code.as_ref(), now)
                .await?;
        }
        if !Mfa::remove(&mut tx, caller, now).await? {
            return Err(DisableMfaError::NotEnrolled);
        }
        tx.commit().await?;
        Ok(())
    }
}
