//! The second factor: an authenticator that computes codes from a shared secret and the time (TOTP, RFC 6238), and backup codes
//! for a lost one.
//!
//! Enabling creates a secret without effect until a code proves that the authenticator has it. From then on logins require a
//! code, on every plan. A code is consumed in the transaction of the operation that it allows, by one statement that succeeds
//! only once.

mod backup_codes;
pub mod model;
pub mod store;
mod totp;

use std::borrow::Cow;

use secrecy::{ExposeSecret, SecretString};
use sqlx::PgConnection;
use time::OffsetDateTime;

use self::{
    backup_codes::{BackupCode, BackupCodes},
    model::MfaStatus,
    store::Stored,
    totp::Authenticator,
};
use crate::{
    accounts::store::users,
    events::{self, Action, Event, Subject},
    members::caller::Caller,
};
use base::{
    db::{self, Db, Tx},
    ids::UserId,
    refusal::Refusal,
    sealing::{OpenError, Sealer, purpose},
};

pub struct Mfa {
    db: Db,
    sealer: Sealer,
    backup_codes: BackupCodes,
}

/// Shown once, when an authenticator is enrolled.
#[derive(Debug)]
pub struct Enrolment {
    /// The shared secret, base32 without padding.
    pub secret: String,
    /// The same as a URI, which authenticators read from a QR code.
    pub uri: String,
    pub backup_codes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Proof {
    /// Proved, or not required.
    Given,
    Missing,
    /// The code is wrong or used.
    Wrong,
}

/// The database holds a secret that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("opening the secret of an authenticator")]
struct SecretError(#[from] OpenError);

impl From<SecretError> for Refusal {
    fn from(error: SecretError) -> Self {
        Self::Fault(error.into())
    }
}

pub use self::backup_codes::PURPOSE as BACKUP_CODES;

pub const NOT_ENROLLED: Refusal = Refusal::Invalid(Cow::Borrowed("mfa is not enrolled"));
const UNPROVEN: Refusal = Refusal::Forbidden(
    "prove first that the address is yours: set a password by a mailed code (POST /v1/auth/forgot-password)",
);
const ACTIVE: Refusal = Refusal::Conflict(Cow::Borrowed("mfa is already active"));
pub const WRONG_CODE: &str = "invalid mfa code";

impl Mfa {
    /// Uses `APP_SECRET` to seal secrets and to hash backup codes.
    pub fn new(db: Db, app_secret: &SecretString) -> Self {
        Self {
            db,
            sealer: Sealer::new(app_secret, purpose::MFA),
            backup_codes: BackupCodes::new(app_secret),
        }
    }

    /// Creates a secret and backup codes, replacing those that were never verified.
    pub async fn enable(
        &self,
        caller: &Caller,
        account: &str,
        now: OffsetDateTime,
    ) -> Result<Enrolment, Refusal> {
        let user_id = caller.user_id;
        let authenticator = Authenticator::generate();
        let codes = BackupCode::generate_set();
        let sealed = self.sealer.seal(authenticator.secret());

        let mut tx = self.db.begin().await?;
        require_proof(&mut tx, user_id).await?;
        if !store::insert_pending(&mut tx, user_id, &sealed).await? {
            return Err(ACTIVE);
        }
        let hasher = self.backup_codes(&mut tx).await?;
        let hashes: Vec<_> = codes.iter().map(|code| hasher.hash(code)).collect();
        store::replace_backup_codes(&mut tx, user_id, &hashes).await?;
        let event = Event::new(Action::MfaEnrolmentStarted, Subject::User(user_id));
        events::record(&mut tx, caller.org_id, caller.actor(), event, now).await?;
        tx.commit().await?;

        Ok(Enrolment {
            secret: authenticator.base32(),
            uri: authenticator.uri(account),
            backup_codes: codes.into_iter().map(String::from).collect(),
        })
    }

    /// Activates the enrolled authenticator with one of its codes.
    pub async fn verify(
        &self,
        caller: &Caller,
        code: &str,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        let user_id = caller.user_id;
        let mut tx = self.db.begin().await?;
        require_proof(&mut tx, user_id).await?;
        let stored = store::find_for_update(&mut tx, user_id)
            .await?
            .ok_or(NOT_ENROLLED)?;
        if stored.enrolled_at.is_some() {
            return Err(ACTIVE);
        }
        let step = self
            .open(&stored)?
            .check(code, now)
            .ok_or(Refusal::Unprocessable(WRONG_CODE))?;
        store::activate(&mut tx, user_id, step, now).await?;
        let [before, after] = [None, Some(now)].map(MfaStatus::since);
        let event = Event::updated(Action::MfaEnabled, Subject::User(user_id), &before, &after);
        events::record(&mut tx, caller.org_id, caller.actor(), event, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// When the user's authenticator was activated; `None` if none is active.
    pub async fn enrolled_at(&self, user_id: UserId) -> db::Result<Option<OffsetDateTime>> {
        store::find_enrolled_at(&mut *self.db.acquire().await?, user_id).await
    }

    /// Consumes a code of the user if one is required: of the authenticator or a backup code, each only once. Rolled back with
    /// the transaction. Without an active authenticator nothing is required.
    pub async fn prove(
        &self,
        tx: &mut Tx,
        user_id: UserId,
        code: Option<&SecretString>,
        now: OffsetDateTime,
    ) -> Result<Proof, Refusal> {
        let stored = store::find_for_update(tx, user_id).await?;
        let Some(stored) = stored.filter(|stored| stored.enrolled_at.is_some()) else {
            return Ok(Proof::Given);
        };
        let Some(code) = code else {
            return Ok(Proof::Missing);
        };
        let code = code.expose_secret().trim();
        let is_used = if let Some(step) = self.open(&stored)?.check(code, now) {
            store::use_step(tx, user_id, step).await?
        } else if let Some(code) = BackupCode::parse(code) {
            let hash = self.backup_codes(tx).await?.hash(&code);
            store::delete_backup_code(tx, user_id, &hash).await?
        } else {
            false
        };
        Ok(if is_used { Proof::Given } else { Proof::Wrong })
    }

    /// Removes the caller's authenticator and backup codes; false if none was active.
    pub async fn remove(tx: &mut Tx, caller: &Caller, now: OffsetDateTime) -> db::Result<bool> {
        let Some(enrolled_at) = store::delete_active(tx, caller.user_id).await? else {
            return Ok(false);
        };
        let event = disabled(caller.user_id, enrolled_at);
        events::record(tx, caller.org_id, caller.actor(), event, now).await?;
        Ok(true)
    }

    /// Removes an authenticator enrolled under an unproven password; returns the event to record.
    pub async fn retire(tx: &mut Tx, user_id: UserId) -> db::Result<Option<Event>> {
        let enrolled_at = store::delete(tx, user_id).await?;
        Ok(enrolled_at.map(|enrolled_at| disabled(user_id, enrolled_at)))
    }

    /// The key of backup codes: derived from `APP_SECRET`, or the one stored when the secret was replaced.
    async fn backup_codes(&self, conn: &mut PgConnection) -> Result<BackupCodes, Refusal> {
        let Some(sealed) = store::find_sealed_key(conn).await? else {
            return Ok(self.backup_codes.clone());
        };
        let key = self.sealer.open(&sealed).map_err(SecretError)?;
        let kept = BackupCodes::kept(&key).ok_or(SecretError(OpenError))?;
        Ok(kept)
    }

    fn open(&self, stored: &Stored) -> Result<Authenticator, SecretError> {
        let secret = self.sealer.open(&stored.secret)?;
        Ok(Authenticator::new(&secret).ok_or(OpenError)?)
    }
}

/// Refuses users whose password is unproven: the true holder of the address could not pass a second factor enrolled by someone
/// else.
async fn require_proof(tx: &mut Tx, user_id: UserId) -> Result<(), Refusal> {
    if users::is_password_proven(tx, user_id).await? {
        Ok(())
    } else {
        Err(UNPROVEN)
    }
}

fn disabled(user_id: UserId, enrolled_at: OffsetDateTime) -> Event {
    let [before, after] = [Some(enrolled_at), None].map(MfaStatus::since);
    Event::updated(Action::MfaDisabled, Subject::User(user_id), &before, &after)
}
