//! Setting a new password with a code that is mailed to the account's address.
//!
//! Nothing reveals whether an address has an account: every address is counted, gets a row, and runs out of attempts. Without a
//! mail, the hash in the row matches no code. The work is done after the answer, which takes equally long for any address.

use std::{net::IpAddr, sync::Arc};

use rand::{RngExt, rand_core::UnwrapErr, rngs::SysRng};
use serving::error::chain;
use time::OffsetDateTime;

use super::{
    Accounts,
    code::{Code, CodeError, Purpose, SentCode},
    email::Email,
    password::NewPassword,
    store::{families, one_time_tokens, password_resets, sent_codes, users},
    verification::verified,
};
use crate::{
    access_tokens,
    events::{self, Action, Actor, Event, Subject},
    members::{self, Joins},
    mfa::Mfa,
};
use base::{mail::Template, refusal::Refusal};

#[derive(Debug)]
pub struct ResetRequest {
    pub email: Email,
    pub code: String,
    pub password: NewPassword,
}

impl Accounts {
    /// Mails a code if the address has an account with a password. Returns before that is known. Silently sends nothing if the
    /// address has used up its codes. Refuses any address under overload.
    pub async fn forgot_password(
        self: Arc<Self>,
        email: Email,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        let later = self.reset_codes.later(ip).await?;
        later.run(async move {
            match self.send_reset_code(&email, now).await {
                Ok(()) | Err(Refusal::TooMany { .. }) => {}
                Err(fault) => {
                    let error = chain(&fault);
                    tracing::error!(error, "a password reset code was not sent");
                }
            }
        });
        Ok(())
    }

    async fn send_reset_code(&self, email: &Email, now: OffsetDateTime) -> Result<(), Refusal> {
        let proofs = &self.settings.proofs;
        let mut tx = self.db.begin().await?;
        sent_codes::count(&mut tx, email, proofs.codes_per_hour, now).await?;
        let found = users::find_credentials(&mut tx, email).await?;
        let user = found
            .filter(|found| found.password_hash.is_some())
            .map(|found| found.user);

        let code = Code::random();
        let sent = SentCode {
            code_hash: match &user {
                Some(_) => self.codes.hash(Purpose::PasswordReset, email, &code),
                None => hash_of_no_code(),
            },
            expires_at: now + proofs.password_reset_ttl,
            failed_attempts: 0,
        };
        let user_id = user.as_ref().map(|user| user.id);
        password_resets::upsert(&mut tx, email, user_id, &sent).await?;
        if let Some(user) = user {
            let mail = Template::PasswordReset {
                name: &user.name,
                code: code.as_str(),
                valid_for: proofs.password_reset_ttl,
            };
            self.mailer
                .enqueue(&mut tx, &user.email, &mail, now)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Sets the password of the account that the code was sent to, and ends all its sessions, access tokens and one-time tokens. The second
    /// factor stays, unless the password that it was enrolled with was never proven: then it is removed, and the pending
    /// memberships of the address become active.
    pub async fn reset_password(
        &self,
        request: ResetRequest,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        let email = &request.email;
        let code_hash = self.try_reset_code(email, &request.code, now).await?;
        // Slow, so no connection is held meanwhile. If two requests have the right code, one finds it used below.
        let password_hash = self.hasher.hash(request.password.into_secret(), ip).await?;

        let mut tx = self.db.begin().await?;
        let user_id = password_resets::delete(&mut tx, email, &code_hash)
            .await?
            .ok_or_else(|| Purpose::PasswordReset.refusal(CodeError::Wrong))?;
        let was_proven = users::update_password(&mut tx, user_id, &password_hash, now).await?;
        // Before the families: a token exchanged concurrently creates one.
        one_time_tokens::delete_of_user(&mut tx, user_id).await?;
        families::revoke_all(&mut tx, user_id, now).await?;
        access_tokens::store::revoke_of_user(&mut tx, user_id, now).await?;
        let actor = Actor::user(user_id, ip);
        let mut happened = vec![Event::new(
            Action::AuthPasswordReset,
            Subject::User(user_id),
        )];
        if users::update_verified(&mut tx, user_id, now).await? {
            happened.push(verified(user_id));
        }
        let mut joins = Joins::default();
        if !was_proven {
            happened.extend(Mfa::retire(&mut tx, user_id).await?);
            joins = members::begin_waiting(&mut tx, user_id, now).await?;
        }
        // Audit entries belong to an organization; a user removed from all of them has none.
        if let Some(member) = members::store::find_for_login(&mut tx, user_id, None).await? {
            for event in happened {
                events::record(&mut tx, member.org_id, actor, event, now).await?;
            }
        }
        joins.write(&mut tx).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Counts a wrong code. Returns the hash of a right one, which stays valid.
    async fn try_reset_code(
        &self,
        email: &Email,
        typed: &str,
        now: OffsetDateTime,
    ) -> Result<Vec<u8>, Refusal> {
        let purpose = Purpose::PasswordReset;
        let mut tx = self.db.begin().await?;
        let sent = password_resets::find_for_update(&mut tx, email)
            .await?
            .ok_or_else(|| purpose.refusal(CodeError::Wrong))?;
        let attempts = self.settings.proofs.max_attempts.get();
        let checked = self
            .codes
            .check(purpose, email, typed, &sent, attempts, now);
        if checked == Err(CodeError::Wrong) {
            password_resets::add_failed_attempt(&mut tx, email).await?;
            tx.commit().await?;
        }
        checked.map_err(|error| purpose.refusal(error))?;
        Ok(sent.code_hash)
    }
}

fn hash_of_no_code() -> Vec<u8> {
    let hash: [u8; 32] = UnwrapErr(SysRng).random();
    hash.to_vec()
}
