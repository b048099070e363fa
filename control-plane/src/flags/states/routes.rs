//! The endpoints of flag states: show, update, promote, kill.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use serving::{body::RawBody, error::ApiError, params::Path};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::{input::StatePatch, model::FlagState, store};
use crate::{
    environments,
    flags::{
        self,
        change::{LockedFlag, UpdateError},
    },
    http::{
        access::{AnyRole, Editor},
        endpoints,
        published::Published,
        refusals::{env_not_found, flag_not_found},
    },
    ids::{EnvId, ProjectId},
    input::{Invalid, Key, required},
    members::permissions::{self, model::Touches},
    roles::keys::{FlagsKill, FlagsPromote, FlagsRead, FlagsToggleOrEditRules, Needs},
    state::AppState,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![show, update, promote, kill]
}

/// A flag's state in an environment: the stored one, or the fact that there is none.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
enum ShownState {
    Stored(Box<FlagState>),
    Never { enabled: bool },
}

/// Shows the state of a flag in an environment; `{"enabled": false}` when none was ever stored.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}",
    tag = "flags",
    params(("projectID" = ProjectId, Path), ("flagKey" = String, Path), ("envID" = EnvId, Path)),
    responses((status = 200, description = "the state", body = ShownState), (status = 404, description = "unknown"))
)]
async fn show(
    State(state): State<AppState>,
    caller: AnyRole<FlagsRead>,
    Path((project_id, key, env_id)): Path<(ProjectId, Key, EnvId)>,
) -> Result<Json<ShownState>, ApiError> {
    let mut conn = state.db.acquire().await?;
    let flag = flags::store::find(&mut conn, caller.org_id, project_id, &key)
        .await?
        .ok_or_else(flag_not_found)?;
    environments::store::find(&mut conn, caller.org_id, project_id, env_id)
        .await?
        .ok_or_else(env_not_found)?;
    let stored = store::find(&mut conn, caller.org_id, flag.id, env_id).await?;
    Ok(Json(
        stored.map_or(ShownState::Never { enabled: false }, |state| {
            ShownState::Stored(Box::new(state))
        }),
    ))
}

/// Changes the given fields of a state; creates it when there is none. All is checked before anything is stored.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}",
    tag = "flags",
    params(("projectID" = ProjectId, Path), ("flagKey" = String, Path), ("envID" = EnvId, Path)),
    request_body = StatePatch,
    responses((status = 200, description = "the state now", body = FlagState), (status = 404, description = "unknown"))
)]
async fn update(
    State(state): State<AppState>,
    caller: Editor<FlagsToggleOrEditRules>,
    Path((project_id, key, env_id)): Path<(ProjectId, Key, EnvId)>,
    body: RawBody,
) -> Result<(Published, Json<FlagState>), ApiError> {
    let mut tx = state.db.begin().await?;
    let flag = LockedFlag::find(&mut tx, caller.org_id, project_id, &key)
        .await?
        .ok_or_else(flag_not_found)?;
    let place = flag
        .state(&mut tx, env_id)
        .await?
        .ok_or_else(env_not_found)?;
    let patch: StatePatch = body.parse()?;
    let touches = patch.touches();
    let (updated, change) = place
        .update(&mut tx, patch, caller.actor(), state.clock.now())
        .await?;
    // A body that breaks a rule is 400 for everybody; who is refused here leaves nothing, as nothing is committed.
    if touches.toggle {
        caller.require(Needs::One("flags.toggle"))?;
    }
    if touches.rules {
        caller.require(Needs::One("flags.edit_rules"))?;
    }
    permissions::check(&mut tx, &caller, env_id, touches).await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((published, Json(updated)))
}

#[derive(Debug, Deserialize, ToSchema)]
struct Promote {
    /// Required.
    source_env_id: Option<String>,
    /// Required.
    target_env_id: Option<String>,
}

/// Copies toggle, default value, rules and rollout of a state into another environment.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/flags/{flagKey}/promote",
    tag = "flags",
    params(("projectID" = ProjectId, Path), ("flagKey" = String, Path)),
    request_body = Promote,
    responses(
        (status = 200, description = "the target's state now", body = FlagState),
        (status = 404, description = "unknown, or nothing stored in the source"),
    )
)]
async fn promote(
    State(state): State<AppState>,
    caller: Editor<FlagsPromote>,
    Path((project_id, key)): Path<(ProjectId, Key)>,
    body: RawBody,
) -> Result<(Published, Json<FlagState>), ApiError> {
    let mut tx = state.db.begin().await?;
    let flag = LockedFlag::find(&mut tx, caller.org_id, project_id, &key)
        .await?
        .ok_or_else(flag_not_found)?;
    let body: Promote = body.parse()?;
    let source_id = required("source_env_id", body.source_env_id)?;
    let target_id = required("target_env_id", body.target_env_id)?;
    if source_id.eq_ignore_ascii_case(&target_id) {
        return Err(Invalid::new("source_env_id and target_env_id must differ").into());
    }

    let source_id = EnvId::parse(&source_id).ok_or_else(env_not_found)?;
    let target_id = EnvId::parse(&target_id).ok_or_else(env_not_found)?;
    let source = flag
        .state(&mut tx, source_id)
        .await?
        .ok_or_else(env_not_found)?;
    let target = flag
        .state(&mut tx, target_id)
        .await?
        .ok_or_else(env_not_found)?;
    let (promoted, change) = target
        .promote_from(&mut tx, source, caller.actor(), state.clock.now())
        .await?
        .ok_or_else(|| ApiError::not_found("the flag has no state in the source environment"))?;
    permissions::check(&mut tx, &caller, target_id, Touches::BOTH).await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((published, Json(promoted)))
}

#[derive(Debug, Deserialize, ToSchema)]
struct Kill {
    /// Required.
    env_id: Option<String>,
}

/// Switches a flag off in an environment, now. May be repeated.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/flags/{flagKey}/kill",
    tag = "flags",
    params(("projectID" = ProjectId, Path), ("flagKey" = String, Path)),
    request_body = Kill,
    responses((status = 200, description = "the state now", body = FlagState), (status = 404, description = "unknown"))
)]
async fn kill(
    State(state): State<AppState>,
    caller: Editor<FlagsKill>,
    Path((project_id, key)): Path<(ProjectId, Key)>,
    body: RawBody,
) -> Result<(Published, Json<FlagState>), ApiError> {
    let mut tx = state.db.begin().await?;
    let flag = LockedFlag::find(&mut tx, caller.org_id, project_id, &key)
        .await?
        .ok_or_else(flag_not_found)?;
    let env_id = required("env_id", body.parse::<Kill>()?.env_id)?;
    let env_id = EnvId::parse(&env_id).ok_or_else(env_not_found)?;
    let place = flag
        .state(&mut tx, env_id)
        .await?
        .ok_or_else(env_not_found)?;
    let (killed, change) = place
        .kill(&mut tx, caller.actor(), state.clock.now())
        .await?;
    permissions::check(&mut tx, &caller, env_id, Touches::TOGGLE).await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((published, Json(killed)))
}

impl From<UpdateError> for ApiError {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::Invalid(invalid) => invalid.into(),
            UpdateError::Draw(error) => error.into(),
        }
    }
}
