//! Drafting: making, editing, deleting and reopening a set.

use sqlx::types::Json;

use super::{
    apply::{event, lock, with_contents_of},
    input::{Changed, NewDraft},
    model::{ChangeSet, Status},
    preview::Planned,
    store::{self, Open, Stored},
};
use crate::{
    events::{Action, Event, Subject},
    unit::{Expected, Recorded, Unit},
};
use base::{
    ids::{ChangeSetId, ProjectId, UserId},
    input::{Description, Name},
    refusal::Refusal,
};

/// Open sets of an organization, and their bytes. Concurrent drafts may exceed them by a few.
const MAX_OPEN: i64 = 500;
const MAX_BYTES: i64 = 64 * 1024 * 1024;
/// Sets that are kept once they are applied, rejected or failed.
const KEPT: i64 = 1_000;

const NO_DRAFT: Refusal = Refusal::Conflict(std::borrow::Cow::Borrowed(
    "only a draft can be changed: reopen the change set first",
));
const APPLIED: Refusal = Refusal::Conflict(std::borrow::Cow::Borrowed(
    "the change set has been applied: undo it instead",
));

/// What a new set is made of.
pub struct New {
    name: Name,
    description: Description,
    undoes: Option<ChangeSetId>,
}

impl New {
    /// A draft by a member, and its edits.
    pub fn of(draft: NewDraft) -> (Self, super::input::Edits) {
        let new = Self {
            name: draft.name,
            description: draft.description,
            undoes: None,
        };
        (new, draft.edits)
    }

    /// A draft that undoes an applied set.
    pub fn undoing(applied: &ChangeSet) -> Self {
        let name = format!("Undo {}", applied.name);
        let name: String = name.chars().take(255).collect();
        Self {
            name: Name::parse(Some(name)).expect("it is neither blank nor too long"),
            description: Description::default(),
            undoes: Some(applied.id),
        }
    }
}

/// Stores a draft.
pub async fn create(
    unit: &mut Unit,
    project_id: ProjectId,
    author: UserId,
    new: New,
    planned: Planned,
) -> Result<Recorded<ChangeSet>, Refusal> {
    let (org_id, now) = (unit.org_id(), unit.now());
    let bytes = planned.measure()?;
    let Open {
        number,
        bytes: open_bytes,
    } = store::trim(unit, org_id, KEPT, MAX_BYTES).await?;
    if number >= MAX_OPEN || open_bytes >= MAX_BYTES {
        return Err(Refusal::invalid(
            "the organization has 500 open change sets, or 64 MiB of them: apply or delete some first",
        ));
    }
    let mut set = ChangeSet {
        id: ChangeSetId::new(now),
        project_id,
        name: new.name.into(),
        description: new.description.into(),
        status: Status::Draft,
        changes: None,
        parts: None,
        base_version: planned.version(),
        author_ids: vec![author],
        version: 1,
        required_approvals: 0,
        protected: Vec::new(),
        reviews: Json(Vec::new()),
        apply_at: None,
        scheduled_by: None,
        applied_at: None,
        applied_by: None,
        applied_version: None,
        failure: None,
        undoes: new.undoes,
        created_at: now,
        updated_at: now,
    };
    let stored = Stored {
        set: &set,
        changes: &planned.changes,
        parts: &planned.parts,
        bytes,
    };
    store::insert(unit, org_id, stored).await?;
    let subject = Subject::ChangeSet(set.id);
    let event = Event::created(Action::ChangeSetCreated, subject, &set.brief());
    set.changes = Some(Json(planned.changes));
    set.parts = Some(Json(planned.parts));
    Ok(unit.record(event.in_project(project_id), set).await?)
}

/// Changes a draft. Other edits are compared with what is there now.
pub async fn update(
    unit: &mut Unit,
    read: &ChangeSet,
    author: UserId,
    changed: Changed,
    planned: Option<Planned>,
    expected: &Expected,
) -> Result<Recorded<ChangeSet>, Refusal> {
    let (org_id, now) = (unit.org_id(), unit.now());
    let before = lock(unit, read, expected).await?;
    if before.status != Status::Draft {
        return Err(NO_DRAFT);
    }
    let mut after = with_contents_of(before.clone(), read);
    if let Some(name) = changed.name {
        after.name = name.into();
    }
    if let Some(description) = changed.description {
        after.description = description.into();
    }
    after.authored_by(author);
    after.touch(now);
    if let Some(planned) = planned {
        planned.store(unit, &mut after).await?;
    }
    store::update(unit, org_id, &after).await?;
    let event = event(Action::ChangeSetUpdated, &before, &after);
    Ok(unit.record(event, after).await?)
}

/// Deletes a set that was not applied.
pub async fn delete(
    unit: &mut Unit,
    read: &ChangeSet,
    expected: &Expected,
) -> Result<Recorded<()>, Refusal> {
    let org_id = unit.org_id();
    let before = lock(unit, read, expected).await?;
    if before.status == Status::Applied {
        return Err(APPLIED);
    }
    store::delete(unit, org_id, before.id).await?;
    let subject = Subject::ChangeSet(before.id);
    let event = Event::deleted(Action::ChangeSetDeleted, subject, &before.brief());
    Ok(unit.record(event.in_project(before.project_id), ()).await?)
}

/// Makes a set a draft again, without its approvals and its time.
pub async fn reopen(
    unit: &mut Unit,
    read: &ChangeSet,
    expected: &Expected,
) -> Result<Recorded<ChangeSet>, Refusal> {
    let (org_id, now) = (unit.org_id(), unit.now());
    let before = lock(unit, read, expected).await?;
    match before.status {
        Status::Applied => return Err(APPLIED),
        Status::Draft => return Err(Refusal::conflict("the change set is a draft")),
        _ => {}
    }
    let mut after = before.clone();
    after.reopen();
    after.touch(now);
    store::update(unit, org_id, &after).await?;
    let event = event(Action::ChangeSetReopened, &before, &after);
    Ok(unit.record(event, with_contents_of(after, read)).await?)
}
