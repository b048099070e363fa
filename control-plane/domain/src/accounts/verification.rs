//! Proving the address of an account by the link in a mail. Mail programs follow links before people do, so a link works until
//! it expires. For the same reason it proves nothing about the holder of the password: memberships that others gave to the
//! address wait for a code ([`super::password_reset`]).

use std::net::IpAddr;

use serde_json::json;
use time::OffsetDateTime;
use url::form_urlencoded;

use super::{
    Accounts,
    email::Email,
    model::User,
    opaque_token::{self, OpaqueToken},
    store::{users, verifications},
};
use crate::{
    events::{self, Action, Actor, Event, Subject},
    members,
};
use base::{config::Page, db::Tx, ids::UserId, mail::Template, refusal::Refusal};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    Mail,
    /// The address is already proven.
    Nothing,
}

impl Accounts {
    /// Mails a link to a user whose address is not proven yet; otherwise does nothing.
    pub async fn send_verification(
        &self,
        user_id: UserId,
        now: OffsetDateTime,
    ) -> Result<Sent, Refusal> {
        let mut tx = self.db.begin().await?;
        // The lock orders the counts of concurrent requests.
        let user = users::get_for_update(&mut tx, user_id).await?;
        if user.email_verified {
            return Ok(Sent::Nothing);
        }
        if let Some(sent_at) = verifications::find_last_sent(&mut tx, user_id).await? {
            let next = sent_at + self.settings.proofs.mail_interval;
            if now < next {
                let words =
                    "a verification email was sent just now, please wait before asking for another";
                return Err(Refusal::until(next, now, words));
            }
        }
        self.queue_verification(&mut tx, &user, now).await?;
        tx.commit().await?;
        Ok(Sent::Mail)
    }

    /// Creates a link, and enqueues its mail within `tx`.
    pub(super) async fn queue_verification(
        &self,
        tx: &mut Tx,
        user: &User,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        self.mailer.count_link(tx, &user.email, now).await?;
        let valid_for = self.settings.proofs.verification_ttl;
        let token = OpaqueToken::random();
        let (hash, ends) = (token.hash(), now + valid_for);
        verifications::insert(tx, user.id, &user.email, &hash, ends, now).await?;

        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("token", token.reveal())
            .append_pair("email", &user.email)
            .finish();
        let link = format!("{}/v1/auth/verify-email?{query}", self.urls.api);
        let mail = Template::Verification {
            name: &user.name,
            link: &link,
            valid_for,
        };
        self.mailer.enqueue(tx, &user.email, &mail, now).await?;
        Ok(())
    }

    /// Marks the address as proven, if the link is valid for it. Returns where to redirect the reader.
    pub async fn verify_email(
        &self,
        token: &str,
        email: &Email,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<String, Refusal> {
        let mut tx = self.db.begin().await?;
        let token_hash = opaque_token::hash(token);
        let user_id = verifications::find_user(&mut tx, &token_hash, email, now)
            .await?
            .ok_or_else(|| Refusal::invalid("invalid or expired verification link"))?;
        if users::update_verified(&mut tx, user_id, now).await? {
            let member = members::store::find_for_login(&mut tx, user_id, None).await?;
            // Audit entries belong to an organization; a user removed from all of them has none.
            if let Some(member) = member {
                let actor = Actor::user(user_id, ip);
                let event = verified(user_id);
                events::record(&mut tx, member.org_id, actor, event, now).await?;
            }
        }
        tx.commit().await?;
        let query = [("verified", "true")];
        Ok(self.urls.page_with(Page::Login, &query))
    }
}

pub(super) fn verified(user_id: UserId) -> Event {
    let [before, after] = [false, true].map(|is| json!({"email_verified": is}));
    Event::updated(
        Action::AuthEmailVerified,
        Subject::User(user_id),
        &before,
        &after,
    )
}
