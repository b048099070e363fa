//! The endpoints of sampling.

use axum::Json;
use serving::{body::RawBody, error::ApiError, params::Path};

use crate::http::{AnyRole, Editor, Routes, endpoints};
use base::named::{EnvRef, ProjectRef};
use domain::{
    roles::keys::{EnvironmentsCreate, EnvironmentsRead},
    sampling::{change, input::Body, model::Sampling, store},
};

pub(crate) fn router() -> Routes {
    endpoints![show, replace]
}

/// Shows whether edges keep samples of the requests of an environment.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/environments/{envID}/sampling",
    operation_id = "getSampling",
    tag = "what-if",
    params(("projectID" = String, Path), ("envID" = String, Path)),
    responses(
        (status = 200, description = "the setting; off until it is changed", body = Sampling),
        (status = 404, description = "unknown environment"),
    )
)]
async fn show(
    caller: AnyRole<EnvironmentsRead>,
    Path((project, env)): Path<(ProjectRef, EnvRef)>,
) -> Result<Json<Sampling>, ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    caller.environment(project_id, env_id).await?;
    let mut conn = caller.db.acquire().await?;
    let sampling = store::find(&mut conn, caller.org_id, env_id).await?;
    Ok(Json(sampling))
}

/// Switches samples of the requests of an environment on or off, and says what of them edges keep, for 24 hours and in memory alone.
/// What was kept is dropped at once when it is switched off, and when `attributes` or `keys` change. The setting of a protected
/// environment is for Owner and Admin, with a custom role that has `approvals.review`.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}/environments/{envID}/sampling",
    operation_id = "replaceSampling",
    tag = "what-if",
    params(("projectID" = String, Path), ("envID" = String, Path)),
    request_body = Body,
    responses(
        (status = 200, description = "the setting now; edges know within about a second", body = Sampling),
        (status = 404, description = "unknown environment"),
    )
)]
async fn replace(
    caller: Editor<EnvironmentsCreate>,
    Path((project, env)): Path<(ProjectRef, EnvRef)>,
    body: RawBody,
) -> Result<Json<Sampling>, ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    caller.environment(project_id, env_id).await?;
    let wish = body.parse::<Body>().await?.check()?;
    let (_, sampling) = caller
        .write(project_id, async |project| {
            change::replace(project, env_id, wish, &caller).await
        })
        .await?;
    caller.publisher.what_if_changed();
    Ok(Json(sampling))
}
