//! Where the rest of the control plane submits its mail.

use std::sync::Arc;

use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    Template,
    render::Content,
    store::{self, NewMail},
};
use crate::{
    db::{self, Tx},
    sealing::Sealer,
    waker::Waker,
};

/// Accepts mail for sending. Cheap to clone.
#[derive(Clone)]
pub struct Mailer {
    pub(super) sealer: Arc<Sealer>,
    pub(super) waker: Waker,
}

impl Mailer {
    /// Waiting mail is sealed with `app_secret`.
    pub fn new(app_secret: &SecretString) -> Self {
        Self {
            sealer: Arc::new(Sealer::new(app_secret, "mail that waits")),
            waker: Waker::new(),
        }
    }

    /// Has an email sent to the address `to` once `tx` is committed, and never otherwise. Sending is retried for as long
    /// as the code or link in the email is valid, or for days. Nobody is notified if it cannot be delivered.
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

    /// The same for each of several addresses. It is rendered and sealed once, and stored in one statement.
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
            sealed_content: self.sealer.seal(&content.to_bytes()),
            expires_at: now + template.worth_sending_for(),
        };
        store::insert(tx, &mail, now).await?;
        let waker = self.waker.clone();
        tx.after_commit(move || waker.wake());
        Ok(())
    }
}

/// Deletes what waits for an address whose account is deleted.
pub async fn delete_waiting(tx: &mut Tx, address: &str) -> db::Result<()> {
    store::delete_of(tx, address).await
}
