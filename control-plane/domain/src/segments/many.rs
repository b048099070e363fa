//! Creating, changing and deleting many segments in one unit of work. The rules that name them are read once for all.

use super::{change, model::Segment, reach, store};
use crate::{
    events::{Action, Event, Subject},
    members::caller::Caller,
    unit::{ProjectChange, Recorded},
    version::{Growth, Scope},
};
use base::refusal::Refusal;

/// Rows of a statement.
const ROWS: usize = 1_000;

/// Creates segments: all of them, or none. Rules may name them before they are there: then this has the effect of a change.
pub(crate) async fn create(
    change: &mut ProjectChange<'_>,
    segments: &[Segment],
    caller: &Caller,
) -> Result<Option<Recorded<()>>, Refusal> {
    if segments.is_empty() {
        return Ok(None);
    }
    reach::check_all(change, caller, &keys(segments)).await?;
    let mut recorded = None;
    for segments in segments.chunks(ROWS) {
        recorded = Some(change::create_all(change, segments).await?);
    }
    Ok(recorded)
}

/// Changes segments that differ, each given as it is stored and as it is to be. Requires the permissions of the caller as the
/// change of one does.
pub(crate) async fn update(
    change: &mut ProjectChange<'_>,
    segments: Vec<(Segment, Segment)>,
    caller: &Caller,
) -> Result<Option<Recorded<()>>, Refusal> {
    if segments.is_empty() {
        return Ok(None);
    }
    let mut growth = Growth::default();
    for (before, after) in &segments {
        growth.shared_bytes += i64::from(after.compiled_bytes) - i64::from(before.compiled_bytes);
        growth.shared_pattern_bytes +=
            i64::from(after.pattern_bytes) - i64::from(before.pattern_bytes);
    }
    let drawn = change.draw(Scope::Project, growth).await?;
    let selecting = segments
        .iter()
        .filter(|(before, after)| !after.selects_as(before));
    let selecting: Vec<_> = selecting.map(|(_, after)| after.key.clone()).collect();
    reach::check_all(change, caller, &selecting).await?;
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    let mut events = Vec::with_capacity(segments.len());
    for (before, mut segment) in segments {
        segment.updated_at = now;
        segment.version = drawn.row_version();
        store::update(change, org_id, &segment, drawn).await?;
        let subject = Subject::Segment(segment.id);
        let event = Event::updated(Action::SegmentUpdated, subject, &before, &segment);
        events.push(event.in_project(project_id));
    }
    Ok(Some(change.record_all(events, ()).await?))
}

/// Deletes segments, in use or not, with the permissions of the caller where rules name them.
pub(crate) async fn delete(
    change: &mut ProjectChange<'_>,
    segments: &[Segment],
    caller: &Caller,
) -> Result<Option<Recorded<()>>, Refusal> {
    if segments.is_empty() {
        return Ok(None);
    }
    reach::check_all(change, caller, &keys(segments)).await?;
    let bytes = segments.iter().map(|one| i64::from(one.compiled_bytes));
    let patterns = segments.iter().map(|one| i64::from(one.pattern_bytes));
    let growth = Growth {
        shared_bytes: -bytes.sum::<i64>(),
        shared_pattern_bytes: -patterns.sum::<i64>(),
        segments: -i32::try_from(segments.len()).unwrap_or(i32::MAX),
        ..Growth::default()
    };
    let drawn = change.draw(Scope::Project, growth).await?;
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    for segment in segments {
        store::delete(change, org_id, segment.id, drawn, now).await?;
    }
    let events = segments.iter().map(|segment| {
        let subject = Subject::Segment(segment.id);
        Event::deleted(Action::SegmentDeleted, subject, segment).in_project(project_id)
    });
    Ok(Some(change.record_all(events.collect(), ()).await?))
}

fn keys(segments: &[Segment]) -> Vec<String> {
    segments.iter().map(|one| one.key.clone()).collect()
}
