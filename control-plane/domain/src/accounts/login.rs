//! Signing in with e-mail, password and, if enrolled, a second factor.
//!
//! No answer reveals whether the address has an account: the messages and the work before them are the same, including the
//! counting of failures.

use std::{net::IpAddr, time::Duration};

use secrecy::SecretString;
use serving::error::chain;
use time::OffsetDateTime;

use super::{
    Accounts, Device,
    email::Email,
    failures::{Failed, Failure},
    hasher::{HashError, Verdict},
    model::User,
    store::users::{self, Credentials},
    tokens::TokenPair,
};
use crate::{
    events::{self, Action, Actor, Event, Subject},
    members,
    mfa::{Proof, WRONG_CODE},
    orgs::activity::arrive,
    sign_in::BY_PROVIDER,
};
use base::{
    db::{self, Db, Tx},
    ids::{OrgId, UserId},
    refusal::Refusal,
};

pub(super) const INVALID_CREDENTIALS: Refusal = Refusal::Unauthenticated("invalid credentials");

pub(super) const BUSY: Refusal = Refusal::Unavailable {
    words: "the account is being changed, please try again",
    retry_after: Some(Duration::from_secs(1)),
};

struct Verified {
    tx: Tx,
    user: User,
    /// The hash, if it must be replaced.
    outdated: Option<String>,
}

#[derive(Debug)]
pub struct Login {
    pub email: Email,
    pub password: SecretString,
    /// A code from the user's authenticator, or a backup code.
    pub mfa_code: Option<SecretString>,
    /// The organization to sign in to; chosen if missing.
    pub org_id: Option<OrgId>,
}

impl Accounts {
    /// Signs a user in. Every wrong password or code counts towards the lockout of the address.
    pub async fn login(
        &self,
        login: Login,
        device: &Device,
        now: OffsetDateTime,
    ) -> Result<(User, TokenPair), Refusal> {
        self.lockout.check(login.email.as_str(), now).await?;
        let found = users::find_credentials(&mut *self.db.acquire().await?, &login.email).await?;
        // An invited account without a password cannot sign in yet.
        let account = found
            .as_ref()
            .filter(|found| found.password_hash.is_some())
            .map(|found| found.user.clone());
        let attempt = self.attempt(&login, found, device, now).await;
        let ip = device.ip;
        let email = login.email.as_str();
        self.count_guess(Failure::Login, attempt, email, account, ip, now)
            .await
    }

    async fn attempt(
        &self,
        login: &Login,
        found: Option<Credentials>,
        device: &Device,
        now: OffsetDateTime,
    ) -> Result<(User, TokenPair), Failed> {
        let ip = device.ip;
        let (user, stored) = found.map_or((None, None), |found| {
            (Some(found.user), found.password_hash)
        });
        let Verified {
            mut tx,
            user,
            outdated,
        } = self.verify(login, user, stored, ip, now).await?;
        let code = login.mfa_code.as_ref();
        match self.mfa.prove(&mut tx, user.id, code, now).await? {
            Proof::Given => {}
            Proof::Missing => return Err(Refusal::Forbidden("mfa_required").into()),
            Proof::Wrong => return Err(Failed::Guess(Refusal::Unauthenticated(WRONG_CODE))),
        }
        let actor = Actor::user(user.id, ip);
        let member = members::store::find_for_password(&mut tx, user.id, login.org_id).await?;
        if member.is_none()
            && members::store::find_for_login(&mut tx, user.id, login.org_id)
                .await?
                .is_some()
        {
            return Err(BY_PROVIDER.into());
        }
        let arrived = match &member {
            Some(member) => arrive(&mut tx, member.org_id, actor, now).await?,
            None => None,
        };
        let (Some(member), Some(arrived)) = (member, arrived) else {
            return Err(match login.org_id {
                Some(_) => Refusal::Forbidden("not a member of the organization").into(),
                None => Failed::Guess(INVALID_CREDENTIALS),
            });
        };
        let tokens = self
            .open_session(&mut tx, &member, &arrived, device, now)
            .await?;
        let event = Event::new(Action::AuthLogin, Subject::User(user.id));
        events::record(&mut tx, member.org_id, actor, event, now).await?;
        tx.commit().await?;

        if let Some(outdated) = outdated {
            let password = login.password.clone();
            self.rehash(user.id, password, outdated, ip).await;
        }
        Ok((user, tokens))
    }

    /// Compares the password, and begins a transaction that locks the compared hash: a concurrent reset revokes the existing
    /// sessions, and a session opened here must not outlive it.
    async fn verify(
        &self,
        login: &Login,
        user: Option<User>,
        mut stored: Option<String>,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<Verified, Failed> {
        // Again where the hash changes during verification.
        for _ in 0..3 {
            // Verified without holding a database connection.
            let verdict = self
                .hasher
                .verify(login.password.clone(), stored.clone(), ip)
                .await?;
            let user = match &user {
                Some(user) if verdict != Verdict::Wrong => user,
                Some(_) | None => return Err(Failed::Guess(INVALID_CREDENTIALS)),
            };
            let mut tx = self.db.begin().await?;
            // Before anything reveals that the password is correct: concurrent attempts may have locked the address.
            self.lockout
                .forgive(&mut tx, login.email.as_str(), now)
                .await?;
            let current = users::find_hash_for_share(&mut tx, user.id).await?;
            if current == stored {
                let outdated = stored.filter(|_| verdict == Verdict::RightButOutdated);
                let user = user.clone();
                return Ok(Verified { tx, user, outdated });
            }
            stored = current;
        }
        Err(BUSY.into())
    }

    /// Replaces the hash `outdated` of `password`, weaker than the settings require, after the answer. If that fails, or under
    /// overload, the next login tries again.
    async fn rehash(&self, user_id: UserId, password: SecretString, outdated: String, ip: IpAddr) {
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
    users::update_outdated_hash(&mut *db.acquire().await?, user_id, outdated, hash).await
}

fn not_rehashed(user_id: UserId, error: &(dyn std::error::Error + 'static)) {
    tracing::error!(error = chain(error), user.id = %user_id, "a password was not rehashed");
}
