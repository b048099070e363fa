//! Creating, changing and deleting segments.

use super::{input::SegmentWish, model::Segment, reach, store};
use crate::{
    events::{Action, Event, Subject},
    members::caller::Caller,
    unit::{Draft, Expected, ProjectChange, Recorded},
    version::{Growth, Scope},
};
use base::{
    ids::SegmentId,
    refusal::{Missing, Refusal},
};

/// Creates a segment for a member. Rules may name it before it is there: then this has the effect of a change.
pub async fn create_checked(
    change: &mut ProjectChange<'_>,
    segment: Segment,
    caller: &Caller,
) -> Result<Recorded<Segment>, Refusal> {
    reach::check(change, caller, &segment.key).await?;
    create(change, segment).await
}

/// Creates a segment, whoever has rules that name it.
pub async fn create(
    change: &mut ProjectChange<'_>,
    segment: Segment,
) -> Result<Recorded<Segment>, Refusal> {
    let recorded = insert_all(change, std::slice::from_ref(&segment)).await?;
    Ok(recorded.map(|version| Segment { version, ..segment }))
}

/// Creates many segments at once: all of them, or none.
pub async fn create_all(
    change: &mut ProjectChange<'_>,
    segments: &[Segment],
) -> Result<Recorded<()>, Refusal> {
    Ok(insert_all(change, segments).await?.map(|_| ()))
}

/// Stores new segments; returns their version.
async fn insert_all(
    change: &mut ProjectChange<'_>,
    segments: &[Segment],
) -> Result<Recorded<i64>, Refusal> {
    let bytes = segments.iter().map(|one| i64::from(one.compiled_bytes));
    let pattern_bytes = segments.iter().map(|one| i64::from(one.pattern_bytes));
    let growth = Growth {
        shared_bytes: bytes.sum(),
        shared_pattern_bytes: pattern_bytes.sum(),
        segments: segments.len().try_into().unwrap_or(i32::MAX),
        ..Growth::default()
    };
    let drawn = change.draw(Scope::Project, growth).await?;
    let (org_id, project_id) = (change.org_id(), change.project().id);
    store::insert(change, org_id, project_id, segments, drawn).await?;
    let events = segments.iter().map(|segment| {
        let subject = Subject::Segment(segment.id);
        Event::created(Action::SegmentCreated, subject, segment).in_project(project_id)
    });
    let version = drawn.row_version();
    Ok(change.record_all(events.collect(), version).await?)
}

/// Changes the given fields. Other rules or another match type require the permissions of the caller where rules name it.
/// A segment that has the fields already stays as it is: nothing is drawn or recorded.
pub async fn update(
    change: &mut ProjectChange<'_>,
    id: SegmentId,
    draft: Draft<SegmentWish>,
    caller: &Caller,
    expected: &Expected,
) -> Result<Recorded<Segment>, Refusal> {
    let before = find(change, id).await?;
    let mut segment = draft.made_of(&before);
    if segment == before {
        expected.check(before.version)?;
        let version = before.version;
        return Ok(change
            .unchanged_since(version, Scope::Project, before)
            .await?);
    }
    segment.updated_at = change.now();
    let growth = Growth {
        shared_bytes: i64::from(segment.compiled_bytes) - i64::from(before.compiled_bytes),
        shared_pattern_bytes: i64::from(segment.pattern_bytes) - i64::from(before.pattern_bytes),
        ..Growth::default()
    };
    let drawn = change.draw(Scope::Project, growth).await?;
    if !segment.selects_as(&before) {
        reach::check(change, caller, &segment.key).await?;
    }
    expected.check(before.version)?;
    segment.version = drawn.row_version();
    let (org_id, project_id) = (change.org_id(), change.project().id);
    store::update(change, org_id, &segment, drawn).await?;
    let event = Event::updated(
        Action::SegmentUpdated,
        Subject::Segment(segment.id),
        &before,
        &segment,
    );
    Ok(change.record(event.in_project(project_id), segment).await?)
}

/// Deletes a segment, in use or not, with the permissions of the caller where rules name it. They stop matching on it.
pub async fn delete(
    change: &mut ProjectChange<'_>,
    id: SegmentId,
    caller: &Caller,
    expected: &Expected,
) -> Result<Recorded<()>, Refusal> {
    let segment = find(change, id).await?;
    reach::check(change, caller, &segment.key).await?;
    expected.check(segment.version)?;
    let growth = Growth {
        shared_bytes: -i64::from(segment.compiled_bytes),
        shared_pattern_bytes: -i64::from(segment.pattern_bytes),
        segments: -1,
        ..Growth::default()
    };
    let drawn = change.draw(Scope::Project, growth).await?;
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    store::delete(change, org_id, segment.id, drawn, now).await?;
    let event = Event::deleted(
        Action::SegmentDeleted,
        Subject::Segment(segment.id),
        &segment,
    );
    Ok(change.record(event.in_project(project_id), ()).await?)
}

async fn find(change: &mut ProjectChange<'_>, id: SegmentId) -> Result<Segment, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let found = store::find_by_id(change, org_id, project_id, id).await?;
    found.ok_or(Missing::Segment.into())
}
