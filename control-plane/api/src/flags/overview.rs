//! The endpoint of the overview.

use axum::{
    Json,
    http::{HeaderMap, HeaderValue, StatusCode, header::ETAG},
    response::{IntoResponse, Response},
};
use serving::{
    error::ApiError,
    page::Page,
    params::{Path, Query},
};
use sha2::{Digest, Sha256};

use crate::http::{AnyRole, Routes, endpoints, tags};
use base::named::ProjectRef;
use domain::{
    flags::overview::{filter::RawFilter, model::Overview},
    roles::keys::FlagsRead,
};

pub fn router() -> Routes {
    endpoints![show]
}

/// Shows flags of a project with their state in each environment. A client that has a page sends its `ETag` as `If-None-Match`.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/overview",
    operation_id = "getFlagOverview",
    tag = "flags",
    params(
        ("projectID" = String, Path),
        ("q" = Option<String>, Query, description = "flags that have all these words in key, name, description and tags, in any order and case; at most 200 characters"),
        ("tag" = Option<String>, Query, description = "flags with this tag"),
        ("type" = Option<String>, Query, description = "flags of this type"),
        ("env_id" = Option<String>, Query, description = "the environment of `state`, by id or slug; any when absent"),
        ("state" = Option<String>, Query, description = "`on`: enabled for everyone; `partial`: enabled with rules, variants or a rollout; `off`; `scheduled`, beside any of the others"),
        ("stale" = Option<String>, Query, description = "`true` or `false`: flags that nothing seems to need any more, or the others"),
        ("owner_id" = Option<String>, Query, description = "flags of this member, by the id of the membership; `me` for the caller, `none` for flags without an owner"),
        ("sort" = Option<String>, Query, description = "`key`, `name`, `created_at` (default), `updated_at` or `last_evaluated_at`; flags that were never evaluated come last"),
        ("order" = Option<String>, Query, description = "`asc` (default) or `desc`"),
        Page,
    ),
    responses(
        (status = 200, description = "a page of the matching flags", body = Overview),
        (status = 304, description = "the client has this page"),
        (status = 404, description = "unknown project, or an environment that it does not have"),
    )
)]
async fn show(
    caller: AnyRole<FlagsRead>,
    Path(project): Path<ProjectRef>,
    Query(filter): Query<RawFilter>,
    page: Page,
    sent: HeaderMap,
) -> Result<Response, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let named = filter.environment();
    let env_id = match &named {
        Some(named) => Some(caller.env_id(project_id, named).await?),
        None => None,
    };
    let filter = filter.read(env_id, caller.member_id)?;
    let (db, now) = (&caller.db, caller.clock.now());
    let overview =
        domain::flags::overview::read(db, caller.org_id, project_id, &filter, page, now).await?;
    let etag = tag(&overview);
    let mut response = if tags::client_has(&sent, &etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Json(overview).into_response()
    };
    response.headers_mut().insert(ETAG, etag);
    Ok(response)
}

/// A weak tag of the whole overview.
fn tag(overview: &Overview) -> HeaderValue {
    let text = serde_json::to_vec(overview).expect("texts, numbers and times are JSON");
    let digest = hex::encode(&Sha256::digest(text)[..16]);
    HeaderValue::try_from(format!("W/\"{digest}\"")).expect("hexadecimal digits")
}
