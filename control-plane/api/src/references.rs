//! The endpoints of references to flags in code.

use axum::{Json, http::StatusCode};
use serving::{
    body::LateBody,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};

use crate::http::{AnyRole, Editor, Routes, endpoints};
use base::{
    blocking::blocking, ids::RepositoryId, input::Key, named::ProjectRef, refusal::Missing,
};
use domain::{
    references::{
        change,
        input::ScanInput,
        model::{CodeReference, Repositories, Scanned},
        store,
    },
    roles::keys::{FlagsRead, FlagsUpdate},
};

/// Bytes of a body: 10,000 references with long paths.
const MAX_BODY: usize = 4 * 1024 * 1024;

pub(crate) fn router() -> Routes {
    endpoints![scan, list, delete, of_flag]
}

/// Replaces what is known of a repository by what a scan of it found: the lines that name flags of the project. A repository is
/// known by its name, and a project has at most 50.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}/references",
    operation_id = "putReferences",
    tag = "flags",
    params(("projectID" = String, Path)),
    request_body = ScanInput,
    responses(
        (status = 200, description = "what is known of it now", body = Scanned),
        (status = 400, description = "something breaks a rule, or the project has 50 repositories already"),
        (status = 404, description = "unknown project"),
        (status = 429, description = "another large change of the organization is being made"),
    )
)]
async fn scan(
    caller: Editor<FlagsUpdate>,
    Path(project): Path<ProjectRef>,
    body: LateBody<MAX_BODY>,
) -> Result<Json<Scanned>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    // The body is read, and its content held, only with a place for it.
    let _place = caller.content_writes.enter(caller.org_id).await?;
    let body = body.read().await?;
    let scan =
        blocking(move || Ok::<_, ApiError>(body.parse_here::<ScanInput>()?.check()?)).await?;
    let (_, scanned) = caller
        .write(project_id, async |project| {
            change::replace(project, scan).await
        })
        .await?;
    Ok(Json(scanned))
}

/// Lists the repositories that were scanned for flags of a project.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/references",
    operation_id = "listRepositories",
    tag = "flags",
    params(("projectID" = String, Path)),
    responses((status = 200, description = "by name", body = Repositories), (status = 404, description = "unknown project"))
)]
async fn list(
    caller: AnyRole<FlagsRead>,
    Path(project): Path<ProjectRef>,
) -> Result<Json<Repositories>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let mut conn = caller.db.acquire().await?;
    let data = store::list(&mut conn, caller.org_id, project_id).await?;
    Ok(Json(Repositories { data }))
}

/// Forgets a repository with the references that were found in it.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectID}/references/{repositoryID}",
    operation_id = "deleteRepository",
    tag = "flags",
    params(("projectID" = String, Path), ("repositoryID" = RepositoryId, Path)),
    responses(
        (status = 204, description = "forgotten"),
        (status = 404, description = "unknown project or repository"),
    )
)]
async fn delete(
    caller: Editor<FlagsUpdate>,
    Path((project, id)): Path<(ProjectRef, RepositoryId)>,
) -> Result<StatusCode, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let found = {
        let mut conn = caller.db.acquire().await?;
        store::find(&mut conn, caller.org_id, project_id, id).await?
    };
    found.ok_or(Missing::Repository)?;
    let (_, ()) = caller
        .write(project_id, async |project| {
            change::delete(project, id).await
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the lines of code that name a flag, as the last scans of repositories found them.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/flags/{flagKey}/references",
    operation_id = "listFlagReferences",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path), Page),
    responses(
        (status = 200, description = "by repository, file and line", body = Paged<CodeReference>),
        (status = 404, description = "unknown project or flag"),
    )
)]
async fn of_flag(
    caller: AnyRole<FlagsRead>,
    Path((project, key)): Path<(ProjectRef, Key)>,
    page: Page,
) -> Result<Json<Paged<CodeReference>>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let flag = caller.flag(project_id, &key).await?;
    let mut conn = caller.db.acquire().await?;
    Ok(Json(
        store::page(&mut conn, caller.org_id, project_id, &flag.key, page).await?,
    ))
}
