//! Archiving and restoring flags. An archived flag answers as a deleted one does, and keeps its fields, states, history and key.

use serde_json::json;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{
    edit,
    model::Flag,
    reach,
    states::store::{self as states, Size},
    store::{self, Dropped},
};
use crate::{
    events::{Action, Event, Subject},
    members::caller::Caller,
    unit::{Difference, Expected, NewVersion, ProjectChange, Recorded},
    version::{Drawn, Growth, Scope},
};
use base::{ids::FlagId, refusal::Refusal};

/// Archives a flag, with the permissions of the caller where it has states. Flags that require it fail closed. Changes nothing if
/// it is archived.
pub async fn archive(
    change: &mut ProjectChange<'_>,
    id: FlagId,
    caller: &Caller,
    expected: &Expected,
) -> Result<Recorded<()>, Refusal> {
    let before = edit::find(change, id).await?;
    if before.archived_at.is_some() {
        expected.check(before.version)?;
        return Ok(change.unchanged(()));
    }
    reach::check_end(change, caller, &before).await?;
    expected.check(before.version)?;
    end(change, before).await
}

/// Archives a flag that the same unit created, so that nobody misses it.
pub(crate) async fn archive_created(
    change: &mut ProjectChange<'_>,
    flag: Flag,
) -> Result<Recorded<()>, Refusal> {
    end(change, flag).await
}

async fn end(change: &mut ProjectChange<'_>, before: Flag) -> Result<Recorded<()>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let id = before.id;
    let drawn = resize(change, &before, -1).await?;
    store::archive(change, org_id, id, drawn, now).await?;
    let after = Flag {
        archived_at: Some(now),
        ..before.clone()
    };
    record(change, Action::FlagArchived, &before, &after).await
}

/// Restores an archived flag, with its states as they were but for due times that have passed. Changes nothing if it is not
/// archived.
pub async fn restore(
    change: &mut ProjectChange<'_>,
    id: FlagId,
    caller: &Caller,
    expected: &Expected,
) -> Result<Recorded<()>, Refusal> {
    let before = edit::find(change, id).await?;
    if before.archived_at.is_none() {
        expected.check(before.version)?;
        return Ok(change.unchanged(()));
    }
    let (org_id, now) = (change.org_id(), change.now());
    let drawn = resize(change, &before, 1).await?;
    reach::check_restoration(change, caller, id).await?;
    expected.check(before.version)?;
    let dropped = store::restore(change, org_id, id, drawn, now).await?;
    change.add_versions(dropped.iter().map(|dropped| NewVersion {
        flag_id: id,
        env_id: Some(dropped.env_id),
        action: Action::FlagRestored,
        approval_id: None,
        difference: difference(dropped),
    }));
    let after = Flag {
        archived_at: None,
        ..before.clone()
    };
    record(change, Action::FlagRestored, &before, &after).await
}

/// Draws a version in which the flag and its states are added to the compiled environments (`sign` 1) or removed (-1).
async fn resize(change: &mut ProjectChange<'_>, flag: &Flag, sign: i64) -> Result<Drawn, Refusal> {
    let shared = Growth {
        shared_bytes: sign * i64::from(flag.compiled_bytes),
        ..Growth::default()
    };
    let drawn = change.draw(Scope::Project, shared).await?;
    let (org_id, project_id) = (change.org_id(), change.project().id);
    for size in states::sizes(change, org_id, project_id, flag.id).await? {
        let Size {
            env_id,
            compiled_bytes,
            pattern_bytes,
        } = size;
        let growth = Growth {
            state_bytes: sign * i64::from(compiled_bytes),
            state_pattern_bytes: sign * i64::from(pattern_bytes),
            ..Growth::default()
        };
        change.draw(Scope::Environment(env_id), growth).await?;
    }
    Ok(drawn)
}

async fn record(
    change: &mut ProjectChange<'_>,
    action: Action,
    before: &Flag,
    after: &Flag,
) -> Result<Recorded<()>, Refusal> {
    let difference = Difference {
        changed: vec!["archived_at"],
        before: Some(json!({"archived_at": text(before.archived_at)})),
    };
    change.add_versions([NewVersion::of_flag(before.id, action, difference)]);
    let event = Event::updated(action, Subject::Flag(before.id), before, after);
    let event = event.in_project(change.project().id);
    Ok(change.record(event, ()).await?)
}

/// The due times that a restored state lacks.
fn difference(dropped: &Dropped) -> Difference {
    let due = [
        ("scheduled_enable_at", dropped.enable_at),
        ("scheduled_disable_at", dropped.disable_at),
    ];
    let passed = due.into_iter().filter(|(_, due)| due.is_some());
    let (changed, before): (Vec<_>, serde_json::Map<_, _>) = passed
        .map(|(name, due)| (name, (name.to_owned(), json!(text(due)))))
        .unzip();
    Difference {
        changed,
        before: Some(before.into()),
    }
}

fn text(time: Option<OffsetDateTime>) -> Option<String> {
    time.and_then(|time| time.format(&Rfc3339).ok())
}
