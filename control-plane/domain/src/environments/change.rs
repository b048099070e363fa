//! Creating, changing and deleting environments.

use super::{
    guard,
    input::EnvironmentWish,
    model::Environment,
    store::{self, Doomed},
};
use crate::{
    events::{Action, Event, Subject},
    members::caller::Caller,
    orgs::{self, Counted},
    unit::{Expected, ProjectChange, Recorded},
    version::{Growth, Scope},
};
use base::{
    ids::EnvId,
    refusal::{Missing, Refusal},
};

/// Creates an environment without flag states that says how it is guarded.
pub async fn create_guarded(
    change: &mut ProjectChange<'_>,
    env: Environment,
    caller: &Caller,
) -> Result<Recorded<Environment>, Refusal> {
    guard::check(change, caller).await?;
    create(change, env).await
}

/// Creates an environment without flag states.
pub async fn create(
    change: &mut ProjectChange<'_>,
    env: Environment,
) -> Result<Recorded<Environment>, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let existing = store::count(change, org_id, project_id).await?;
    let org = orgs::store::lock(change, org_id).await?;
    org.allow_another(Counted::Environments, existing, change.now())?;
    insert(change, env).await
}

/// Creates one regardless of the plan.
pub async fn insert(
    change: &mut ProjectChange<'_>,
    env: Environment,
) -> Result<Recorded<Environment>, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let drawn = change
        .draw(Scope::Environment(env.id), Growth::default())
        .await?;
    store::insert(change, org_id, project_id, &env, drawn).await?;
    let subject = Subject::Environment(env.id);
    let event = Event::created(Action::EnvironmentCreated, subject, &env);
    Ok(change.record(event.in_project(project_id), env).await?)
}

/// Changes the given fields. Edges serve only the slug, which is part of the evaluation paths: that of a protected environment
/// is changed by those who may lift the protection.
pub async fn update(
    change: &mut ProjectChange<'_>,
    env_id: EnvId,
    wish: &EnvironmentWish,
    caller: &Caller,
    expected: &Expected,
) -> Result<Recorded<Environment>, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let before = find(change, env_id).await?;
    let env = wish.apply(&before);
    if wish.guards() || (before.protected && env.slug != before.slug) {
        guard::check_and_hold(change, caller).await?;
    }
    expected.check(before.version)?;
    if env == before {
        return Ok(change.unchanged(before));
    }
    let env = Environment {
        version: before.version + 1,
        ..env
    };
    let now = change.now();
    store::update(change, org_id, &env, now).await?;
    if env.slug != before.slug {
        let drawn = change
            .draw(Scope::Environment(env_id), Growth::default())
            .await?;
        store::update_slug(change, org_id, &env, drawn).await?;
    }
    let subject = Subject::Environment(env_id);
    let event = Event::updated(Action::EnvironmentUpdated, subject, &before, &env);
    Ok(change.record(event.in_project(project_id), env).await?)
}

/// Deletes an environment with its flag states and API keys.
pub async fn delete(
    change: &mut ProjectChange<'_>,
    env_id: EnvId,
    expected: &Expected,
) -> Result<Recorded<()>, Refusal> {
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    let env = find(change, env_id).await?;
    guard::refuse_deletion(&env)?;
    expected.check(env.version)?;
    let drawn = change
        .draw(Scope::Environment(env_id), Growth::default())
        .await?;
    let doomed = Doomed::One(env_id);
    store::delete(change, org_id, project_id, doomed, drawn, now).await?;
    let subject = Subject::Environment(env_id);
    let event = Event::deleted(Action::EnvironmentDeleted, subject, &env);
    Ok(change.record(event.in_project(project_id), ()).await?)
}

async fn find(change: &mut ProjectChange<'_>, env_id: EnvId) -> Result<Environment, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let found = store::find(change, org_id, project_id, env_id).await?;
    found.ok_or(Missing::Environment.into())
}
