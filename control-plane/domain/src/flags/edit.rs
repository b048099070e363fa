//! Creating, changing and deleting flags: their own fields. States are written by [`super::change`].

use super::{
    history::{self, model::changed_fields},
    input::{FlagWish, NO_OWNER},
    model::Flag,
    reach, states, store,
};
use crate::{
    environments,
    events::{Action, Event, Subject},
    grants,
    members::{self, caller::Caller},
    unit::{Difference, Draft, Expected, NewVersion, ProjectChange, Recorded},
    version::{Growth, Scope},
};
use base::{
    ids::FlagId,
    refusal::{Missing, Refusal},
};

/// Environments that a refusal names.
const NAMED: i64 = 10;

/// Creates a flag. It has no state in any environment yet, so it is disabled everywhere.
pub async fn create(change: &mut ProjectChange<'_>, flag: Flag) -> Result<Recorded<Flag>, Refusal> {
    refuse_stranger(change, &flag).await?;
    let recorded = insert_all(change, std::slice::from_ref(&flag)).await?;
    Ok(recorded.map(|version| Flag { version, ..flag }))
}

/// Creates many flags at once: all of them, or none. The caller guarantees that they do not require each other in a cycle.
pub(crate) async fn create_all(
    change: &mut ProjectChange<'_>,
    flags: &[Flag],
) -> Result<Recorded<()>, Refusal> {
    Ok(insert_all(change, flags).await?.map(|_| ()))
}

/// Stores new flags; returns their version.
async fn insert_all(
    change: &mut ProjectChange<'_>,
    flags: &[Flag],
) -> Result<Recorded<i64>, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    // A cycle leads from a stored flag to a new one and back. Usually no stored flag requires one.
    let requiring = || flags.iter().filter(|flag| !flag.prerequisites.is_empty());
    let keys: Vec<_> = requiring().map(|flag| flag.key.clone()).collect();
    let may_close =
        !keys.is_empty() && store::is_any_required(change, org_id, project_id, &keys).await?;
    let recorded = insert_checked(change, flags).await?;
    if may_close {
        for flag in requiring() {
            refuse_cycle(change, flag).await?;
        }
    }
    Ok(recorded)
}

/// Stores new flags, whose prerequisites and owners are checked; returns their version.
pub(super) async fn insert_checked(
    change: &mut ProjectChange<'_>,
    flags: &[Flag],
) -> Result<Recorded<i64>, Refusal> {
    let bytes = flags.iter().map(|flag| i64::from(flag.compiled_bytes));
    let growth = Growth {
        shared_bytes: bytes.sum(),
        flags: flags.len().try_into().unwrap_or(i32::MAX),
        ..Growth::default()
    };
    let drawn = change.draw(Scope::Project, growth).await?;
    let (org_id, project_id) = (change.org_id(), change.project().id);
    store::insert(change, org_id, project_id, flags, drawn).await?;
    change.add_versions(
        flags
            .iter()
            .map(|flag| NewVersion::of_flag(flag.id, Action::FlagCreated, Difference::default())),
    );
    let events = flags.iter().map(|flag| {
        let subject = Subject::Flag(flag.id);
        Event::created(Action::FlagCreated, subject, flag).in_project(project_id)
    });
    let version = drawn.row_version();
    Ok(change.record_all(events.collect(), version).await?)
}

/// Changes a flag's fields. A flag that has them already stays as it is: nothing is drawn or recorded. What changes answers requires
/// the permissions of the caller where it does.
pub async fn update(
    change: &mut ProjectChange<'_>,
    id: FlagId,
    draft: Draft<FlagWish>,
    caller: &Caller,
    expected: &Expected,
) -> Result<Recorded<Flag>, Refusal> {
    let before = find(change, id).await?;
    before.refuse_archived()?;
    let mut flag = draft.made_of(&before);
    let Some(difference) = changed_fields(&before, &flag) else {
        expected.check(before.version)?;
        let version = before.version;
        return Ok(change
            .unchanged_since(version, Scope::Project, before)
            .await?);
    };
    flag.updated_at = change.now();
    if flag.prerequisites != before.prerequisites {
        refuse_cycle(change, &flag).await?;
    }
    if flag.owner_id != before.owner_id {
        refuse_stranger(change, &flag).await?;
    }
    let growth = Growth {
        shared_bytes: i64::from(flag.compiled_bytes) - i64::from(before.compiled_bytes),
        ..Growth::default()
    };
    let drawn = change.draw(Scope::Project, growth).await?;
    let widened = if grants::adds_tags(&before, &flag) {
        let guarded = grants::Guarded::find(change, caller).await?;
        guarded.widened(&before, &flag)
    } else {
        Vec::new()
    };
    reach::check_update(change, caller, &before, &flag, &widened).await?;
    expected.check(before.version)?;
    flag.version = drawn.row_version();
    let (org_id, project_id) = (change.org_id(), change.project().id);
    store::update(change, org_id, &flag, drawn).await?;
    change.add_versions([NewVersion::of_flag(id, Action::FlagUpdated, difference)]);
    let event = Event::updated(Action::FlagUpdated, Subject::Flag(id), &before, &flag);
    Ok(change.record(event.in_project(project_id), flag).await?)
}

/// Deletes a flag and its states for good, which requires the permissions of the caller where there are some. Flags that require
/// it fail closed. Refuses one that is switched on somewhere: archiving can be undone.
pub async fn delete(
    change: &mut ProjectChange<'_>,
    id: FlagId,
    caller: &Caller,
    expected: &Expected,
) -> Result<Recorded<()>, Refusal> {
    let flag = find(change, id).await?;
    reach::check_end(change, caller, &flag).await?;
    expected.check(flag.version)?;
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let is_compiled = flag.archived_at.is_none();
    if is_compiled {
        refuse_switched_on(change, id).await?;
    }
    let growth = Growth {
        shared_bytes: if is_compiled {
            -i64::from(flag.compiled_bytes)
        } else {
            0
        },
        flags: -1,
        ..Growth::default()
    };
    let drawn = change.draw(Scope::Project, growth).await?;
    if is_compiled {
        environments::store::shrink_by_states_of(change, org_id, id).await?;
    }
    let now = change.now();
    let grown = history::store::keep_states(change, org_id, id, now).await?;
    change.charge_history(grown);
    let difference = Difference {
        changed: Vec::new(),
        before: serde_json::to_value(&flag).ok(),
    };
    change.add_versions([NewVersion::of_flag(id, Action::FlagDeleted, difference)]);
    store::delete(change, org_id, id, drawn, now).await?;
    let event = Event::deleted(Action::FlagDeleted, Subject::Flag(id), &flag);
    Ok(change.record(event.in_project(project_id), ()).await?)
}

/// Refuses to delete a flag that is switched on, and names the environments.
async fn refuse_switched_on(change: &mut ProjectChange<'_>, id: FlagId) -> Result<(), Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let (slugs, total) = states::store::list_on(change, org_id, project_id, id, NAMED).await?;
    if slugs.is_empty() {
        return Ok(());
    }
    let more = match total - NAMED {
        more @ 1.. => format!(" and {more} more"),
        _ => String::new(),
    };
    Err(Refusal::conflict(format!(
        "flag is switched on in {}{more}: archive it, which can be undone, or switch it off there first",
        slugs.join(", ")
    )))
}

pub(super) async fn find(change: &mut ProjectChange<'_>, id: FlagId) -> Result<Flag, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let found = store::find_by_id(change, org_id, project_id, id).await?;
    found.ok_or(Missing::Flag.into())
}

/// Refuses an owner who is not a member. One who leaves meanwhile is not shown.
async fn refuse_stranger(change: &mut ProjectChange<'_>, flag: &Flag) -> Result<(), Refusal> {
    let Some(owner_id) = flag.owner_id else {
        return Ok(());
    };
    let org_id = change.org_id();
    let found = members::store::find(change, org_id, owner_id).await?;
    match found {
        Some(_) => Ok(()),
        None => Err(Refusal::invalid(NO_OWNER)),
    }
}

/// Refuses prerequisites that lead back to the flag. Under the project's lock, the second of two updates that would close a
/// cycle together sees the first.
async fn refuse_cycle(change: &mut ProjectChange<'_>, flag: &Flag) -> Result<(), Refusal> {
    if flag.prerequisites.is_empty() {
        return Ok(());
    }
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let from = &flag.prerequisites;
    if store::leads_to(change, org_id, project_id, from, &flag.key).await? {
        return Err(Refusal::invalid("prerequisites must not form a cycle"));
    }
    Ok(())
}
