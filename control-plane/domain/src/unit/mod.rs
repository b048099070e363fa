//! A unit of work: everything that one request, job or command changes, in one transaction.
//!
//! The types enforce the order. Data served by edges is written with a [`Drawn`] version, which only a locked project provides
//! ([`ProjectChange::draw`]); a commit requires a [`Recorded`] result, which only recording an event provides, or the statement
//! that nothing is different ([`Unit::unchanged`]); and only a [`Committed`] unit can be waited for and reported. Forgetting one
//! of them does not compile. A dropped unit is rolled back.
//!
//! ```compile_fail,E0308
//! # async fn forget_to_record(unit: crate::unit::Unit) {
//! unit.commit("what was made").await;
//! # }
//! ```
//!
//! ```compile_fail,E0423
//! // Only a locked project draws.
//! let drawn = crate::version::Drawn(7);
//! ```
//!
//! Operations in one unit share its lock and its version: an import of a thousand flags notifies edges once.
//!
//! [`Drawn`]: crate::version::Drawn

mod draft;
mod dry_run;
mod expected;
pub(crate) mod history;
mod org;
mod project;
pub(crate) mod store;

use std::{
    collections::BTreeSet,
    ops::{Deref, DerefMut},
};

use serving::trace::Way;
use time::OffsetDateTime;
use tokio::time::Instant;

pub(crate) use self::dry_run::Tried;
use self::history::PendingVersions;
pub use self::{
    draft::{Draft, Wish},
    expected::Expected,
    history::{Difference, NewVersion},
    org::OrgChange,
    project::ProjectChange,
};
use crate::{
    audit::budget::PendingEntries,
    events::{
        self, Action, Actor, Event,
        contents::MAX_OF_A_UNIT,
        exported::Exported,
        outbox::{self, NewOutboxEvent},
    },
    onboarding,
    version::{Change, Drawing},
};
use base::{
    db::{self, Db, Tx},
    ids::{ChangeSetId, EnvId, OrgId},
    input::Comment,
    limits::Permit,
    warning::Warning,
};

pub struct Unit {
    tx: Tx,
    org_id: OrgId,
    actor: Actor,
    now: OffsetDateTime,
    drawing: Option<Drawing>,
    /// The earlier change that stored what this unit found unchanged.
    found: Option<Change>,
    /// The next, undrawn version of the project that was locked last.
    next: Option<Drawing>,
    outbox: Vec<NewOutboxEvent>,
    /// Bytes that the values of further events for webhooks may take.
    outbox_room: usize,
    pending_entries: PendingEntries,
    pending_versions: PendingVersions,
    /// Whether it created a flag, which may be the organization's first.
    has_new_flag: bool,
    /// About what it changes.
    warnings: Vec<Warning>,
    /// The events of a dry run.
    tried: Option<Vec<Tried>>,
    permit: Option<Permit>,
    /// Why its changes are made.
    comment: Option<Comment>,
    /// The change set whose parts it makes.
    whole: Option<Whole>,
}

/// A change set that is being applied: its approvals are counted afterwards, by the protected environments that it passed.
struct Whole {
    id: ChangeSetId,
    passed: BTreeSet<EnvId>,
}

/// The result of an operation that was recorded, or that changed nothing, available after the commit.
#[derive(Debug)]
#[must_use = "a unit is committed with what was recorded last"]
pub struct Recorded<T>(T);

#[derive(Debug)]
#[must_use = "the caller waits for the edges"]
pub struct Committed<T> {
    pub made: T,
    /// The version that contains it, an earlier one if nothing changed; `None` if edges serve none of it.
    pub change: Option<Change>,
}

impl Unit {
    pub async fn begin(
        db: &Db,
        org_id: OrgId,
        actor: Actor,
        now: OffsetDateTime,
    ) -> db::Result<Self> {
        Ok(Self::within(db.begin_by_index().await?, org_id, actor, now))
    }

    /// Continues a transaction whose organization was not known before.
    pub fn within(tx: Tx, org_id: OrgId, actor: Actor, now: OffsetDateTime) -> Self {
        Self {
            tx,
            org_id,
            actor,
            now,
            drawing: None,
            found: None,
            next: None,
            outbox: Vec::new(),
            outbox_room: MAX_OF_A_UNIT,
            pending_entries: PendingEntries::default(),
            pending_versions: PendingVersions::default(),
            has_new_flag: false,
            warnings: Vec::new(),
            tried: None,
            permit: None,
            comment: None,
            whole: None,
        }
    }

    #[must_use]
    pub fn with_permit(self, permit: Option<Permit>) -> Self {
        Self { permit, ..self }
    }

    /// Stores the comment with everything that the unit records.
    #[must_use]
    pub fn with_comment(self, comment: Option<Comment>) -> Self {
        Self { comment, ..self }
    }

    /// Makes all of it parts of a change set. It passes the protection of environments, which it notes: whoever commits it has
    /// compared these with the approvals of the set.
    #[must_use]
    pub fn as_change_set(self, id: ChangeSetId) -> Self {
        let passed = BTreeSet::new();
        Self {
            whole: Some(Whole { id, passed }),
            ..self
        }
    }

    /// Whether protection is passed here, since it applies a change set. Notes the environments.
    pub(crate) fn passes(&mut self, environments: impl IntoIterator<Item = EnvId>) -> bool {
        match &mut self.whole {
            Some(whole) => {
                whole.passed.extend(environments);
                true
            }
            None => false,
        }
    }

    /// The protected environments in which it has an effect.
    pub(crate) fn passed(&self) -> Vec<EnvId> {
        let passed = self.whole.iter().flat_map(|whole| &whole.passed);
        passed.copied().collect()
    }

    /// The permit to wait for all edges, held until the wait ends.
    pub fn take_permit(&mut self) -> Option<Permit> {
        self.permit.take()
    }

    /// The tenant of every query.
    pub const fn org_id(&self) -> OrgId {
        self.org_id
    }

    /// Who makes all changes in it.
    pub const fn actor(&self) -> Actor {
        self.actor
    }

    /// The time of all changes in it: that of the last lock.
    pub const fn now(&self) -> OffsetDateTime {
        self.now
    }

    /// Notes warnings about the change. A client that asks for strict handling is refused by them before the commit.
    pub fn warn(&mut self, warnings: &[Warning]) {
        self.warnings.extend_from_slice(warnings);
    }

    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Records an event for the audit log and webhooks.
    pub async fn record<T>(&mut self, event: Event, made: T) -> db::Result<Recorded<T>> {
        self.record_all(vec![event], made).await
    }

    /// The result of an operation that found stored what it was to store: there is nothing to record.
    pub const fn unchanged<T>(&self, made: T) -> Recorded<T> {
        Recorded(made)
    }

    pub async fn record_all<T>(&mut self, events: Vec<Event>, made: T) -> db::Result<Recorded<T>> {
        let events = match &self.comment {
            Some(comment) => {
                let noted = events.into_iter().map(|event| event.commented(comment));
                noted.collect()
            }
            None => events,
        };
        let events = match &self.whole {
            Some(Whole { id, .. }) => {
                let noted = events.into_iter().map(|event| event.part_of(*id));
                noted.collect()
            }
            None => events,
        };
        let (room, now) = (&mut self.outbox_room, self.now);
        let outgoing = events
            .iter()
            .filter_map(|event| NewOutboxEvent::of(event, room, now));
        self.outbox.extend(outgoing);
        self.has_new_flag |= events
            .iter()
            .any(|event| event.action() == Action::FlagCreated);
        if let Some(tried) = &mut self.tried {
            tried.extend(events.iter().map(Tried::of));
        }
        let entries = events::entries(self.actor, events);
        let tx = &mut self.tx;
        self.pending_entries
            .add(tx, self.org_id, entries, self.now)
            .await?;
        Ok(Recorded(made))
    }

    /// Commits. Version, first step, flag history, webhook events, and audit entries with their charge are written last, so
    /// that their row locks are short.
    ///
    /// # Panics
    /// When it is a dry run.
    pub async fn commit<T>(mut self, Recorded(made): Recorded<T>) -> db::Result<Committed<T>> {
        assert!(!self.is_dry_run(), "a dry run is rolled back");
        let is_drawn = self.drawing.is_some();
        let had_flags = self.drawing.as_ref().is_some_and(Drawing::had_flags);
        let (change, is_heard) = match self.drawing.take() {
            Some(drawing) => {
                let (change, is_heard) = drawing.write(&mut self.tx).await?;
                (Some(change), is_heard)
            }
            None => (self.found.take(), true),
        };
        if self.has_new_flag && !had_flags {
            onboarding::note_flag(&mut self.tx, self.org_id, self.now).await?;
        }
        self.pending_versions
            .write(
                &mut self.tx,
                self.org_id,
                self.actor,
                self.comment.as_ref(),
                self.now,
            )
            .await?;
        let exported = Exported::of(&mut self.tx, self.org_id, &self.outbox).await?;
        if is_heard {
            outbox::write(&mut self.tx, self.org_id, self.actor, &self.outbox).await?;
        }
        self.pending_entries
            .write_last(&mut self.tx, self.org_id, self.now)
            .await?;
        let started = Instant::now();
        self.tx.commit().await?;
        if let Some(exported) = exported {
            exported.committed(self.org_id, self.actor, &self.outbox, change.as_ref());
        }
        if let Some(change) = change.as_ref().filter(|_| is_drawn) {
            for env_id in &change.environments {
                if let Some(way) = Way::of(env_id.0, change.version) {
                    way.committed(started.elapsed());
                }
            }
        }
        Ok(Committed { made, change })
    }

    /// Commits upkeep of data held by edges. It changes no answer, so it is not recorded.
    pub async fn commit_upkeep(mut self) -> db::Result<()> {
        if let Some(drawing) = self.drawing.take() {
            drop(drawing.write(&mut self.tx).await?);
        }
        self.commit_unrecorded().await
    }

    /// Commits bookkeeping invisible to members and edges, which is not recorded.
    ///
    /// # Panics
    /// When the unit has drawn a version: changes of served data are always recorded.
    pub async fn commit_unrecorded(mut self) -> db::Result<()> {
        assert!(self.drawing.is_none(), "what edges serve is recorded");
        self.pending_entries
            .write(&mut self.tx, self.org_id, self.now)
            .await?;
        self.tx.commit().await
    }
}

impl<T> Recorded<T> {
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Recorded<U> {
        Recorded(make(self.0))
    }

    /// Combines two results, for composed operations.
    pub fn and<U>(self, other: Recorded<U>) -> Recorded<(T, U)> {
        Recorded((self.0, other.0))
    }
}

/// A unit that holds a row until its commit, and the locked row.
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
