//! The endpoints of segments.

use axum::{Json, http::StatusCode};
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};

use crate::http::{
    Access, AnyRole, DryRunQuery, Editor, IfMatch, IfNoneMatch, Outcome, Published, Routes, Tagged,
    Warned, endpoints,
};
use base::{
    ids::ProjectId,
    input::Key,
    limits::Permit,
    named::ProjectRef,
    refusal::{Guarded, Refusal},
    warning::Warning,
};
use domain::{
    flags::uses,
    roles::keys::{SegmentsRead, SegmentsWrite},
    segments::{
        change,
        input::{NewSegment, SegmentPatch},
        model::Segment,
        store,
    },
    unit::Draft,
};

pub fn router() -> Routes {
    endpoints![create, list, show, update, delete]
}

/// Creates a segment. Rules may have named it before: then it needs the permission to edit rules there.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/segments",
    operation_id = "createSegment",
    tag = "segments",
    params(("projectID" = String, Path)),
    request_body = NewSegment,
    responses(
        (status = 201, description = "created", body = Segment),
        (status = 403, description = "it has an effect where the caller may not change flags, or which is protected", body = Guarded),
        (status = 404, description = "unknown project"),
        (status = 409, description = "the key is taken"),
    )
)]
async fn create(
    caller: Editor<SegmentsWrite>,
    Path(project): Path<ProjectRef>,
    body: RawBody,
) -> Result<(StatusCode, Published, Tagged<Segment>), ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let now = caller.clock.now();
    // Parse only after admission: the parsed body is many times larger.
    let check = move || Ok::<_, ApiError>(body.parse_here::<NewSegment>()?.check(now)?);
    let segment = caller.checks.run(caller.org_id, check).await??;
    let _place = place_to_create(&caller, project_id).await?;
    let (published, segment) = caller
        .write(project_id, async |project| {
            change::create_checked(project, segment, &caller).await
        })
        .await?;
    Ok((StatusCode::CREATED, published, Tagged(segment)))
}

/// Lists the segments of a project.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/segments",
    operation_id = "listSegments",
    tag = "segments",
    params(("projectID" = String, Path), Page),
    responses(
        (status = 200, description = "in creation order", body = Paged<Segment>),
        (status = 404, description = "unknown project"),
    )
)]
async fn list(
    caller: AnyRole<SegmentsRead>,
    Path(project): Path<ProjectRef>,
    page: Page,
) -> Result<Json<Paged<Segment>>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let mut conn = caller.db.acquire().await?;
    let segments = store::page(&mut conn, caller.org_id, project_id, page).await?;
    Ok(Json(segments))
}

/// Shows a segment.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/segments/{segmentKey}",
    operation_id = "getSegment",
    tag = "segments",
    params(("projectID" = String, Path), ("segmentKey" = String, Path)),
    responses((status = 200, description = "the segment", body = Segment), (status = 404, description = "unknown"))
)]
async fn show(
    caller: AnyRole<SegmentsRead>,
    Path((project, key)): Path<(ProjectRef, Key)>,
) -> Result<Tagged<Segment>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    Ok(Tagged(caller.segment(project_id, &key).await?))
}

/// Changes the given fields of a segment. `key` stays as it is. Other rules or another match type need the permission to edit
/// rules where some name it.
/// With `If-None-Match: *` it creates the segment; the body is then that of a creation.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}/segments/{segmentKey}",
    operation_id = "updateSegment",
    tag = "segments",
    params(("projectID" = String, Path), ("segmentKey" = String, Path)),
    request_body = SegmentPatch,
    responses(
        (status = 200, description = "the segment now", body = Segment),
        (status = 201, description = "created", body = Segment),
        (status = 403, description = "it has an effect where the caller may not change flags, or which is protected", body = Guarded),
        (status = 404, description = "unknown"),
    )
)]
async fn update(
    caller: Editor<SegmentsWrite>,
    Path((project, key)): Path<(ProjectRef, Key)>,
    if_match: IfMatch,
    if_none_match: IfNoneMatch,
    dry_run: DryRunQuery,
    body: RawBody,
) -> Result<Outcome<(StatusCode, Published, Warned, Tagged<Segment>)>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    if if_none_match.creates(&if_match)? {
        return create_at(&caller, project_id, key, dry_run.read()?, body).await;
    }
    let segment = caller.segment(project_id, &key).await?;
    let (id, key, expected) = (segment.id, segment.key.clone(), if_match.read()?);
    let is_dry_run = dry_run.read()?;
    let check = move || {
        let wish = body.parse_here::<SegmentPatch>()?.check()?;
        Ok::<_, ApiError>(Draft::new(wish, segment))
    };
    let draft = caller.checks.run(caller.org_id, check).await??;
    let (before, after) = draft.difference();
    let (_place, warnings) = if after.selects_as(before) {
        (None, Vec::new())
    } else {
        let place = caller.long_pages.enter(caller.org_id).await?;
        (Some(place), in_use(&caller, project_id, &key).await?)
    };
    let outcome = caller
        .write_or_try(is_dry_run, project_id, async |project| {
            project.warn(&warnings);
            change::update(project, id, draft, &caller, &expected).await
        })
        .await?;
    Ok(outcome
        .map(|(published, segment)| (StatusCode::OK, published, Warned(warnings), Tagged(segment))))
}

/// Creates a segment with this key, unless there is one.
async fn create_at(
    caller: &Access,
    project_id: ProjectId,
    key: Key,
    is_dry_run: bool,
    body: RawBody,
) -> Result<Outcome<(StatusCode, Published, Warned, Tagged<Segment>)>, ApiError> {
    caller.project(project_id).await?;
    let (now, at) = (caller.clock.now(), key.clone());
    let check = move || Ok::<_, ApiError>(body.parse_here::<NewSegment>()?.at(&at)?.check(now)?);
    let segment = caller.checks.run(caller.org_id, check).await??;
    let exists = async || {
        let found = caller.segment(project_id, &key).await.ok();
        found.map(|segment| Refusal::Exists {
            version: segment.version,
        })
    };
    if let Some(refusal) = exists().await {
        return Err(refusal.into());
    }
    let _place = place_to_create(caller, project_id).await?;
    let created = caller
        .write_or_try(is_dry_run, project_id, async |project| {
            change::create_checked(project, segment, caller).await
        })
        .await;
    match created {
        Ok(outcome) => Ok(outcome.map(|(published, segment)| {
            let warned = Warned(Vec::new());
            (StatusCode::CREATED, published, warned, Tagged(segment))
        })),
        // Created by somebody else meanwhile.
        Err(taken @ Refusal::Conflict(_)) => Err(exists().await.unwrap_or(taken).into()),
        Err(refusal) => Err(refusal.into()),
    }
}

/// Deletes a segment, in use or not, with the permission to edit rules where some name it. They stop matching on it.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectID}/segments/{segmentKey}",
    operation_id = "deleteSegment",
    tag = "segments",
    params(("projectID" = String, Path), ("segmentKey" = String, Path)),
    responses(
        (status = 204, description = "deleted"),
        (status = 403, description = "it has an effect where the caller may not change flags, or which is protected", body = Guarded),
        (status = 404, description = "unknown"),
    )
)]
async fn delete(
    caller: Editor<SegmentsWrite>,
    Path((project, key)): Path<(ProjectRef, Key)>,
    if_match: IfMatch,
) -> Result<(StatusCode, Warned, Published), ApiError> {
    let project_id = caller.project_id(&project).await?;
    let Segment { id, key, .. } = caller.segment(project_id, &key).await?;
    let expected = if_match.read()?;
    let _place = caller.long_pages.enter(caller.org_id).await?;
    let warnings = in_use(&caller, project_id, &key).await?;
    let (published, ()) = caller
        .write(project_id, async |project| {
            project.warn(&warnings);
            change::delete(project, id, &caller, &expected).await
        })
        .await?;
    Ok((StatusCode::NO_CONTENT, Warned(warnings), published))
}

/// A place for reading the rules of environments that are guarded, or not the access token's, which may name the segment already.
/// `None` where there is none.
async fn place_to_create(
    caller: &Access,
    project_id: ProjectId,
) -> Result<Option<Permit>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let is_guarded = uses::store::has_guarded(&mut conn, caller, project_id).await?;
    drop(conn);
    if !is_guarded && !caller.is_limited_to_envs() {
        return Ok(None);
    }
    Ok(Some(caller.long_pages.enter(caller.org_id).await?))
}

/// Warns about the flags with rules that name a segment. Reads every rule of the project: the caller has a place for that.
async fn in_use(
    caller: &Access,
    project_id: ProjectId,
    key: &str,
) -> Result<Vec<Warning>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let uses = uses::store::of_segment(&mut conn, caller.org_id, project_id, key).await?;
    Ok(uses.segment_warning().into_iter().collect())
}
