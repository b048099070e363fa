//! Rehashing a password whose hash is weaker than the settings require now: only a login knows the password.

use std::net::IpAddr;

use secrecy::SecretString;

use super::{Accounts, hasher::Hasher, store::users};
use crate::{db::Db, ids::UserId, refusal::Refusal};

impl Accounts {
    /// Replaces the hash `outdated` of `password` after the answer. If that fails, or there is too much to do, the next login tries
    /// again.
    pub(super) async fn rehash(
        &self,
        user_id: UserId,
        password: SecretString,
        outdated: String,
        ip: IpAddr,
    ) {
        let Ok(later) = self.afterwards.later(ip).await else {
            return;
        };
        let (db, hasher) = (self.db.clone(), self.hasher.clone());
        later.run(async move {
            if let Err(error) = replace(&db, &hasher, user_id, password, &outdated, ip).await {
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
    ip: IpAddr,
) -> Result<(), Refusal> {
    let hash = hasher.hash(password, ip).await?;
    let mut conn = db.acquire().await?;
    users::update_outdated_hash(&mut conn, user_id, outdated, &hash).await?;
    Ok(())
}
