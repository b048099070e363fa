//! A unit of work: everything that one request, job or command changes, in one transaction.
//!
//! The types keep the order that matters. What edges serve is written with a [`Drawn`] version, which only a locked project
//! gives ([`ProjectChange::draw`]); a unit is committed with something that was [`Recorded`], which only recording an event
//! gives; and only a [`Committed`] unit can be waited for and reported. Forgetting one of them does not compile. What is
//! dropped before its commit never happened.
//!
//! ```compile_fail,E0308
//! # async fn forget_to_record(unit: crate::unit::Unit) {
//! unit.commit("what was made").await;
//! # }
//! ```
//!
//! ```compile_fail,E0423
//! // Nobody but a locked project draws.
//! let drawn = crate::version::Drawn(7);
//! ```
//!
//! Several operations in one unit share its lock and its version: an import changes a thousand flags and edges are told once.
//!
//! [`Drawn`]: crate::version::Drawn

mod draft;
mod expected;
mod org;
mod project;

use std::ops::{Deref, DerefMut};

use time::OffsetDateTime;

pub use self::{
    draft::{Draft, Wish},
    expected::Expected,
    org::OrgChange,
    project::ProjectChange,
};
use crate::{
    audit::budget::Untold,
    events::{self, Action, Actor, Event},
    flags::history,
    onboarding,
    version::{Change, Drawing},
    webhooks::outbox::{self, Owed},
};
use base::{
    db::{self, Db, Tx},
    ids::OrgId,
    limits::Permit,
};

/// A transaction, the organization it is about, who acts, and when.
pub struct Unit {
    tx: Tx,
    org_id: OrgId,
    actor: Actor,
    now: OffsetDateTime,
    drawing: Option<Drawing>,
    /// The next version of the project that was locked last, not drawn yet.
    next: Option<Drawing>,
    owed: Vec<Owed>,
    untold: Untold,
    unwritten: history::Unwritten,
    /// Whether it created a flag, which may be the organization's first.
    has_new_flag: bool,
    /// The right to wait for all edges, if it is to.
    permit: Option<Permit>,
}

/// What an operation made, once it is recorded. Handed out by the commit, not before.
#[derive(Debug)]
#[must_use = "a unit is committed with what was recorded last"]
pub struct Recorded<T>(T);

/// What a committed unit made.
#[derive(Debug)]
#[must_use = "the caller waits for the edges"]
pub struct Committed<T> {
    /// What the operation made.
    pub made: T,
    /// The version that contains it; `None` when edges serve nothing of it.
    pub change: Option<Change>,
}

impl Unit {
    /// Begins one.
    pub async fn begin(
        db: &Db,
        org_id: OrgId,
        actor: Actor,
        now: OffsetDateTime,
    ) -> db::Result<Self> {
        Ok(Self::within(db.begin().await?, org_id, actor, now))
    }

    /// Goes on with a transaction that knows its organization only now.
    pub fn within(tx: Tx, org_id: OrgId, actor: Actor, now: OffsetDateTime) -> Self {
        Self {
            tx,
            org_id,
            actor,
            now,
            drawing: None,
            next: None,
            owed: Vec::new(),
            untold: Untold::default(),
            unwritten: history::Unwritten::default(),
            has_new_flag: false,
            permit: None,
        }
    }

    /// The same, with the right to wait for all edges.
    #[must_use]
    pub fn with_permit(self, permit: Option<Permit>) -> Self {
        Self { permit, ..self }
    }

    /// The right to wait for all edges, which is needed until the wait ends.
    pub fn take_permit(&mut self) -> Option<Permit> {
        self.permit.take()
    }

    /// The tenant of every query.
    pub const fn org_id(&self) -> OrgId {
        self.org_id
    }

    /// The time that everything in it carries: that of the last lock.
    pub const fn now(&self) -> OffsetDateTime {
        self.now
    }

    /// Records what happened, for the audit trail and for webhooks.
    pub async fn record<T>(&mut self, event: Event, made: T) -> db::Result<Recorded<T>> {
        self.record_all(vec![event], made).await
    }

    /// Records many events at once, in their order.
    pub async fn record_all<T>(&mut self, events: Vec<Event>, made: T) -> db::Result<Recorded<T>> {
        let owed = events.iter().filter_map(|event| Owed::of(event, self.now));
        self.owed.extend(owed);
        self.has_new_flag |= events
            .iter()
            .any(|event| event.action() == Action::FlagCreated);
        let entries = events::entries(self.actor, events);
        let tx = &mut self.tx;
        self.untold.add(tx, self.org_id, entries, self.now).await?;
        Ok(Recorded(made))
    }

    /// Commits. The version that was drawn, the organization's first step, the history of flags, what webhooks are owed, and what
    /// the trail tells with what its budget is charged, are written last, so that their row locks are short.
    pub async fn commit<T>(mut self, Recorded(made): Recorded<T>) -> db::Result<Committed<T>> {
        let change = match self.drawing.take() {
            Some(drawing) => Some(drawing.write(&mut self.tx).await?),
            None => None,
        };
        if self.has_new_flag {
            onboarding::note_flag(&mut self.tx, self.org_id, self.now).await?;
        }
        let unwritten = std::mem::take(&mut self.unwritten);
        unwritten
            .write(&mut self.tx, self.org_id, self.actor, self.now)
            .await?;
        outbox::write(&mut self.tx, self.org_id, &self.owed).await?;
        let untold = self.untold;
        untold
            .write_last(&mut self.tx, self.org_id, self.now)
            .await?;
        self.tx.commit().await?;
        Ok(Committed { made, change })
    }

    /// Commits upkeep of what edges hold. It changes no answer, so there is nothing to tell of it.
    pub async fn commit_upkeep(mut self) -> db::Result<()> {
        if let Some(drawing) = self.drawing.take() {
            drop(drawing.write(&mut self.tx).await?);
        }
        self.commit_untold().await
    }

    /// Commits bookkeeping that neither members nor edges see, and that the trail therefore does not tell.
    ///
    /// # Panics
    /// When the unit has drawn a version: what edges serve is always told.
    pub async fn commit_untold(mut self) -> db::Result<()> {
        assert!(self.drawing.is_none(), "what edges serve is recorded");
        self.untold
            .write(&mut self.tx, self.org_id, self.now)
            .await?;
        self.tx.commit().await
    }
}

impl<T> Recorded<T> {
    /// The same with something made of it.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Recorded<U> {
        Recorded(make(self.0))
    }

    /// Both, for operations that are made of others.
    pub fn and<U>(self, other: Recorded<U>) -> Recorded<(T, U)> {
        Recorded((self.0, other.0))
    }
}

/// A unit that holds a row until its commit, and the row as it is then.
pub struct Locked<'a, T> {
    unit: &'a mut Unit,
    held: T,
}

impl<T> Deref for Locked<'_, T> {
    type Target = Unit;

    fn deref(&self) -> &Unit {
        self.unit
    }
}

impl<T> DerefMut for Locked<'_, T> {
    fn deref_mut(&mut self) -> &mut Unit {
        self.unit
    }
}

impl Deref for Unit {
    type Target = Tx;

    fn deref(&self) -> &Tx {
        &self.tx
    }
}

impl DerefMut for Unit {
    fn deref_mut(&mut self) -> &mut Tx {
        &mut self.tx
    }
}
