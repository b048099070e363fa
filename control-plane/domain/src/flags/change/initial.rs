//! The states of flags created in the same unit.

use std::collections::BTreeMap;

use super::{Authority, Place};
use crate::{
    events::{Action, Event, Subject},
    flags::{
        history::model::changed_parts,
        states::store::{self as states, Stated},
    },
    members::permissions::model::Touches,
    unit::{NewVersion, ProjectChange, Recorded},
    version::{Growth, Scope},
};
use base::{ids::EnvId, refusal::Refusal};

/// Creates the states of flags that this unit created: all of them, or none. No other state of theirs can exist.
pub(crate) async fn create_all(
    change: &mut ProjectChange<'_>,
    mut stated: Vec<Stated>,
    authority: Authority<'_>,
) -> Result<Recorded<()>, Refusal> {
    let mut bytes: BTreeMap<EnvId, Growth> = BTreeMap::new();
    for one in &stated {
        let growth = bytes.entry(one.env_id).or_default();
        growth.state_bytes += i64::from(one.state.compiled_bytes);
        growth.state_pattern_bytes += i64::from(one.state.pattern_bytes);
    }
    let mut drawn = None;
    for (&env_id, &growth) in &bytes {
        drawn = Some(change.draw(Scope::Environment(env_id), growth).await?);
    }
    authority.check_keys(Touches::BOTH)?;
    // One state of each environment stands for all.
    for &env_id in bytes.keys() {
        if let Some(one) = stated.iter().find(|one| one.env_id == env_id) {
            let place = Place {
                flag_id: one.flag_id,
                env_id,
            };
            let states = (None, &one.state);
            authority
                .check(
                    change,
                    place,
                    Action::FlagStateUpdated,
                    Touches::BOTH,
                    states,
                )
                .await?;
        }
    }
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    for one in &mut stated {
        one.state.updated_at = now;
    }
    if let Some(drawn) = drawn {
        states::upsert(change, org_id, &stated, drawn).await?;
    }
    change.add_versions(stated.iter().filter_map(|one| {
        Some(NewVersion {
            flag_id: one.flag_id,
            env_id: Some(one.env_id),
            action: Action::FlagStateUpdated,
            approval_id: None,
            difference: changed_parts(None, &one.state)?,
        })
    }));
    let events = stated.iter().map(|one| {
        let subject = Subject::FlagState(one.flag_id, one.env_id);
        Event::created(Action::FlagStateUpdated, subject, &one.state).in_project(project_id)
    });
    Ok(change.record_all(events.collect(), ()).await?)
}
