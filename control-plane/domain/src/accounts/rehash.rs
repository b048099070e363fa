//! Rehashing a password whose hash is weaker than the current settings require: only a login knows the password.

use std::net::IpAddr;

use secrecy::SecretString;
use serving::error::chain;

use super::{Accounts, hasher::HashError, store::users};
use base::{
    db::{self, Db},
    ids::UserId,
};

impl Accounts {
    /// Replaces the hash `outdated` of `password` after the answer. If that fails, or under overload, the next login tries
    /// again.
    pub(super) async fn rehash(
        &self,
        user_id: UserId,
        password: SecretString,
        outdated: String,
        ip: IpAddr,
    ) {
        let Ok(later) = self.after_sign_ins.later(ip).await else {
            return;
        };
        let (db, hasher) = (self.db.clone(), self.hasher.clone());
        let hashing = async move {
            match hasher.hash(password, ip).await {
                Ok(hash) => Some(hash),
                Err(HashError::Busy(_)) => None,
                Err(fault) => {
                    not_rehashed(user_id, &fault);
                    None
                }
            }
        };
        later.run_after(hashing, move |hash| async move {
            if let Err(error) = replace(&db, user_id, &outdated, &hash).await {
                not_rehashed(user_id, &error);
            }
        });
    }
}

async fn replace(db: &Db, user_id: UserId, outdated: &str, hash: &str) -> db::Result<()> {
    let mut conn = db.acquire().await?;
    users::update_outdated_hash(&mut conn, user_id, outdated, hash).await
}

fn not_rehashed(user_id: UserId, error: &(dyn std::error::Error + 'static)) {
    tracing::error!(error = chain(error), user.id = %user_id, "a password was not rehashed");
}
