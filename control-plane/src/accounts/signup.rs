//! Signing up in two steps: whoever receives the code at an address may open an account with it.
//!
//! Nothing but a pending row exists before the code is proven, and everything or nothing after it: the pending row is
//! deleted in the transaction that makes the account. The row's lock orders what happens to one address, so a code is used
//! once and wrong ones are counted exactly, whatever arrives at the same time.

use std::{net::IpAddr, time::Duration};

use time::OffsetDateTime;

use super::{
    Accounts, Registration,
    code::{Code, CodeError, Purpose, SentCode},
    email::Email,
    found::{FoundError, Founded},
    hasher::HashError,
    model::User,
    store::{
        pending_signups::{self, PendingSignup},
        sent_codes::{self, CountError},
        stubs, users,
    },
};
use crate::{
    db::{self, Tx},
    ids::UserId,
    mail::Template,
    members,
};

/// Why a sign-up was not begun.
#[derive(Debug, thiserror::Error)]
pub enum InitiateError {
    /// The address has an account with a password.
    #[error("email already registered")]
    EmailTaken,
    /// The password could not be hashed.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The address was sent its share of codes, or the database failed.
    #[error(transparent)]
    Count(#[from] CountError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Why no further code was sent.
#[derive(Debug, thiserror::Error)]
pub enum ResendError {
    /// Nothing waits for a code.
    #[error("no pending sign-up")]
    NoPendingSignup,
    /// The last one was sent just now.
    #[error("a code was sent just now")]
    TooSoon {
        /// When another may be sent.
        retry_after: Duration,
    },
    /// The address was sent its share of codes, or the database failed.
    #[error(transparent)]
    Count(#[from] CountError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Why a sign-up was not completed.
#[derive(Debug, thiserror::Error)]
pub enum CompleteError {
    /// Nothing waits for a code, or somebody was faster.
    #[error("no pending sign-up")]
    NoPendingSignup,
    /// The code was refused.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The address was registered in another way meanwhile.
    #[error("email already registered")]
    EmailTaken,
    /// The organization could not be founded.
    #[error(transparent)]
    Found(#[from] FoundError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

impl Accounts {
    /// Keeps a sign-up, in place of one that waits for the same address, and mails its code.
    pub async fn initiate_signup(
        &self,
        registration: Registration,
        now: OffsetDateTime,
    ) -> Result<(), InitiateError> {
        let email = registration.email;
        {
            let mut conn = self.db.acquire().await?;
            let found = users::find_credentials(&mut conn, &email).await?;
            if found.is_some_and(|found| found.password_hash.is_some()) {
                return Err(InitiateError::EmailTaken);
            }
        }
        let password = registration.password.into_secret();
        let password_hash = self.hasher.hash(password).await?;

        let (code, sent) = self.signup_code(&email, now);
        let pending = PendingSignup {
            name: registration.name,
            org_name: registration.org_name,
            data_region: registration.data_region,
            password_hash,
            code: sent,
            code_sent_at: now,
        };
        let mut tx = self.db.begin().await?;
        pending_signups::upsert(&mut tx, &email, &pending).await?;
        self.queue_signup_code(&mut tx, &email, &code, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Mails another code for the sign-up that waits, with attempts of its own. The one before is no longer good.
    pub async fn resend_signup_code(
        &self,
        email: &Email,
        now: OffsetDateTime,
    ) -> Result<(), ResendError> {
        let mut tx = self.db.begin().await?;
        let pending = pending_signups::find_for_update(&mut tx, email)
            .await?
            .ok_or(ResendError::NoPendingSignup)?;
        let next = pending.code_sent_at + self.settings.proofs.resend_interval;
        if now < next {
            let retry_after = (next - now).unsigned_abs();
            return Err(ResendError::TooSoon { retry_after });
        }

        let (code, sent) = self.signup_code(email, now);
        let pending = PendingSignup {
            code: sent,
            code_sent_at: now,
            ..pending
        };
        pending_signups::upsert(&mut tx, email, &pending).await?;
        self.queue_signup_code(&mut tx, email, &code, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Opens the account that waits for this code: a user with a proven address, who owns a new organization on trial.
    /// An account that an invitation made for the address becomes theirs, with its memberships.
    ///
    /// # Errors
    /// [`CompleteError`]. Whatever fails, nothing of the account exists then, and the code stays good.
    pub async fn complete_signup(
        &self,
        email: &Email,
        typed: &str,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<Founded, CompleteError> {
        let mut tx = self.db.begin().await?;
        let pending = pending_signups::find_for_update(&mut tx, email)
            .await?
            .ok_or(CompleteError::NoPendingSignup)?;
        let attempts = self.settings.proofs.max_attempts.get();
        let checked = self
            .codes
            .check(Purpose::Signup, email, typed, &pending.code, attempts, now);
        if let Err(error) = checked {
            if error == CodeError::Wrong {
                pending_signups::add_failed_attempt(&mut tx, email).await?;
                tx.commit().await?;
            }
            return Err(error.into());
        }
        if !pending_signups::delete(&mut tx, email, &pending.code.hash).await? {
            return Err(CompleteError::NoPendingSignup);
        }

        let user = User {
            id: UserId::new(now),
            email: email.as_str().to_owned(),
            name: pending.name,
            email_verified: true,
            created_at: now,
        };
        let user = stubs::insert_or_claim(&mut tx, &user, &pending.password_hash)
            .await?
            .ok_or(CompleteError::EmailTaken)?;
        members::record_joined(&mut tx, &user, ip, now).await?;
        let welcome = Template::Welcome {
            name: &user.name,
            organization: &pending.org_name,
            link: &self.urls.dashboard,
        };
        self.mailer
            .enqueue(&mut tx, email.as_str(), &welcome, now)
            .await?;
        let (unit, founded) = self
            .found(tx, user, pending.org_name, &pending.data_region, ip, now)
            .await?;
        // Nobody waits for the edges: there is no API key yet to ask them with.
        Ok(unit.commit(founded).await?.made)
    }

    fn signup_code(&self, email: &Email, now: OffsetDateTime) -> (Code, SentCode) {
        let code = Code::random();
        let sent = SentCode {
            hash: self.codes.hash(Purpose::Signup, email, &code),
            expires_at: now + self.settings.proofs.signup_ttl,
            failed_attempts: 0,
        };
        (code, sent)
    }

    async fn queue_signup_code(
        &self,
        tx: &mut Tx,
        email: &Email,
        code: &Code,
        now: OffsetDateTime,
    ) -> Result<(), CountError> {
        let proofs = &self.settings.proofs;
        sent_codes::count(tx, email, proofs.codes_per_hour, now).await?;
        let mail = Template::SignupCode {
            code: code.as_str(),
            valid_for: proofs.signup_ttl,
        };
        self.mailer.enqueue(tx, email.as_str(), &mail, now).await?;
        Ok(())
    }
}
