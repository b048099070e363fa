//! Signing in with e-mail and password.
//!
//! Nothing about an answer tells whether the address has an account: the words are the same, and so is the work before them.

use std::net::IpAddr;

use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    Accounts, email::Email, hasher::HashError, model::User, sessions::SessionError, store::users,
    tokens::TokenPair,
};
use crate::{
    audit::{
        self,
        model::{Actor, Entry},
    },
    db::{self, Db},
    ids::{OrgId, UserId},
    members, orgs,
};

/// What a login asks for.
#[derive(Debug)]
pub struct Login {
    /// Address of the account.
    pub email: Email,
    /// Its password.
    pub password: SecretString,
    /// The organization to act for; `None` chooses.
    pub org_id: Option<OrgId>,
}

/// Why nobody was signed in.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// No such account, wrong password, or a member of nothing.
    #[error("invalid credentials")]
    InvalidCredentials,
    /// The password is right, but the user does not belong to the organization.
    #[error("not a member of the organization")]
    NotAMember,
    /// The password could not be verified.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The user could not be signed in.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

impl Accounts {
    /// Signs a user in.
    ///
    /// # Errors
    /// [`LoginError`].
    pub async fn login(
        &self,
        login: Login,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<(User, TokenPair), LoginError> {
        let found = {
            let mut conn = self.db.acquire().await?;
            users::find_credentials(&mut conn, &login.email).await?
        };
        let (user, stored) = found.map_or((None, None), |found| {
            (Some(found.user), found.password_hash)
        });
        let is_right = self.hasher.verify(login.password, stored).await?;
        let Some(user) = user else {
            return Err(LoginError::InvalidCredentials);
        };
        if !is_right {
            // Writing takes time that an unknown address does not: the caller is not to measure it.
            tokio::spawn(record_failure(self.db.clone(), user.id, ip, now));
            return Err(LoginError::InvalidCredentials);
        }

        let mut tx = self.db.begin().await?;
        let member = members::store::find_for_login(&mut tx, user.id, login.org_id).await?;
        let Some(member) = member else {
            return Err(match login.org_id {
                Some(_) => LoginError::NotAMember,
                None => LoginError::InvalidCredentials,
            });
        };
        let data_region = orgs::store::get_data_region(&mut tx, member.org_id).await?;
        let tokens = self
            .open_session(&mut tx, &member, &data_region, now)
            .await?;
        let actor = Actor::User {
            id: user.id,
            ip: Some(ip),
        };
        let entry = Entry::new(member.org_id, actor, "auth.login").on(user.id);
        audit::store::record(&mut tx, entry, now).await?;
        tx.commit().await?;
        Ok((user, tokens))
    }
}

/// Tells the trail of the organization that the user would have signed in to.
async fn record_failure(db: Db, user_id: UserId, ip: IpAddr, now: OffsetDateTime) {
    let recorded = async {
        let mut conn = db.acquire().await?;
        let Some(member) = members::store::find_for_login(&mut conn, user_id, None).await? else {
            return Ok(());
        };
        let actor = Actor::User {
            id: user_id,
            ip: Some(ip),
        };
        let entry = Entry::new(member.org_id, actor, "auth.login_failed").on(user_id);
        audit::store::record(&mut conn, entry, now).await
    };
    if let Err(error) = recorded.await {
        tracing::error!(
            error = serving::error::chain(&error),
            "a failed login was not recorded"
        );
    }
}
