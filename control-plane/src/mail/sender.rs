//! The background loops that send waiting mail.
//!
//! Each loop takes one email at a time. Taking it postpones the time at which it is due beyond the longest possible
//! sending: a lease. So no two loops or replicas send the same email at once, a crash costs only the rest of the lease,
//! and no transaction or connection of the database stays open while a mail server takes its time; the publisher, which
//! looks back to the oldest running transaction, would notice. Delivery is at least once: if the process ends between
//! the server's acceptance and the deletion of the row, the email is sent again, with the same `Message-ID`.

use std::{sync::Arc, time::Duration};

use lettre::{Message, message::Mailbox};
use serving::{clock::Clock, error::chain};
use sqlx::PgConnection;
use tokio_util::task::TaskTracker;

use super::{
    Mailer,
    message::{self, MessageError},
    render::Content,
    retry,
    store::{self, Waiting},
    transport::{SendError, StartError, Transport},
};
use crate::{
    config::MailSettings,
    db::{self, Db},
    jobs::{Failure, Job, RunsOn},
    sealing::OpenError,
};

/// Emails in progress at once: a slow server does not hold up the others.
const LANES: usize = 4;
/// How often to poll without being woken: for retries that are due, and for mail of other replicas that stopped.
const PERIOD: Duration = Duration::from_secs(2);
/// How long a taken email is reserved for its taker; longer than any sending, and than the clocks of replicas differ.
const LEASE: Duration = Duration::from_secs(180);

/// Sends waiting mail.
pub struct Sender {
    mailer: Mailer,
    db: Db,
    clock: Clock,
    transport: Transport,
    from: Mailbox,
    tasks: TaskTracker,
}

/// Why an email cannot be written, now or at any other attempt.
#[derive(Debug, thiserror::Error)]
enum WriteError {
    #[error("cannot be opened")]
    Sealed(#[from] OpenError),
    #[error("cannot be read")]
    Content(#[from] serde_json::Error),
    #[error("cannot be written")]
    Message(#[from] MessageError),
}

/// The outcome of an attempt.
enum Outcome {
    Sent,
    Retry(String),
    GiveUp(String),
}

impl Sender {
    /// The job that sends what `mailer` accepts and what is already waiting. A sending in progress when the process stops is
    /// among `tasks`, and may finish.
    ///
    /// # Errors
    /// When the route in `settings` cannot be used. A mail server that does not answer is not an error.
    pub fn job(
        settings: &MailSettings,
        mailer: Mailer,
        db: Db,
        clock: Clock,
        tasks: &TaskTracker,
    ) -> Result<Job, StartError> {
        let waker = mailer.waker.clone();
        let sender = Arc::new(Self {
            transport: Transport::new(settings.route.clone())?,
            from: settings.from.clone(),
            mailer,
            db,
            clock,
            tasks: tasks.clone(),
        });
        let job = Job::new(
            "send_mail",
            PERIOD,
            RunsOn::EveryReplica,
            sender,
            Self::send_due,
        )
        .in_lanes(LANES)
        .woken_by(&waker)
        .meanwhile("mail waits for the database");
        Ok(job)
    }

    /// Sends emails until none is due.
    async fn send_due(self: Arc<Self>) -> Result<(), Failure> {
        let outcome = loop {
            // A task of its own, which a shutdown lets finish: otherwise the email would be sent again.
            match self.tasks.spawn(Arc::clone(&self).send_next()).await {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) => break Ok(()),
                Ok(Err(error)) => break Err(error.into()),
                Err(panic) => break Err(panic.into()),
            }
        };
        self.transport.rest().await;
        outcome
    }

    /// Sends the next email that is due; false if there was none.
    async fn send_next(self: Arc<Self>) -> db::Result<bool> {
        let now = self.clock.now();
        let taken = store::take(&mut *self.db.acquire().await?, now, now + LEASE).await?;
        let Some(mail) = taken else {
            return Ok(false);
        };
        let outcome = self.attempt(&mail).await;
        self.settle(&mail, outcome).await?;
        Ok(true)
    }

    async fn attempt(&self, mail: &Waiting) -> Outcome {
        if mail.expires_at <= self.clock.now() {
            return Outcome::GiveUp("it could not be sent in time".to_owned());
        }
        let message = match self.write(mail) {
            Ok(message) => message,
            Err(error) => return Outcome::GiveUp(chain(&error)),
        };
        match self.transport.send(mail.id, &message).await {
            Ok(()) => Outcome::Sent,
            Err(error @ SendError::Failed(_)) => Outcome::Retry(chain(&error)),
            Err(error @ SendError::Refused(_)) => Outcome::GiveUp(chain(&error)),
        }
    }

    fn write(&self, mail: &Waiting) -> Result<Message, WriteError> {
        let content = self.mailer.sealer.open(&mail.sealed_content)?;
        let content = Content::from_bytes(&content)?;
        Ok(message::write(mail, content, &self.from)?)
    }

    async fn settle(&self, mail: &Waiting, outcome: Outcome) -> db::Result<()> {
        let conn = &mut *self.db.acquire().await?;
        let attempts = mail.attempts.unsigned_abs();
        match outcome {
            Outcome::Sent => {
                metrics::counter!("halyard_mails_sent_total", "kind" => mail.kind.clone())
                    .increment(1);
                store::delete(conn, mail.id).await
            }
            Outcome::Retry(reason) => {
                let due_at = self.clock.now() + retry::pause(attempts, rand::random());
                if due_at >= mail.expires_at {
                    return give_up(conn, mail, &reason).await;
                }
                tracing::warn!(mail.id = %mail.id, mail.kind, attempts, reason, "mail not sent; retrying");
                store::postpone(conn, mail, due_at).await
            }
            Outcome::GiveUp(reason) => give_up(conn, mail, &reason).await,
        }
    }
}

async fn give_up(conn: &mut PgConnection, mail: &Waiting, reason: &str) -> db::Result<()> {
    metrics::counter!("halyard_mails_given_up_total", "kind" => mail.kind.clone()).increment(1);
    tracing::error!(mail.id = %mail.id, mail.kind, attempts = mail.attempts, reason, "mail given up");
    store::delete(conn, mail.id).await
}
