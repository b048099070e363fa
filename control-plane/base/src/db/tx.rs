//! The transaction of whoever writes.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use sqlx::{PgConnection, Postgres, Transaction};

use super::{CHANGES_CHANNEL, Db, Result, held::Held};
use crate::{looks::Begun, waker::Waker};

type Effect = Box<dyn FnOnce() + Send>;

/// A transaction and the effects of its commit. Dropped without [`Tx::commit`], it rolls back and has none.
pub struct Tx {
    inner: Held<Transaction<'static, Postgres>>,
    after_commit: Vec<Effect>,
    announcer: Arc<str>,
    changed: Waker,
    announcement: Announcement,
    looks: Begun,
}

/// Who hears of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Announcement {
    Nobody,
    /// Everybody: the other replicas are to be notified yet.
    Owed,
    /// Everybody: a statement of the transaction has notified the others.
    Made,
}

impl Tx {
    /// Nothing is done in it yet; `looks` had begun before it.
    pub(super) fn new(db: &Db, inner: Held<Transaction<'static, Postgres>>, looks: Begun) -> Self {
        Self {
            inner,
            after_commit: Vec::new(),
            announcer: Arc::clone(&db.announcer),
            changed: db.changed.clone(),
            announcement: Announcement::Nobody,
            looks,
        }
    }

    /// Runs `effect` once the transaction is committed. It must not block: it wakes somebody, or puts something on a queue.
    pub fn after_commit(&mut self, effect: impl FnOnce() + Send + 'static) {
        self.after_commit.push(Box::new(effect));
    }

    /// The looks that had begun before it.
    pub const fn looks_before(&self) -> Begun {
        self.looks
    }

    /// Wakes this process's publisher and, through [`CHANGES_CHANNEL`], the other replicas' at commit.
    pub const fn announce(&mut self) {
        if let Announcement::Nobody = self.announcement {
            self.announcement = Announcement::Owed;
        }
    }

    /// What the others are notified with.
    pub fn announcer(&self) -> &str {
        &self.announcer
    }

    /// [`Self::announce`] where a statement has notified the channel already, while it wrote something.
    pub const fn note_announced(&mut self) {
        self.announcement = Announcement::Made;
    }

    /// Commits, then runs the effects in the order of their registration: also if nobody waits for it any more.
    ///
    /// # Errors
    /// When the commit fails; nothing happened then, and no effect runs. A connection lost during the commit leaves open whether it
    /// happened: the periods of background work cover the missing announcement.
    pub async fn commit(mut self) -> Result<()> {
        if self.announcement == Announcement::Owed {
            sqlx::query_scalar!(
                "SELECT pg_notify($1, $2)",
                CHANGES_CHANNEL,
                &*self.announcer
            )
            .execute(&mut **self.inner)
            .await?;
        }
        let Self {
            inner,
            after_commit,
            changed,
            announcement,
            ..
        } = self;
        inner
            .end_with(move || {
                if announcement != Announcement::Nobody {
                    changed.wake();
                }
                for effect in after_commit {
                    effect();
                }
            })
            .await
    }
}

impl Deref for Tx {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.inner
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.inner
    }
}
