//! Creating and changing many flags in one unit of work: their own fields. Their prerequisites are checked by the caller, who
//! knows the result of all changes.

use super::{edit, history::model::changed_fields, model::Flag, reach, store};
use crate::{
    events::{Action, Event, Subject},
    grants,
    members::{caller::Caller, permissions::guard},
    unit::{NewVersion, ProjectChange, Recorded},
    version::{Growth, Scope},
};
use base::refusal::Refusal;

/// Rows of a statement.
const ROWS: usize = 1_000;

/// Creates flags without owners: all of them, or none.
pub(crate) async fn create(
    change: &mut ProjectChange<'_>,
    flags: &[Flag],
) -> Result<Option<Recorded<()>>, Refusal> {
    let mut recorded = None;
    for flags in flags.chunks(ROWS) {
        recorded = Some(edit::insert_checked(change, flags).await?.map(|_| ()));
    }
    Ok(recorded)
}

/// Changes flags that differ, each given as it is stored and as it is to be; their owners stay. Requires the permissions of the
/// caller as the change of one does.
pub(crate) async fn update(
    change: &mut ProjectChange<'_>,
    flags: Vec<(Flag, Flag)>,
    caller: &Caller,
) -> Result<Option<Recorded<()>>, Refusal> {
    if flags.is_empty() {
        return Ok(None);
    }
    let grown = flags
        .iter()
        .map(|(before, after)| i64::from(after.compiled_bytes) - i64::from(before.compiled_bytes));
    let growth = Growth {
        shared_bytes: grown.sum(),
        ..Growth::default()
    };
    let drawn = change.draw(Scope::Project, growth).await?;
    let role = guard::hold_role(change, caller).await?;
    role.ok_or(Refusal::INSUFFICIENT)?;
    let guarded = if flags.iter().any(|(it, after)| grants::adds_tags(it, after)) {
        Some(grants::Guarded::find(change, caller).await?)
    } else {
        None
    };
    for (before, after) in &flags {
        let widened = guarded
            .as_ref()
            .map_or(Vec::new(), |it| it.widened(before, after));
        if !after.answers_like(before) || !widened.is_empty() {
            reach::check_update(change, caller, before, after, &widened).await?;
        }
    }
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    let mut versions = Vec::with_capacity(flags.len());
    let mut events = Vec::with_capacity(flags.len());
    let mut changed = Vec::with_capacity(flags.len());
    for (before, mut flag) in flags {
        let Some(difference) = changed_fields(&before, &flag) else {
            continue;
        };
        flag.updated_at = now;
        flag.version = drawn.row_version();
        versions.push(NewVersion::of_flag(
            flag.id,
            Action::FlagUpdated,
            difference,
        ));
        let event = Event::updated(Action::FlagUpdated, Subject::Flag(flag.id), &before, &flag);
        events.push(event.in_project(project_id));
        changed.push(flag);
    }
    for flags in changed.chunks(ROWS) {
        store::update_all(change, org_id, flags, drawn).await?;
    }
    change.add_versions(versions);
    Ok(Some(change.record_all(events, ()).await?))
}
