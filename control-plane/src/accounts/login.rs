//! Signing in with e-mail, password and, if the user enrolled one, a second factor.
//!
//! No answer reveals whether the address has an account: the words are the same, and so is the work before them,
//! including the counting of failures.

use std::net::IpAddr;

use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    Accounts,
    email::Email,
    failures::Failure,
    hasher::{HashError, Verdict},
    lockout::{Locked, LockoutError},
    model::User,
    sessions::SessionError,
    store::users::{self, Credentials},
    tokens::TokenPair,
};
use crate::{
    db,
    events::{self, Action, Actor, Event, Subject},
    ids::OrgId,
    members,
    mfa::{MfaError, ProveError},
    orgs,
};

/// What a login asks for.
#[derive(Debug)]
pub struct Login {
    pub email: Email,
    pub password: SecretString,
    /// A code from the user's authenticator, or a backup code.
    pub mfa_code: Option<SecretString>,
    /// The organization to act for; without it one is chosen.
    pub org_id: Option<OrgId>,
}

#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    #[error("invalid credentials")]
    InvalidCredentials,
    #[error("mfa_required")]
    MfaRequired,
    #[error("invalid mfa code")]
    InvalidMfaCode,
    #[error(transparent)]
    Locked(#[from] Locked),
    #[error("not a member of the organization")]
    NotAMember,
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error(transparent)]
    Mfa(#[from] MfaError),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Database(#[from] db::Error),
}

impl From<LockoutError> for LoginError {
    fn from(error: LockoutError) -> Self {
        match error {
            LockoutError::Locked(locked) => Self::Locked(locked),
            LockoutError::Database(source) => Self::Database(source),
        }
    }
}

impl From<ProveError> for LoginError {
    fn from(error: ProveError) -> Self {
        match error {
            ProveError::MissingCode => Self::MfaRequired,
            ProveError::WrongCode => Self::InvalidMfaCode,
            ProveError::Fault(source) => Self::Mfa(source),
        }
    }
}

impl Accounts {
    /// Signs a user in. Every wrong password or code counts towards the lockout of the address.
    pub async fn login(
        &self,
        login: Login,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<(User, TokenPair), LoginError> {
        self.lockout.check(login.email.as_str(), now).await?;
        let found = {
            let mut conn = self.db.acquire().await?;
            users::find_credentials(&mut conn, &login.email).await?
        };
        // An invited account without a password cannot sign in yet.
        let account = found
            .as_ref()
            .filter(|found| found.password_hash.is_some())
            .map(|found| found.user.clone());
        match self.attempt(&login, found, ip, now).await {
            Err(refused @ (LoginError::InvalidCredentials | LoginError::InvalidMfaCode)) => {
                let failure = Failure::Login;
                self.count_failure(failure, login.email.as_str(), account, ip, now)
                    .await?;
                Err(refused)
            }
            answer => answer,
        }
    }

    async fn attempt(
        &self,
        login: &Login,
        found: Option<Credentials>,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<(User, TokenPair), LoginError> {
        let (user, stored) = found.map_or((None, None), |found| {
            (Some(found.user), found.password_hash)
        });
        let verdict = self
            .hasher
            .verify(login.password.clone(), stored.clone())
            .await?;
        let user = match user {
            Some(user) if verdict != Verdict::Wrong => user,
            Some(_) | None => return Err(LoginError::InvalidCredentials),
        };

        let mut tx = self.db.begin().await?;
        // Before anything reveals that the password is right: concurrent attempts may have locked the address.
        self.lockout
            .forgive(&mut tx, login.email.as_str(), now)
            .await?;
        // A concurrent reset revokes the sessions that exist; the one created here must not outlive it.
        let current = users::get_hash_for_share(&mut tx, user.id).await?;
        if current != stored
            && self.hasher.verify(login.password.clone(), current).await? == Verdict::Wrong
        {
            return Err(LoginError::InvalidCredentials);
        }
        self.mfa
            .prove(&mut tx, user.id, login.mfa_code.as_ref(), now)
            .await?;
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
        let event = Event::new(Action::AuthLogin, Subject::User(user.id));
        let actor = Actor::user(user.id, ip);
        events::record(&mut tx, member.org_id, actor, event, now).await?;
        tx.commit().await?;

        if let (Verdict::RightButOutdated, Some(outdated)) = (verdict, stored) {
            self.rehash(user.id, login.password.clone(), outdated);
        }
        Ok((user, tokens))
    }
}
