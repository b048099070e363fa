//! The endpoints of uses.

use axum::Json;
use serving::{error::ApiError, params::Path};

use crate::http::{AnyRole, Routes, endpoints};
use base::{input::Key, named::ProjectRef};
use domain::{
    flags::uses::{
        model::Uses,
        relations::{self, Relations, Within},
        store,
    },
    roles::keys::{FlagsRead, SegmentsRead},
};

pub fn router() -> Routes {
    endpoints![dependants, relations, of_segment]
}

/// Lists the flags that have this one among their prerequisites, with the environments in which they are on: there it affects their
/// values.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/flags/{flagKey}/dependants",
    operation_id = "listFlagDependants",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path)),
    responses((status = 200, description = "by key", body = Uses), (status = 404, description = "unknown"))
)]
async fn dependants(
    caller: AnyRole<FlagsRead>,
    Path((project, key)): Path<(ProjectRef, Key)>,
) -> Result<Json<Uses>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let flag = caller.flag(project_id, &key).await?;
    let mut conn = caller.db.acquire().await?;
    Ok(Json(
        store::dependants(&mut conn, caller.org_id, project_id, &flag.key).await?,
    ))
}

/// Lists the flags that this one requires, those that require it, and so on for five levels.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/flags/{flagKey}/relations",
    operation_id = "listFlagRelations",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path)),
    responses((status = 200, description = "the nearest first", body = Relations), (status = 404, description = "unknown"))
)]
async fn relations(
    caller: AnyRole<FlagsRead>,
    Path((project, key)): Path<(ProjectRef, Key)>,
) -> Result<Json<Relations>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let flag = caller.flag(project_id, &key).await?;
    // Reads the prerequisites of every flag of the project.
    let _place = caller.long_pages.enter(caller.org_id).await?;
    let mut conn = caller.db.acquire().await?;
    let within = Within {
        org_id: caller.org_id,
        project_id,
    };
    Ok(Json(relations::around(&mut conn, within, &flag).await?))
}

/// Lists the flags with a rule that names a segment, with the environments in which they have it, whether they are on there or not.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/segments/{segmentKey}/usage",
    operation_id = "getSegmentUsage",
    tag = "segments",
    params(("projectID" = String, Path), ("segmentKey" = String, Path)),
    responses((status = 200, description = "by key", body = Uses), (status = 404, description = "unknown"))
)]
async fn of_segment(
    caller: AnyRole<SegmentsRead>,
    Path((project, key)): Path<(ProjectRef, Key)>,
) -> Result<Json<Uses>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let segment = caller.segment(project_id, &key).await?;
    // Reads every rule of the project.
    let _place = caller.long_pages.enter(caller.org_id).await?;
    let mut conn = caller.db.acquire().await?;
    Ok(Json(
        store::of_segment(&mut conn, caller.org_id, project_id, &segment.key).await?,
    ))
}
