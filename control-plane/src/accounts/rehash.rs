//! Rehashing a password whose hash is weaker than the settings require now: only a login knows the password.

use secrecy::SecretString;

use super::{Accounts, hasher::Hasher, store::users};
use crate::{db::Db, ids::UserId, refusal::Refusal};

impl Accounts {
    /// Replaces the hash `outdated` of `password` in the background. If that fails, the next login tries again.
    pub(super) fn rehash(&self, user_id: UserId, password: SecretString, outdated: String) {
        let (db, hasher) = (self.db.clone(), self.hasher.clone());
        tokio::spawn(async move {
            if let Err(error) = replace(&db, &hasher, user_id, password, &outdated).await {
                let error = serving::error::chain(&error);
                tracing::error!(error, user.id = %user_id, "a password was not rehashed");
            }
        });
    }
}

async fn replace(
    db: &Db,
    hasher: &Hasher,
    user_id: UserId,
    password: SecretString,
    outdated: &str,
) -> Result<(), Refusal> {
    let hash = hasher.hash(password).await?;
    let mut conn = db.acquire().await?;
    users::update_outdated_hash(&mut conn, user_id, outdated, &hash).await?;
    Ok(())
}
