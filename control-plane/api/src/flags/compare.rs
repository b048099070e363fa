//! The endpoint that compares two environments.

use axum::Json;
use serde::Deserialize;
use serving::{
    error::ApiError,
    page::{Page, Paged},
    params::{Path, Query},
};

use crate::http::{AnyRole, Routes, endpoints};
use base::{
    input::{Invalid, all_given, has_text, required},
    named::{EnvRef, ProjectRef},
};
use domain::{
    flags::compare::{self, model::Differing},
    roles::keys::FlagsRead,
};

pub fn router() -> Routes {
    endpoints![show]
}

#[derive(Debug, Deserialize)]
struct Asked {
    from: Option<String>,
    to: Option<String>,
}

/// Shows the flags whose states in two environments differ, by key. A state that was never stored is like one that is off with nothing
/// set. A page with large states ends early: the next one begins after what it has.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/compare",
    operation_id = "compareEnvironments",
    tag = "flags",
    params(
        ("projectID" = String, Path),
        ("from" = String, Query, description = "an environment, by id or slug"),
        ("to" = String, Query, description = "another one, by id or slug"),
        Page,
    ),
    responses(
        (status = 200, description = "a page of the flags that differ", body = Paged<Differing>),
        (status = 404, description = "unknown project, or an environment that it does not have"),
    )
)]
async fn show(
    caller: AnyRole<FlagsRead>,
    Path(project): Path<ProjectRef>,
    Query(asked): Query<Asked>,
    page: Page,
) -> Result<Json<Paged<Differing>>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    all_given([("from", has_text(&asked.from)), ("to", has_text(&asked.to))])?;
    let find = async |field, text| {
        let named = EnvRef::parse(&required(field, text)?);
        let env_id = caller.env_id(project_id, &named).await?;
        let env = caller.environment(project_id, env_id).await?;
        Ok::<_, ApiError>(env.id)
    };
    let (from, to) = (find("from", asked.from).await?, find("to", asked.to).await?);
    if from == to {
        return Err(Invalid::new("from and to must differ").into());
    }
    // Reads every state of both environments.
    let _place = caller.long_pages.enter(caller.org_id).await?;
    let differing = compare::page(&caller.db, caller.org_id, project_id, (from, to), page).await?;
    Ok(Json(differing))
}
