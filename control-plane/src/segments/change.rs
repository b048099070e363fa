//! Creating, changing and deleting segments.

use super::{input::SegmentWish, model::Segment, store};
use crate::{
    db::{self, WriteError},
    events::{Action, Event, Subject},
    ids::SegmentId,
    publish::version::{DrawError, Growth, Scope},
    unit::{Draft, ProjectChange, Recorded},
};

/// Why segments stay as they are.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The project has no such segment, or no longer.
    #[error("segment not found")]
    Gone,
    /// The key is taken.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// No version could be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Creates a segment. Rules may have referred to it before.
pub async fn create(
    change: &mut ProjectChange<'_>,
    segment: Segment,
) -> Result<Recorded<Segment>, ChangeError> {
    let growth = Growth {
        shared_bytes: segment.compiled_bytes.into(),
        segments: 1,
        ..Growth::default()
    };
    let drawn = change.draw(Scope::Project, growth).await?;
    let (org_id, project_id) = (change.org_id(), change.project().id);
    store::insert(change, org_id, project_id, &segment, drawn).await?;
    let subject = Subject::Segment(segment.id);
    let event = Event::created(Action::SegmentCreated, subject, &segment);
    Ok(change.record(event.in_project(project_id), segment).await?)
}

/// Changes a segment's fields.
pub async fn update(
    change: &mut ProjectChange<'_>,
    id: SegmentId,
    draft: Draft<SegmentWish>,
) -> Result<Recorded<Segment>, ChangeError> {
    let before = find(change, id).await?;
    let segment = Segment {
        updated_at: change.now(),
        ..draft.made_of(&before)
    };
    let growth = Growth {
        shared_bytes: i64::from(segment.compiled_bytes) - i64::from(before.compiled_bytes),
        ..Growth::default()
    };
    let drawn = change.draw(Scope::Project, growth).await?;
    let (org_id, project_id) = (change.org_id(), change.project().id);
    store::update(change, org_id, &segment, drawn).await?;
    let event = Event::updated(
        Action::SegmentUpdated,
        Subject::Segment(id),
        &before,
        &segment,
    );
    Ok(change.record(event.in_project(project_id), segment).await?)
}

/// Deletes a segment, in use or not. Rules that refer to it stop matching on it.
pub async fn delete(
    change: &mut ProjectChange<'_>,
    id: SegmentId,
) -> Result<Recorded<()>, ChangeError> {
    let segment = find(change, id).await?;
    let growth = Growth {
        shared_bytes: -i64::from(segment.compiled_bytes),
        segments: -1,
        ..Growth::default()
    };
    let drawn = change.draw(Scope::Project, growth).await?;
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    store::delete(change, org_id, id, drawn, now).await?;
    let event = Event::deleted(Action::SegmentDeleted, Subject::Segment(id), &segment);
    Ok(change.record(event.in_project(project_id), ()).await?)
}

async fn find(change: &mut ProjectChange<'_>, id: SegmentId) -> Result<Segment, ChangeError> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let found = store::find_by_id(change, org_id, project_id, id).await?;
    found.ok_or(ChangeError::Gone)
}
