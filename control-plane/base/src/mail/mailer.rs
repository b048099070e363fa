//! The interface by which the rest of the control plane sends mail.

use std::sync::Arc;

use secrecy::SecretString;
use serving::settings::spans::DAY;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{
    Template,
    render::Content,
    store::{
        self, NewMail,
        counts::{self, Counted},
    },
};
use crate::{
    config::MailRates,
    db::{self, Tx},
    ids::{MemberId, OrgId},
    refusal::Refusal,
    sealing::{Sealer, purpose},
    waker::Waker,
};

/// Accepts mail for sending. Cheap to clone.
#[derive(Clone)]
pub struct Mailer {
    pub(super) sealer: Arc<Sealer>,
    pub(super) waker: Waker,
    pub(super) rates: MailRates,
}

/// The organization whose member chose the recipient of a mail.
#[derive(Clone, Copy, Debug)]
pub struct Cause {
    pub org_id: OrgId,
    /// Whether the member's own address is proven.
    pub by_verified: bool,
}

/// A mail that only a member of an organization may get.
#[derive(Clone, Debug)]
pub struct MailToMember {
    pub member_id: MemberId,
    pub address: String,
    /// When it is sent.
    pub due_at: OffsetDateTime,
}

impl Mailer {
    /// Waiting mail is sealed with `app_secret`.
    pub fn new(app_secret: &SecretString, rates: MailRates) -> Self {
        Self {
            sealer: Arc::new(Sealer::new(app_secret, purpose::MAIL)),
            waker: Waker::new(),
            rates,
        }
    }

    /// Queues an email to the address `to`, sent once `tx` is committed. Sending is retried for as long as the code or link in
    /// the email is valid, or for days. Undeliverable mail is not reported.
    pub async fn enqueue(
        &self,
        tx: &mut Tx,
        to: &str,
        template: &Template<'_>,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        self.enqueue_for_all(tx, &[to.to_owned()], template, now)
            .await
    }

    /// The same for several addresses, rendered, sealed and inserted once.
    pub async fn enqueue_for_all(
        &self,
        tx: &mut Tx,
        to: &[String],
        template: &Template<'_>,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        if to.is_empty() {
            return Ok(());
        }
        let content = Content::render(template);
        let mail = NewMail {
            recipients: to,
            kind: template.kind(),
            priority: template.priority(),
            sealed_content: self.sealer.seal(&content.to_bytes()),
            org_id: None,
            by_verified: true,
            due_at: now,
            expires_at: now + template.worth_sending_for(),
        };
        self.insert(tx, &mail, now).await
    }

    /// The same to an address that a member of an organization chose, within the organization's hourly rate. An email that
    /// already waits for the same address is replaced and keeps its position, or moves forward if the member's own address is
    /// proven now. Mail that would wait for days is dropped.
    pub async fn enqueue_caused(
        &self,
        tx: &mut Tx,
        cause: Cause,
        to: &str,
        template: &Template<'_>,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        let Cause {
            org_id,
            by_verified,
        } = cause;
        let content = Content::render(template);
        let sealed_content = self.sealer.seal(&content.to_bytes());
        let kind = template.kind();
        let waiting = store::replace_waiting(tx, org_id, to, kind, &sealed_content).await?;
        if let Some(was_by_verified) = waiting {
            if by_verified
                && !was_by_verified
                && let Some(due_at) = self.reserve(tx, cause, now, now).await?
            {
                store::prefer_waiting(tx, org_id, to, kind, due_at).await?;
                self.wake_after(tx);
            }
            return Ok(());
        }
        let Some(due_at) = self.reserve(tx, cause, now, now).await? else {
            metrics::counter!("halyard_mails_given_up_total", "kind" => kind).increment(1);
            tracing::warn!(org.id = %org_id, mail.kind = kind, "mail not sent: the organization has caused too much");
            return Ok(());
        };
        let mail = NewMail {
            recipients: &[to.to_owned()],
            kind,
            priority: template.priority(),
            sealed_content,
            org_id: Some(org_id),
            by_verified,
            due_at,
            expires_at: due_at + template.worth_sending_for(),
        };
        self.insert(tx, &mail, now).await
    }

    /// Queues an email to members of an organization, rendered and sealed once. It is deleted with the membership, which `tx`
    /// must have locked against that.
    pub async fn enqueue_for_members(
        &self,
        tx: &mut Tx,
        to: &[MailToMember],
        template: &Template<'_>,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        if to.is_empty() {
            return Ok(());
        }
        let content = self.sealer.seal(&Content::render(template).to_bytes());
        store::insert_for_members(tx, to, template, &content, now).await?;
        self.wake_after(tx);
        Ok(())
    }

    /// Counts a link that proves the address `to`; refuses above the rate.
    pub async fn count_link(
        &self,
        tx: &mut Tx,
        to: &str,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        let mut times = counts::lock_of_address(tx, to, Counted::Link, now).await?;
        let next = times.next(self.rates.links_to_address, now);
        if next > now {
            let words = "too many verification emails, please try again later";
            return Err(Refusal::until(next, now, words));
        }
        times.add(now);
        counts::update_of_address(tx, to, Counted::Link, &times).await?;
        Ok(())
    }

    /// Reserves the earliest time, `earliest` or later, within the organization's hourly rate. `None` if that is more than three
    /// days away: the mail would be outdated.
    pub(super) async fn reserve(
        &self,
        conn: &mut PgConnection,
        cause: Cause,
        earliest: OffsetDateTime,
        now: OffsetDateTime,
    ) -> db::Result<Option<OffsetDateTime>> {
        let Cause {
            org_id,
            by_verified,
        } = cause;
        let per_hour = if by_verified {
            self.rates.of_org
        } else {
            self.rates.unverified
        };
        let mut times = counts::lock_of_org(conn, org_id, by_verified, now).await?;
        let next = times.next(per_hour, earliest);
        if next > now + 3 * DAY {
            return Ok(None);
        }
        times.add(next);
        counts::update_of_org(conn, org_id, by_verified, &times).await?;
        Ok(Some(next))
    }

    async fn insert(&self, tx: &mut Tx, mail: &NewMail<'_>, now: OffsetDateTime) -> db::Result<()> {
        store::insert(tx, mail, now).await?;
        self.wake_after(tx);
        Ok(())
    }

    fn wake_after(&self, tx: &mut Tx) {
        let waker = self.waker.clone();
        tx.after_commit(move || waker.wake());
    }
}

/// Deletes counts of an address whose account is deleted, and waiting mail but for that about the deletion.
pub async fn delete_waiting(tx: &mut Tx, address: &str) -> db::Result<()> {
    counts::delete_of_address(tx, address).await?;
    store::delete_of(tx, address).await
}

/// Deletes counts that no longer matter.
pub async fn forget_counts(conn: &mut PgConnection, now: OffsetDateTime) -> db::Result<()> {
    counts::delete_uncounted(conn, now).await
}
