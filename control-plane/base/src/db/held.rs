//! Connections in somebody's hands, and what they count for until they are free again.
//!
//! A statement goes on in the database when nobody waits for its answer any more: whoever hangs up ends the request at once, and the
//! connection is busy until the statement ends, or is given up. So a permit belongs to the connection, and not to the
//! request: otherwise a client could take all connections by hanging up again and again.

use std::ops::{Deref, DerefMut};

use sqlx::{Postgres, Transaction, pool::PoolConnection};

use super::{
    Result,
    moves::Moves,
    pools::{Admitted, Permits},
};
use crate::limits::Permit;

/// Something of a connection, and the right of a request to use one.
#[derive(Debug)]
pub struct Held<T: Lent> {
    /// There until it is ended or dropped.
    lent: Option<T>,
    admitted: Option<Admitted>,
    permit: Option<Permit>,
    moves: Moves,
}

/// A connection for reading.
pub type Connection = Held<PoolConnection<Postgres>>;

/// A transaction that reads several things as of one moment. It ends when it is dropped.
pub type Reading = Held<Transaction<'static, Postgres>>;

/// What is lent by a pool, and given back.
pub trait Lent: Send + 'static {
    /// Waits until nothing runs on the connection, and gives it back.
    fn give_back(self) -> impl Future<Output = ()> + Send;
}

/// What is taken as long as the connection is busy.
type Taken = (Option<Permits>, Option<Permit>);

const LENT: &str = "it is there until it is ended or dropped";

impl<T: Lent> Held<T> {
    pub(super) fn new(lent: T, admitted: Option<Admitted>, moves: &Moves) -> Self {
        Self {
            lent: Some(lent),
            admitted,
            permit: None,
            moves: moves.clone(),
        }
    }

    /// Holds another permit for as long as the connection is busy: that of what is about to run on it.
    pub fn hold(&mut self, permit: Permit) {
        self.permit = Some(permit);
    }

    /// From here on the request may use another connection.
    fn leave(&mut self) -> Taken {
        (
            self.admitted.take().map(Admitted::leave),
            self.permit.take(),
        )
    }
}

impl Held<Transaction<'static, Postgres>> {
    /// Commits it. That goes on if nobody waits for it any more.
    ///
    /// # Errors
    /// When the connection is lost, or what was done cannot be committed.
    pub async fn end(self) -> Result<()> {
        self.end_with(|| {}).await
    }

    /// The same with something to do once it is committed, which must not block.
    pub(super) async fn end_with(
        mut self,
        committed: impl FnOnce() + Send + 'static,
    ) -> Result<()> {
        let transaction = self.lent.take().expect(LENT);
        let taken = self.leave();
        let moves = self.moves.clone();
        let ending = tokio::spawn(async move {
            let ended = moves.within(transaction.commit()).await;
            drop(taken);
            ended??;
            committed();
            Ok(())
        });
        match ending.await {
            Ok(ended) => ended,
            // Only a runtime that is ending cancels it.
            Err(_) => Err(sqlx::Error::WorkerCrashed.into()),
        }
    }
}

impl Lent for PoolConnection<Postgres> {
    async fn give_back(mut self) {
        self.return_to_pool().await;
    }
}

impl Lent for Transaction<'static, Postgres> {
    async fn give_back(self) {
        if let Err(error) = self.rollback().await {
            // As a rule it is that of the statement that was left alone. The pool looks whether the connection is still good.
            tracing::debug!(
                error = serving::error::chain(&error),
                "a transaction that was left alone failed"
            );
        }
    }
}

impl<T: Lent> Drop for Held<T> {
    fn drop(&mut self) {
        let Some(lent) = self.lent.take() else {
            return;
        };
        let (taken, moves) = (self.leave(), self.moves.clone());
        tokio::spawn(async move {
            // The pool would wait for a connection that hangs.
            drop(moves.within(lent.give_back()).await);
            drop(taken);
        });
    }
}

impl<T: Lent> Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.lent.as_ref().expect(LENT)
    }
}

impl<T: Lent> DerefMut for Held<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.lent.as_mut().expect(LENT)
    }
}
