//! The endpoints of change sets.

mod compare;
mod lifecycle;

use axum::{Json, http::StatusCode};
use serde::Deserialize;
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::{Path, Query},
};

use crate::{
    http::{Access, AnyRole, Editor, IfMatch, Routes, Tagged, endpoints},
    state::AppState,
};
use base::{
    ids::{ChangeSetId, ProjectId},
    named::ProjectRef,
    refusal::{Conflicts, Problems, Refusal},
};
use domain::{
    approvals::mail::Announcements,
    change_sets::{
        draft::{self, New},
        input::{ChangeSetPatch, Edits, NewChangeSet},
        model::{ChangeSet, Status},
        preview::{self, Planned},
        store,
    },
    content::reads_all,
    roles::keys::{ContentWrite, FlagsRead},
};

const OF_THE_PROJECT: Refusal = Refusal::Forbidden(
    "the access token is limited to environments: change sets are of the whole project",
);

pub fn router() -> Routes {
    endpoints![create, list, show, update, delete]
        .merge(compare::router())
        .merge(lifecycle::router())
}

/// Drafts a change set: edits of flags, states, segments and environments that are reviewed and applied together. They are checked
/// as a whole, and compared with what is there now. Nothing is changed by it.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/change-sets",
    operation_id = "createChangeSet",
    tag = "change sets",
    params(("projectID" = String, Path)),
    request_body = NewChangeSet,
    responses(
        (status = 201, description = "the draft", body = ChangeSet),
        (status = 400, description = "something breaks a rule, or the organization has too many open change sets", body = Problems),
        (status = 404, description = "unknown project"),
        (status = 409, description = "things have other versions than given", body = Conflicts),
    )
)]
async fn create(
    caller: Editor<ContentWrite>,
    Path(project): Path<ProjectRef>,
    body: RawBody,
) -> Result<(StatusCode, Tagged<ChangeSet>), ApiError> {
    let project_id = project_of(&caller, &project).await?;
    caller.project(project_id).await?;
    let _place = caller.content_writes.enter(caller.org_id).await?;
    let new: NewChangeSet = body.parse().await?;
    let (new, edits) = New::of(new.check(body.parse_again().await?)?);
    drop(body);
    let planned = plan(&caller, project_id, edits).await?;
    let set = store_draft(&caller, project_id, new, planned).await?;
    Ok((StatusCode::CREATED, Tagged(set)))
}

#[derive(Debug, Deserialize)]
struct Filter {
    status: Option<String>,
}

/// Lists the change sets of a project, without their contents.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/change-sets",
    operation_id = "listChangeSets",
    tag = "change sets",
    params(
        ("projectID" = String, Path),
        ("status" = Option<Status>, Query, description = "all when absent or empty"),
        Page,
    ),
    responses(
        (status = 200, description = "the newest first", body = Paged<ChangeSet>),
        (status = 404, description = "unknown project"),
    )
)]
async fn list(
    caller: AnyRole<FlagsRead>,
    Path(project): Path<ProjectRef>,
    Query(filter): Query<Filter>,
    page: Page,
) -> Result<Json<Paged<ChangeSet>>, ApiError> {
    let project_id = project_of(&caller, &project).await?;
    caller.project(project_id).await?;
    let status = filter.status.filter(|text| !text.is_empty());
    let status = status.as_deref().map(Status::parse).transpose()?;
    let mut conn = caller.db.acquire().await?;
    let (sets, total) = store::page(&mut conn, caller.org_id, project_id, status, page).await?;
    Ok(Json(Paged::new(sets, total, page)))
}

/// Shows a change set.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/change-sets/{changeSetID}",
    operation_id = "getChangeSet",
    tag = "change sets",
    params(("projectID" = String, Path), ("changeSetID" = ChangeSetId, Path)),
    responses(
        (status = 200, description = "the change set", body = ChangeSet),
        (status = 404, description = "unknown"),
    )
)]
async fn show(
    caller: AnyRole<FlagsRead>,
    Path((project, id)): Path<(ProjectRef, ChangeSetId)>,
) -> Result<Tagged<ChangeSet>, ApiError> {
    let set = find(&caller, &project, id).await?;
    Ok(shown(&caller, set))
}

/// Changes the given fields of a draft. Other edits are checked, and compared with what is there now.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}/change-sets/{changeSetID}",
    operation_id = "updateChangeSet",
    tag = "change sets",
    params(("projectID" = String, Path), ("changeSetID" = ChangeSetId, Path)),
    request_body = ChangeSetPatch,
    responses(
        (status = 200, description = "the draft now", body = ChangeSet),
        (status = 400, description = "something breaks a rule", body = Problems),
        (status = 404, description = "unknown"),
        (status = 409, description = "it is no draft, or things have other versions than given", body = Conflicts),
    )
)]
async fn update(
    caller: Editor<ContentWrite>,
    Path((project, id)): Path<(ProjectRef, ChangeSetId)>,
    if_match: IfMatch,
    body: RawBody,
) -> Result<Tagged<ChangeSet>, ApiError> {
    let read = find(&caller, &project, id).await?;
    let expected = if_match.read()?;
    let _place = caller.content_writes.enter(caller.org_id).await?;
    let patch: ChangeSetPatch = body.parse().await?;
    let mut changed = patch.check(body.parse_again().await?)?;
    drop(body);
    let planned = match changed.edits.take() {
        Some(edits) => Some(plan(&caller, read.project_id, edits).await?),
        None => None,
    };
    let mut unit = caller.begin().await?;
    let author = caller.user_id;
    let updated = draft::update(&mut unit, &read, author, changed, planned, &expected).await?;
    let (_, set) = caller.commit(unit, updated).await?;
    Ok(shown(&caller, set))
}

/// Deletes a change set that was not applied.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectID}/change-sets/{changeSetID}",
    operation_id = "deleteChangeSet",
    tag = "change sets",
    params(("projectID" = String, Path), ("changeSetID" = ChangeSetId, Path)),
    responses(
        (status = 204, description = "deleted"),
        (status = 404, description = "unknown"),
        (status = 409, description = "it has been applied"),
    )
)]
async fn delete(
    caller: Editor<ContentWrite>,
    Path((project, id)): Path<(ProjectRef, ChangeSetId)>,
    if_match: IfMatch,
) -> Result<StatusCode, ApiError> {
    let read = find(&caller, &project, id).await?;
    let expected = if_match.read()?;
    let mut unit = caller.begin().await?;
    let deleted = draft::delete(&mut unit, &read, &expected).await?;
    caller.commit(unit, deleted).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The project of a caller whose access token, if it is one, has all of it.
async fn project_of(caller: &Access, project: &ProjectRef) -> Result<ProjectId, Refusal> {
    let project_id = caller.project_id(project).await?;
    if caller.is_limited_to_envs() {
        return Err(OF_THE_PROJECT);
    }
    Ok(project_id)
}

async fn find(
    caller: &Access,
    project: &ProjectRef,
    id: ChangeSetId,
) -> Result<ChangeSet, Refusal> {
    let project_id = project_of(caller, project).await?;
    caller.change_set(project_id, id).await
}

/// Without its contents for those who may not read all of them.
fn shown(caller: &Access, set: ChangeSet) -> Tagged<ChangeSet> {
    Tagged(if reads_all(caller) {
        set
    } else {
        set.without_contents()
    })
}

async fn plan(caller: &Access, project_id: ProjectId, edits: Edits) -> Result<Planned, Refusal> {
    let now = caller.clock.now();
    preview::plan(&caller.db, caller.org_id, project_id, edits, now).await
}

async fn plan_stored(caller: &Access, set: &ChangeSet) -> Result<Planned, Refusal> {
    preview::plan_stored(&caller.db, caller, set, caller.clock.now()).await
}

async fn store_draft(
    caller: &Access,
    project_id: ProjectId,
    new: New,
    planned: Planned,
) -> Result<ChangeSet, Refusal> {
    let mut unit = caller.begin().await?;
    let created = draft::create(&mut unit, project_id, caller.user_id, new, planned).await?;
    let (_, set) = caller.commit(unit, created).await?;
    Ok(shown(caller, set).0)
}

/// Mail about requests.
fn announcements(state: &AppState) -> Announcements<'_> {
    Announcements {
        mailer: &state.mailer,
        urls: &state.urls,
    }
}
