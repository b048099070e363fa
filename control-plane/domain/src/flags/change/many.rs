//! Changing many states in one unit of work.

use std::collections::BTreeMap;

use super::{Authority, Place, state::Cause};
use crate::{
    events::Action,
    flags::{
        history::model::changed_parts,
        states::{
            model::FlagState,
            store::{self as states, Stated},
        },
    },
    grants::Spent,
    members::permissions::model::Touches,
    unit::{NewVersion, ProjectChange, Recorded},
    version::{Drawn, Growth, Scope},
};
use base::{ids::EnvId, refusal::Refusal, warning::Warning};

/// Rows of a statement.
const ROWS: usize = 1_000;

/// A state that is to be stored, of a flag that is not archived.
pub(crate) struct Wished {
    pub(crate) place: Place,
    /// As it is stored, read under the project's lock; `None` if there is none.
    pub(crate) stored: Option<FlagState>,
    /// As it is to be.
    pub(crate) state: FlagState,
    /// The halves that differ.
    pub(crate) touches: Touches,
    /// About it, for the audit log.
    pub(crate) warnings: Vec<Warning>,
    /// The grant that allowed it.
    pub(crate) spent: Option<Spent>,
}

/// Stores states that differ, or that are not there yet: all of them, or none.
pub(crate) async fn write_all(
    change: &mut ProjectChange<'_>,
    wished: Vec<Wished>,
    authority: Authority<'_>,
) -> Result<Option<Recorded<()>>, Refusal> {
    if wished.is_empty() {
        return Ok(None);
    }
    let mut drawn = None;
    for (env_id, growth) in grown(&wished) {
        drawn = Some(change.draw(Scope::Environment(env_id), growth).await?);
    }
    // One state of those that touch the same in an environment stands for all, but for those that a grant allows.
    let mut checked: Vec<(EnvId, Touches)> = Vec::new();
    for one in &wished {
        let what = (one.place.env_id, one.touches);
        if checked.contains(&what) {
            continue;
        }
        authority.check_keys(one.touches)?;
        if one.spent.is_some() {
            continue;
        }
        checked.push(what);
        let states = (one.stored.as_ref(), &one.state);
        let action = Action::FlagStateUpdated;
        authority
            .check(change, one.place, action, one.touches, states)
            .await?;
    }
    let mut recorded = None;
    if let Some(drawn) = drawn {
        let mut rest = wished.into_iter();
        loop {
            let part: Vec<_> = rest.by_ref().take(ROWS).collect();
            if part.is_empty() {
                break;
            }
            recorded = Some(write(change, part, drawn).await?);
        }
    }
    Ok(recorded)
}

/// Stores and records a part of them, so that the transaction never idles for long.
async fn write(
    change: &mut ProjectChange<'_>,
    wished: Vec<Wished>,
    drawn: Drawn,
) -> Result<Recorded<()>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let mut versions = Vec::with_capacity(wished.len());
    let mut events = Vec::with_capacity(wished.len());
    let mut stated = Vec::with_capacity(wished.len());
    for mut one in wished {
        one.state.updated_at = now;
        let Place { flag_id, env_id } = one.place;
        let difference = changed_parts(one.stored.as_ref(), &one.state);
        versions.extend(difference.map(|difference| NewVersion {
            flag_id,
            env_id: Some(env_id),
            action: Action::FlagStateUpdated,
            approval_id: None,
            difference,
        }));
        let cause = Cause::of(Action::FlagStateUpdated);
        let stored = one.stored.as_ref();
        let mut event = cause.event(change, one.place, stored, Some(&one.state));
        if !one.warnings.is_empty() {
            event = event.note("warnings", &one.warnings);
            change.warn(&one.warnings);
        }
        if let Some(spent) = &one.spent {
            event = event.note("grant", spent);
        }
        events.push(event);
        stated.push(Stated {
            flag_id,
            env_id,
            state: one.state,
        });
    }
    states::upsert(change, org_id, &stated, drawn).await?;
    change.add_versions(versions);
    Ok(change.record_all(events, ()).await?)
}

/// By how much the compiled states of each environment grow.
fn grown(wished: &[Wished]) -> BTreeMap<EnvId, Growth> {
    let mut grown: BTreeMap<EnvId, Growth> = BTreeMap::new();
    for one in wished {
        let sizes = |state: &FlagState| (state.compiled_bytes, state.pattern_bytes);
        let (bytes, patterns) = sizes(&one.state);
        let (bytes_before, patterns_before) = one.stored.as_ref().map_or((0, 0), sizes);
        let growth = grown.entry(one.place.env_id).or_default();
        growth.state_bytes += i64::from(bytes) - i64::from(bytes_before);
        growth.state_pattern_bytes += i64::from(patterns) - i64::from(patterns_before);
    }
    grown
}
