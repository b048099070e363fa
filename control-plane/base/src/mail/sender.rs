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
use time::OffsetDateTime;
use tokio_util::task::TaskTracker;

use super::{
    Cause, Mailer,
    kinds::{SALES_INQUIRY, is_about_account, is_about_approvals},
    message::{self, MessageError},
    render::Content,
    retry,
    store::{
        self, Waiting,
        counts::{self, Counted},
    },
    template::Priority,
    transport::{SendError, StartError, Transport},
};
use crate::{
    config::MailSettings,
    db::{self, Db},
    jobs::{Failure, Job, RunsOn, SECOND},
    sealing::OpenError,
};

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
            // Unless woken: for retries that are due, and for mail of other replicas that stopped.
            2 * SECOND,
            RunsOn::EveryReplica,
            sender,
            Self::send_due,
        )
        // A slow server does not delay the others.
        .in_lanes(4)
        .woken_by(&waker)
        .meanwhile("mail waits for the database");
        Ok(job)
    }

    /// Sends emails until none is due.
    async fn send_due(self: Arc<Self>) -> Result<(), Failure> {
        let outcome = loop {
            // In a task of its own, which a shutdown waits for: otherwise the email would be sent again.
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
        let Some((mail, priority)) = self.db.unless_moved(self.take(now)).await?? else {
            return Ok(false);
        };
        if priority == Priority::News && !self.db.unless_moved(self.admit(&mail, now)).await?? {
            return Ok(true);
        }
        let outcome = self.attempt(&mail).await;
        let settling = self.settle(&mail, outcome);
        self.db.unless_moved(settling).await??;
        Ok(true)
    }

    /// Takes the next email that is due: codes before everything else.
    async fn take(&self, now: OffsetDateTime) -> db::Result<Option<(Waiting, Priority)>> {
        let mut conn = self.db.acquire().await?;
        // Longer than any sending, and than replicas' clocks differ.
        let leased_until = now + Duration::from_secs(180);
        for priority in Priority::ALL {
            if let Some(mail) = store::take(&mut conn, priority, now, leased_until).await? {
                return Ok(Some((mail, priority)));
            }
        }
        Ok(None)
    }

    /// Counts an email for its recipient, once. Above the hourly rate it is postponed, within the organization's rate too, or
    /// given up: `false` then.
    async fn admit(&self, mail: &Waiting, now: OffsetDateTime) -> db::Result<bool> {
        if mail.is_counted || mail.kind == SALES_INQUIRY {
            return Ok(true);
        }
        let rates = self.mailer.rates;
        let (counted, per_hour) = match mail.org_id {
            None if is_about_account(&mail.kind) => (Counted::Account, rates.to_address),
            None if is_about_approvals(&mail.kind) => (Counted::Approval, rates.to_address),
            None => (Counted::Organization, rates.to_address),
            Some(_) if mail.by_verified => (Counted::Verified, rates.to_address),
            Some(_) => (Counted::Unverified, rates.unverified),
        };
        let mut tx = self.db.begin().await?;
        let mut times = counts::lock_of_address(&mut tx, &mail.recipient, counted, now).await?;
        let next = times.next(per_hour, now);
        if next <= now {
            times.add(now);
            counts::update_of_address(&mut tx, &mail.recipient, counted, &times).await?;
            store::update_counted(&mut tx, mail.id).await?;
            tx.commit().await?;
            return Ok(true);
        }
        let due_at = match mail.org_id {
            None => Some(next),
            Some(org_id) => {
                let by_verified = mail.by_verified;
                let cause = Cause {
                    org_id,
                    by_verified,
                };
                self.mailer.reserve(&mut tx, cause, next, now).await?
            }
        };
        match due_at.filter(|due_at| *due_at < mail.expires_at) {
            // It was not tried.
            Some(due_at) => store::postpone(&mut tx, mail, due_at, mail.attempts - 1).await?,
            None => give_up(&mut tx, mail, "its recipient was sent too much").await?,
        }
        tx.commit().await?;
        Ok(false)
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
                store::postpone(conn, mail, due_at, mail.attempts).await
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
