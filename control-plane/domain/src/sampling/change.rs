//! Switching sampling on and off, under the project's lock.

use super::{
    input::SamplingWish,
    model::{MOST, Sampling},
    store,
};
use crate::{
    environments,
    events::{Action, Event, Subject},
    members::caller::Caller,
    orgs,
    unit::{ProjectChange, Recorded},
    what_if,
};
use base::{
    ids::EnvId,
    refusal::{Missing, Refusal},
};

/// Replaces the setting of an environment. That of a protected one is changed by those who decide how it is guarded.
pub async fn replace(
    change: &mut ProjectChange<'_>,
    env_id: EnvId,
    wish: SamplingWish,
    caller: &Caller,
) -> Result<Recorded<Sampling>, Refusal> {
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    let env = environments::store::find(change, org_id, project_id, env_id).await?;
    if env.ok_or(Missing::Environment)?.protected {
        environments::guard::check_and_hold(change, caller).await?;
    }
    let before = store::find(change, org_id, env_id).await?;
    let sampling = wish.apply(&before, now);
    if sampling == before {
        return Ok(change.unchanged(sampling));
    }
    if sampling.enabled && !before.enabled {
        orgs::store::lock(change, org_id).await?;
        if store::count(change, org_id).await? >= i64::from(MOST) {
            return Err(Refusal::invalid(
                "at most 20 environments of an organization are sampled",
            ));
        }
    }
    store::upsert(change, org_id, env_id, &sampling).await?;
    what_if::store::forget_examples(change, org_id, env_id).await?;
    let action = Action::EnvironmentSamplingChanged;
    let event = Event::updated(action, Subject::Environment(env_id), &before, &sampling);
    let event = event.in_project(project_id);
    Ok(change.record(event, sampling).await?)
}
