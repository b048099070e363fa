//! The endpoints that archive and restore flags.

use axum::http::StatusCode;
use serving::{error::ApiError, params::Path};

use super::required;
use crate::http::{Editor, IfMatch, Published, Routes, Warned, endpoints};
use base::{input::Key, named::ProjectRef, refusal::Guarded};
use domain::{flags::archive, roles::keys::FlagsDelete};

pub fn router() -> Routes {
    endpoints![archive_flag, restore_flag]
}

/// Archives a flag: it answers as a deleted one does, and is in no list but that of archived flags. It keeps its key, fields, states
/// and history. Does nothing if it is archived already. `X-Warnings` names flags that require it.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/flags/{flagKey}/archive",
    operation_id = "archiveFlag",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path)),
    responses(
        (status = 204, description = "archived"),
        (status = 403, description = "it has states where the caller may not change flags, or is on in a protected environment", body = Guarded),
        (status = 404, description = "unknown"),
    )
)]
async fn archive_flag(
    caller: Editor<FlagsDelete>,
    Path((project, key)): Path<(ProjectRef, Key)>,
    if_match: IfMatch,
) -> Result<(StatusCode, Warned, Published), ApiError> {
    let project_id = caller.project_id(&project).await?;
    let flag = caller.flag(project_id, &key).await?;
    let expected = if_match.read()?;
    let warnings = required(&caller, project_id, &flag.key).await?;
    let (published, ()) = caller
        .write(project_id, async |project| {
            project.warn(&warnings);
            archive::archive(project, flag.id, &caller, &expected).await
        })
        .await?;
    Ok((StatusCode::NO_CONTENT, Warned(warnings), published))
}

/// Restores an archived flag with its states as they were. Due times that have passed do not fire: they are left out. Does nothing
/// if the flag is not archived.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/flags/{flagKey}/restore",
    operation_id = "restoreFlag",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path)),
    responses(
        (status = 204, description = "restored"),
        (status = 400, description = "an environment would be too large"),
        (status = 403, description = "it has states where the caller may not change flags, or would be on in a protected environment", body = Guarded),
        (status = 404, description = "unknown"),
    )
)]
async fn restore_flag(
    caller: Editor<FlagsDelete>,
    Path((project, key)): Path<(ProjectRef, Key)>,
    if_match: IfMatch,
) -> Result<(StatusCode, Published), ApiError> {
    let project_id = caller.project_id(&project).await?;
    let flag = caller.flag(project_id, &key).await?;
    let expected = if_match.read()?;
    let (published, ()) = caller
        .write(project_id, async |project| {
            archive::restore(project, flag.id, &caller, &expected).await
        })
        .await?;
    Ok((StatusCode::NO_CONTENT, published))
}
