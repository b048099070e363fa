//! Signing up in two steps: a mailed code proves the address, then the account is opened.
//!
//! Before the code is proven only a pending row exists; it is deleted in the transaction that creates the account. The lock on
//! that row orders all requests for one address: a code is used once and wrong ones are counted exactly.

use std::{borrow::Cow, net::IpAddr};

use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    Accounts, Device, Registration,
    code::{Code, CodeError, Purpose, SentCode},
    email::Email,
    found::Founded,
    hasher::Verdict,
    join::{claim, newest_invitation},
    model::User,
    register::own,
    store::{
        pending_signups::{self, PendingSignup},
        sent_codes, users,
    },
};
use crate::{events::Actor, members};
use base::{
    config::Page,
    db::Tx,
    mail::{Template, Welcomed},
    refusal::Refusal,
};

const EMAIL_TAKEN: &str = "email already registered";
const NO_PENDING_SIGNUP: Refusal =
    Refusal::Invalid(Cow::Borrowed("no pending sign-up for this email"));
const OTHER_PASSWORD: Refusal = Refusal::Invalid(Cow::Borrowed(
    "the sign-up that waits for this code began with another password: begin again",
));
const WITHDRAWN: Refusal = Refusal::Invalid(Cow::Borrowed(
    "no organization invites this address any more: begin again, with org_name for an organization of your own",
));

impl Accounts {
    /// Stores a sign-up, replacing a pending one for the same address, and mails its code. Without an organization to create,
    /// the address must have a stub account; whether it is invited is not revealed before the address is proven.
    pub async fn initiate_signup(
        &self,
        registration: Registration,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        let email = registration.email;
        {
            let mut conn = self.db.acquire().await?;
            if let Err(refusal) = self.allow_uninvited()
                && !members::store::is_invited(&mut conn, &email).await?
            {
                return Err(refusal);
            }
            let found = users::find_credentials(&mut conn, &email).await?;
            let is_claimed = found.as_ref().map(|found| found.password_hash.is_some());
            // Same answer with and without an account.
            if registration.organization.is_none() && is_claimed != Some(false) {
                own(None)?;
            }
            if is_claimed == Some(true) {
                return Err(Refusal::conflict(EMAIL_TAKEN));
            }
        }
        let password = registration.password.into_secret();
        let password_hash = self.hasher.hash(password, ip).await?;

        let (code, sent) = self.signup_code(&email, now);
        let pending = PendingSignup {
            name: registration.name,
            organization: registration.organization,
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

    /// Mails a new code for the pending sign-up and resets the count of attempts. The previous code becomes invalid.
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

    /// Opens the account of this code: a user with a proven address, who owns a new organization or is signed in to the one
    /// that invited them last. A stub account of the address becomes theirs, with its memberships.
    ///
    /// Any client may replace the pending sign-up of an address, whose reader is then mailed another code. The password of the
    /// sign-up is therefore required, so that users complete only their own.
    ///
    /// On failure no part of the account exists, and the code stays valid.
    pub async fn complete_signup(
        &self,
        email: &Email,
        typed: &str,
        password: Option<SecretString>,
        device: &Device,
        now: OffsetDateTime,
    ) -> Result<Founded, Refusal> {
        let ip = device.ip;
        let compared = match password {
            Some(password) => Some(self.hash_behind(email, password, ip).await?),
            None => None,
        };
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
        if compared.is_some_and(|hash| hash.as_deref() != Some(&*pending.password_hash)) {
            return Err(OTHER_PASSWORD);
        }
        if !pending_signups::delete(&mut tx, email, &pending.code.code_hash).await? {
            return Err(NO_PENDING_SIGNUP);
        }

        let user = User::new(email, pending.name, true, now);
        let (user, former_name) = claim(&mut tx, email, &user, &pending.password_hash)
            .await?
            .ok_or_else(|| Refusal::invalid(EMAIL_TAKEN))?;
        let actor = Actor::user(user.id, ip);
        let ((mut unit, founded), joins) = match pending.organization {
            Some(new) => {
                if members::store::find_newest(&mut tx, user.id)
                    .await?
                    .is_none()
                {
                    self.allow_uninvited()?;
                }
                let joins =
                    members::record_joined(&mut tx, actor, &user, &former_name, now).await?;
                self.queue_welcome(&mut tx, &user, Welcomed::Founder, &new.name, now)
                    .await?;
                (self.found(tx, user, new, device, now).await?, joins)
            }
            None => {
                let Some(joining) = newest_invitation(&mut tx, &user, ip, now).await? else {
                    self.allow_uninvited()?;
                    return Err(WITHDRAWN);
                };
                let joins =
                    members::record_joined(&mut tx, actor, &user, &former_name, now).await?;
                let organization = &joining.organization.name;
                self.queue_welcome(&mut tx, &user, Welcomed::Member, organization, now)
                    .await?;
                (self.join(tx, user, joining, device, now).await?, joins)
            }
        };
        joins.write(&mut unit).await?;
        // No wait for edges: a new organization has no API key yet to ask them with.
        Ok(unit.commit(founded).await?.made)
    }

    /// The hash of the pending sign-up, if the password matches it. Computed before anything is locked.
    async fn hash_behind(
        &self,
        email: &Email,
        password: SecretString,
        ip: IpAddr,
    ) -> Result<Option<String>, Refusal> {
        let mut tx = self.db.begin().await?;
        let pending = pending_signups::find_for_update(&mut tx, email).await?;
        drop(tx);
        let stored = pending.map(|pending| pending.password_hash);
        let verdict = self.hasher.verify(password, stored.clone(), ip).await?;
        Ok(stored.filter(|_| verdict != Verdict::Wrong))
    }

    async fn queue_welcome(
        &self,
        tx: &mut Tx,
        user: &User,
        welcomed: Welcomed,
        organization: &str,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        let welcome = Template::Welcome {
            name: &user.name,
            organization,
            welcomed,
            link: &self.urls.page(Page::Home),
        };
        self.mailer.enqueue(tx, &user.email, &welcome, now).await?;
        Ok(())
    }

    fn signup_code(&self, email: &Email, now: OffsetDateTime) -> (Code, SentCode) {
        let code = Code::random();
        let sent = SentCode {
            code_hash: self.codes.hash(Purpose::Signup, email, &code),
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
