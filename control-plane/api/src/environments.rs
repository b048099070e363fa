//! The endpoints of environments.

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};

use crate::http::{
    Access, AnyRole, Editor, IfMatch, IfNoneMatch, Manager, Published, Routes, Tagged, endpoints,
};
use base::{
    ids::ProjectId,
    named::{EnvRef, Named, ProjectRef},
    refusal::{Guarded, Refusal},
};
use domain::{
    environments::{
        change,
        input::{EnvironmentPatch, NewEnvironment},
        model::Environment,
        store,
    },
    lifecycle::removal::Removals,
    roles::keys::{EnvironmentsCreate, EnvironmentsDelete, EnvironmentsRead},
};

pub fn router() -> Routes {
    endpoints![create, list, show, update, delete]
}

/// Creates an environment: no flag has a state in it yet.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/environments",
    operation_id = "createEnvironment",
    tag = "environments",
    params(("projectID" = String, Path)),
    request_body = NewEnvironment,
    responses(
        (status = 201, description = "created", body = Environment),
        (status = 402, description = "the plan allows no more environments in a project"),
        (status = 404, description = "unknown project"),
        (status = 409, description = "the slug is taken"),
    )
)]
async fn create(
    caller: Editor<EnvironmentsCreate>,
    Path(project): Path<ProjectRef>,
    body: RawBody,
) -> Result<(StatusCode, Published, Tagged<Environment>), ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let new: NewEnvironment = body.parse().await?;
    let is_guarded = new.guards();
    let env = new.check(caller.clock.now())?;
    let (published, env) = caller
        .write(project_id, async |project| {
            if is_guarded {
                change::create_guarded(project, env, &caller).await
            } else {
                change::create(project, env).await
            }
        })
        .await?;
    Ok((StatusCode::CREATED, published, Tagged(env)))
}

/// Lists the environments of a project.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/environments",
    operation_id = "listEnvironments",
    tag = "environments",
    params(("projectID" = String, Path), Page),
    responses(
        (status = 200, description = "in creation order", body = Paged<Environment>),
        (status = 404, description = "unknown project"),
    )
)]
async fn list(
    caller: AnyRole<EnvironmentsRead>,
    Path(project): Path<ProjectRef>,
    page: Page,
) -> Result<Json<Paged<Environment>>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let mut conn = caller.db.acquire().await?;
    let environments = store::page(&mut conn, caller.org_id, project_id, page).await?;
    Ok(Json(environments))
}

/// Shows an environment.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/environments/{envID}",
    operation_id = "getEnvironment",
    tag = "environments",
    params(("projectID" = String, Path), ("envID" = String, Path)),
    responses(
        (status = 200, description = "the environment", body = Environment),
        (status = 404, description = "unknown"),
    )
)]
async fn show(
    caller: AnyRole<EnvironmentsRead>,
    Path((project, env)): Path<(ProjectRef, EnvRef)>,
) -> Result<Tagged<Environment>, ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    let env = caller.environment(project_id, env_id).await?;
    Ok(Tagged(env))
}

/// Changes the given fields. A new slug moves the evaluation paths at once. `protected`, `required_approvals`, and the slug of a
/// protected environment are for Owner and Admin, with a custom role that has `approvals.review`.
/// With `If-None-Match: *` it creates the environment that the path names by its slug; the body is then that of a creation.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}/environments/{envID}",
    operation_id = "updateEnvironment",
    tag = "environments",
    params(("projectID" = String, Path), ("envID" = String, Path)),
    request_body = EnvironmentPatch,
    responses(
        (status = 200, description = "the environment now", body = Environment),
        (status = 201, description = "created", body = Environment),
        (status = 402, description = "the plan allows no more environments in a project"),
        (status = 404, description = "unknown"),
        (status = 409, description = "the slug is taken"),
    )
)]
async fn update(
    caller: Editor<EnvironmentsCreate>,
    Path((project, env)): Path<(ProjectRef, EnvRef)>,
    if_match: IfMatch,
    if_none_match: IfNoneMatch,
    body: RawBody,
) -> Result<(StatusCode, Published, Tagged<Environment>), ApiError> {
    if if_none_match.creates(&if_match)? {
        let project_id = caller.project_id(&project).await?;
        return create_at(&caller, project_id, env, body).await;
    }
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    caller.environment(project_id, env_id).await?;
    let expected = if_match.read()?;
    let wish = body.parse::<EnvironmentPatch>().await?.check()?;
    let (published, env) = caller
        .write(project_id, async |project| {
            change::update(project, env_id, &wish, &caller, &expected).await
        })
        .await?;
    Ok((StatusCode::OK, published, Tagged(env)))
}

/// Creates an environment with this slug, unless there is one.
async fn create_at(
    caller: &Access,
    project_id: ProjectId,
    named: EnvRef,
    body: RawBody,
) -> Result<(StatusCode, Published, Tagged<Environment>), ApiError> {
    caller.project(project_id).await?;
    let exists = async || {
        let env_id = caller.env_id(project_id, &named).await?;
        let found = caller.environment(project_id, env_id).await;
        found.map(|env| Refusal::Exists {
            version: env.version,
        })
    };
    let Named::Slug(slug) = &named else {
        return Err(exists().await?.into());
    };
    let new = body.parse::<NewEnvironment>().await?.at(slug)?;
    let is_guarded = new.guards();
    let env = new.check(caller.clock.now())?;
    if let Ok(refusal) = exists().await {
        return Err(refusal.into());
    }
    let created = caller
        .write(project_id, async |project| {
            if is_guarded {
                change::create_guarded(project, env, caller).await
            } else {
                change::create(project, env).await
            }
        })
        .await;
    match created {
        Ok((published, env)) => Ok((StatusCode::CREATED, published, Tagged(env))),
        // Created by somebody else meanwhile.
        Err(taken @ Refusal::Conflict(_)) => Err(exists().await.unwrap_or(taken).into()),
        Err(refusal) => Err(refusal.into()),
    }
}

/// Deletes an environment with its flag states and API keys; its streams end.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectID}/environments/{envID}",
    operation_id = "deleteEnvironment",
    tag = "environments",
    params(("projectID" = String, Path), ("envID" = String, Path)),
    responses(
        (status = 204, description = "deleted"),
        (status = 403, description = "it is protected", body = Guarded),
        (status = 404, description = "unknown"),
    )
)]
async fn delete(
    State(removals): State<Removals>,
    caller: Manager<EnvironmentsDelete>,
    Path((project, env)): Path<(ProjectRef, EnvRef)>,
    if_match: IfMatch,
) -> Result<(StatusCode, Published), ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    caller.environment(project_id, env_id).await?;
    let expected = if_match.read()?;
    let (published, ()) = caller
        .write(project_id, async |project| {
            change::delete(project, env_id, &expected).await
        })
        .await?;
    removals.wake();
    Ok((StatusCode::NO_CONTENT, published))
}
