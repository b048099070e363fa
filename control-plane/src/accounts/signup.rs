//! Signing up in two steps: the person who receives the code at an address may open an account with it.
//!
//! Before the code is proven only a pending row exists; it is deleted in the transaction that creates the account. The
//! lock on that row orders everything that concerns one address, so a code is used once and wrong ones are counted
//! exactly, even when requests arrive at the same time.

use std::{borrow::Cow, net::IpAddr};

use time::OffsetDateTime;

use super::{
    Accounts, Registration,
    code::{Code, CodeError, Purpose, SentCode},
    email::Email,
    found::Founded,
    model::User,
    store::{
        pending_signups::{self, PendingSignup},
        sent_codes, stubs, users,
    },
};
use crate::{db::Tx, ids::UserId, mail::Template, members, refusal::Refusal};

const EMAIL_TAKEN: &str = "email already registered";
const NO_PENDING_SIGNUP: Refusal =
    Refusal::Invalid(Cow::Borrowed("no pending sign-up for this email"));

impl Accounts {
    /// Stores a sign-up, replacing a pending one for the same address, and mails its code.
    pub async fn initiate_signup(
        &self,
        registration: Registration,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        let email = registration.email;
        {
            let mut conn = self.db.acquire().await?;
            let found = users::find_credentials(&mut conn, &email).await?;
            if found.is_some_and(|found| found.password_hash.is_some()) {
                return Err(Refusal::conflict(EMAIL_TAKEN));
            }
        }
        let password = registration.password.into_secret();
        let password_hash = self.hasher.hash(password, ip).await?;

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

    /// Mails another code for the pending sign-up, with a new count of attempts. The code before it is no longer valid.
    pub async fn resend_signup_code(
        &self,
        email: &Email,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        let mut tx = self.db.begin().await?;
        let pending = pending_signups::find_for_update(&mut tx, email)
            .await?
            .ok_or(NO_PENDING_SIGNUP)?;
        let next = pending.code_sent_at + self.settings.proofs.resend_interval;
        if now < next {
            let words = "a code was sent just now, please wait before asking for another";
            return Err(Refusal::until(next, now, words));
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
    /// An account that an invitation created for the address becomes theirs, with its memberships.
    ///
    /// If anything fails, no part of the account exists, and the code stays valid.
    pub async fn complete_signup(
        &self,
        email: &Email,
        typed: &str,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<Founded, Refusal> {
        let mut tx = self.db.begin().await?;
        let pending = pending_signups::find_for_update(&mut tx, email)
            .await?
            .ok_or(NO_PENDING_SIGNUP)?;
        let attempts = self.settings.proofs.max_attempts.get();
        let checked = self
            .codes
            .check(Purpose::Signup, email, typed, &pending.code, attempts, now);
        if let Err(error) = checked {
            if error == CodeError::Wrong {
                pending_signups::add_failed_attempt(&mut tx, email).await?;
                tx.commit().await?;
            }
            return Err(Purpose::Signup.refusal(error));
        }
        if !pending_signups::delete(&mut tx, email, &pending.code.hash).await? {
            return Err(NO_PENDING_SIGNUP);
        }

        let user = User {
            id: UserId::new(now),
            email: email.as_str().to_owned(),
            name: pending.name,
            email_verified: true,
            created_at: now,
        };
        let stub = users::find_credentials(&mut tx, email).await?;
        let former_name = stub.map_or_else(|| user.email.clone(), |stub| stub.user.name);
        let user = stubs::insert_or_claim(&mut tx, &user, &pending.password_hash)
            .await?
            .ok_or_else(|| Refusal::invalid(EMAIL_TAKEN))?;
        members::record_joined(&mut tx, &user, &former_name, ip, now).await?;
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
        // No need to wait for the edges: there is no API key yet to ask them with.
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
    ) -> Result<(), Refusal> {
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
