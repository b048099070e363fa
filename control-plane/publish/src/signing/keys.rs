//! Making and replacing the keys that sign.

use base::{
    db::{self, Db},
    sealing::{OpenError, Sealer, purpose},
};
use protocol::signature::{BadKey, SigningKey};
use secrecy::SecretString;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::store::{self, StoredKey};

/// The keys whose signatures are accepted now.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    /// In the order in which they sign; at most one is still to begin.
    pub(super) stored: Vec<StoredKey>,
}

/// Why keys cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error("the key that signs cannot be opened")]
    Sealed(#[from] OpenError),
    #[error(transparent)]
    Bad(#[from] BadKey),
}

/// Why a key is not replaced.
#[derive(Debug, thiserror::Error)]
pub enum RotateError {
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("another key is to sign already, from {0} on")]
    Waiting(String),
}

impl From<db::Error> for RotateError {
    fn from(error: db::Error) -> Self {
        Self::Key(error.into())
    }
}

impl Keys {
    /// The stored keys; the first one is made if there is none.
    pub(super) async fn load(
        db: &Db,
        secret: &SecretString,
        now: OffsetDateTime,
    ) -> db::Result<Self> {
        let stored = store::list(&mut *db.acquire().await?, now).await?;
        if !stored.is_empty() {
            return Ok(Self { stored });
        }
        let mut tx = db.begin().await?;
        store::lock(&mut tx).await?;
        // Another process may have made it meanwhile.
        let mut stored = store::list(&mut tx, now).await?;
        if stored.is_empty() {
            let first = make(secret, now, now);
            store::insert(&mut tx, &first).await?;
            tracing::info!("made the key that signs what edges are sent");
            stored.push(first);
        }
        tx.commit().await?;
        Ok(Self { stored })
    }

    /// Before this nothing is signed any more, whatever the clock says.
    pub(super) fn signed_until(&self) -> Option<OffsetDateTime> {
        self.stored.iter().map(|key| key.signed_until).max()
    }

    /// The key that signs now: the last one that has begun. Where a clock was set back before all of them, the first.
    pub(super) fn signing(&self, now: OffsetDateTime) -> Option<&StoredKey> {
        let begun = |key: &&StoredKey| key.signs_from <= now;
        let last = self.stored.iter().rev().find(begun);
        last.or_else(|| self.stored.first())
    }
}

impl StoredKey {
    /// Opens the key.
    pub(super) fn open(&self, secret: &SecretString) -> Result<SigningKey, KeyError> {
        let seed = Sealer::new(secret, purpose::SIGNING).open(&self.sealed_seed)?;
        Ok(SigningKey::from_seed(&seed)?)
    }
}

/// Makes another key, which signs after some time, during which edges and SDKs can learn of it. The signatures of those before
/// are accepted for the overlap after that.
///
/// # Errors
/// When there is one already that does not sign yet.
pub async fn rotate(
    db: &Db,
    secret: &SecretString,
    now: OffsetDateTime,
    after: Duration,
    overlap: Duration,
) -> Result<StoredKey, RotateError> {
    let mut tx = db.begin().await?;
    store::lock(&mut tx).await?;
    let stored = store::list(&mut tx, now).await?;
    if let Some(waiting) = stored.iter().find(|key| key.signs_from > now) {
        return Err(RotateError::Waiting(base::operator::date(
            waiting.signs_from,
        )));
    }
    let next = make(secret, now, now + after);
    store::insert(&mut tx, &next).await?;
    store::end_others(&mut tx, next.id, next.signs_from + overlap).await?;
    tx.commit().await?;
    Ok(next)
}

/// The keys whose signatures are accepted, in the order in which they sign.
pub async fn list(db: &Db, now: OffsetDateTime) -> db::Result<Vec<StoredKey>> {
    store::list(&mut *db.acquire().await?, now).await
}

fn make(secret: &SecretString, now: OffsetDateTime, signs_from: OffsetDateTime) -> StoredKey {
    let mut seed = Zeroizing::new([0; 32]);
    aws_lc_rs::rand::fill(seed.as_mut_slice()).expect("the system has random numbers");
    let key = SigningKey::from_seed(seed.as_slice()).expect("a seed has 32 bytes");
    StoredKey {
        id: Uuid::now_v7(),
        public_key: key.public_key().to_vec(),
        sealed_seed: Sealer::new(secret, purpose::SIGNING).seal(seed.as_slice()),
        created_at: now,
        signs_from,
        signed_until: now,
        ends_at: None,
    }
}
