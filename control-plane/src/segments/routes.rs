//! The endpoints of segments.

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use utoipa_axum::router::OpenApiRouter;

use super::{
    input::{NewSegment, SegmentPatch},
    model::Segment,
    store,
};
use crate::{
    audit::{self, model::Entry},
    blocking::blocking,
    http::{
        access::{AnyRole, Editor},
        endpoints,
        published::Published,
        refusals::project_not_found,
    },
    ids::ProjectId,
    input::Key,
    projects,
    publish::version::{self, Growth, Scope},
    roles::keys::{SegmentsRead, SegmentsWrite},
    state::AppState,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![create, list, show, update, delete]
}

/// Creates a segment. Rules may have referred to it before.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/segments",
    tag = "segments",
    params(("projectID" = ProjectId, Path)),
    request_body = NewSegment,
    responses(
        (status = 201, description = "created", body = Segment),
        (status = 404, description = "unknown project"),
        (status = 409, description = "the key is taken"),
    )
)]
async fn create(
    State(state): State<AppState>,
    caller: Editor<SegmentsWrite>,
    Path(project_id): Path<ProjectId>,
    body: RawBody,
) -> Result<(StatusCode, Published, Json<Segment>), ApiError> {
    let mut tx = state.db.begin().await?;
    projects::store::lock(&mut tx, caller.org_id, project_id)
        .await?
        .ok_or_else(project_not_found)?;
    let now = state.clock.now();
    let new: NewSegment = body.parse()?;
    // Regular expressions are compiled to check them.
    let segment = blocking(move || new.check(now)).await?;

    let growth = Growth {
        shared_bytes: segment.compiled_bytes.into(),
        segments: 1,
        ..Growth::default()
    };
    let change = version::draw(&mut tx, caller.org_id, project_id, Scope::Project, growth).await?;
    store::insert(&mut tx, caller.org_id, project_id, &segment, &change).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "segment.created")
        .on(segment.id)
        .in_project(project_id);
    audit::store::record(&mut tx, entry.after(&segment), now).await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((StatusCode::CREATED, published, Json(segment)))
}

/// Lists the segments of a project.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/segments",
    tag = "segments",
    params(("projectID" = ProjectId, Path), Page),
    responses(
        (status = 200, description = "in creation order", body = Paged<Segment>),
        (status = 404, description = "unknown project"),
    )
)]
async fn list(
    State(state): State<AppState>,
    caller: AnyRole<SegmentsRead>,
    Path(project_id): Path<ProjectId>,
    page: Page,
) -> Result<Json<Paged<Segment>>, ApiError> {
    let mut conn = state.db.acquire().await?;
    projects::store::find(&mut conn, caller.org_id, project_id)
        .await?
        .ok_or_else(project_not_found)?;
    let segments = store::list(&mut conn, caller.org_id, project_id, page).await?;
    let total = store::count(&mut conn, caller.org_id, project_id).await?;
    Ok(Json(Paged::new(segments, total, page)))
}

/// Shows a segment.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/segments/{segmentKey}",
    tag = "segments",
    params(("projectID" = ProjectId, Path), ("segmentKey" = String, Path)),
    responses((status = 200, description = "the segment", body = Segment), (status = 404, description = "unknown"))
)]
async fn show(
    State(state): State<AppState>,
    caller: AnyRole<SegmentsRead>,
    Path((project_id, key)): Path<(ProjectId, Key)>,
) -> Result<Json<Segment>, ApiError> {
    let mut conn = state.db.acquire().await?;
    store::find(&mut conn, caller.org_id, project_id, &key)
        .await?
        .map(Json)
        .ok_or_else(not_found)
}

/// Changes the given fields of a segment. `key` stays as it is.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}/segments/{segmentKey}",
    tag = "segments",
    params(("projectID" = ProjectId, Path), ("segmentKey" = String, Path)),
    request_body = SegmentPatch,
    responses((status = 200, description = "the segment now", body = Segment), (status = 404, description = "unknown"))
)]
async fn update(
    State(state): State<AppState>,
    caller: Editor<SegmentsWrite>,
    Path((project_id, key)): Path<(ProjectId, Key)>,
    body: RawBody,
) -> Result<(Published, Json<Segment>), ApiError> {
    let mut tx = state.db.begin().await?;
    projects::store::lock(&mut tx, caller.org_id, project_id)
        .await?
        .ok_or_else(not_found)?;
    let now = state.clock.now();
    let before = store::find(&mut tx, caller.org_id, project_id, &key)
        .await?
        .ok_or_else(not_found)?;
    let patch: SegmentPatch = body.parse()?;
    let stored = before.clone();
    let segment = blocking(move || patch.apply(&stored, now)).await?;

    let shared_bytes = i64::from(segment.compiled_bytes) - i64::from(before.compiled_bytes);
    let growth = Growth {
        shared_bytes,
        ..Growth::default()
    };
    let change = version::draw(&mut tx, caller.org_id, project_id, Scope::Project, growth).await?;
    store::update(&mut tx, caller.org_id, &segment, &change).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "segment.updated")
        .on(segment.id)
        .in_project(project_id);
    audit::store::record(&mut tx, entry.before(&before).after(&segment), now).await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((published, Json(segment)))
}

/// Deletes a segment, in use or not. Rules that refer to it stop matching on it.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectID}/segments/{segmentKey}",
    tag = "segments",
    params(("projectID" = ProjectId, Path), ("segmentKey" = String, Path)),
    responses((status = 204, description = "deleted"), (status = 404, description = "unknown"))
)]
async fn delete(
    State(state): State<AppState>,
    caller: Editor<SegmentsWrite>,
    Path((project_id, key)): Path<(ProjectId, Key)>,
) -> Result<(StatusCode, Published), ApiError> {
    let mut tx = state.db.begin().await?;
    projects::store::lock(&mut tx, caller.org_id, project_id)
        .await?
        .ok_or_else(not_found)?;
    let now = state.clock.now();
    let segment = store::find(&mut tx, caller.org_id, project_id, &key)
        .await?
        .ok_or_else(not_found)?;

    let growth = Growth {
        shared_bytes: -i64::from(segment.compiled_bytes),
        segments: -1,
        ..Growth::default()
    };
    let change = version::draw(&mut tx, caller.org_id, project_id, Scope::Project, growth).await?;
    store::delete(&mut tx, caller.org_id, segment.id, &change, now).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "segment.deleted")
        .on(segment.id)
        .in_project(project_id);
    audit::store::record(&mut tx, entry.before(&segment), now).await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((StatusCode::NO_CONTENT, published))
}

fn not_found() -> ApiError {
    ApiError::not_found("segment not found")
}

impl From<store::InsertError> for ApiError {
    fn from(error: store::InsertError) -> Self {
        match error {
            store::InsertError::KeyTaken => Self::conflict("segment key already exists"),
            store::InsertError::Database(source) => source.into(),
        }
    }
}
