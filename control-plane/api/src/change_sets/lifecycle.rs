//! A change set on its way: approval, application, undoing.

use axum::{extract::State, http::StatusCode};
use serving::{body::RawBody, error::ApiError, params::Path};

use super::{announcements, find, plan, plan_stored, shown, store_draft};
use crate::{
    http::{Access, Editor, IfMatch, Manager, Published, Routes, Tagged, endpoints},
    state::AppState,
};
use base::{
    ids::ChangeSetId,
    named::ProjectRef,
    refusal::{Conflicts, Guarded, Problems, Refusal},
};
use domain::{
    approvals::model::Verdict,
    change_sets::{
        apply::{self, Applying},
        draft::{self, New},
        input::{Application, NewReview},
        model::ChangeSet,
        preview::rehearse,
        review, undo as undoing,
    },
    content::reads_all,
    environments::model::Environment,
    roles::keys::{ApprovalsCreate, ApprovalsReview, ContentWrite},
};

const TOKEN: Refusal =
    Refusal::Forbidden("an access token schedules nothing: apply the change set when it is time");

pub(super) fn router() -> Routes {
    endpoints![request, review, apply, undo, reopen]
}

/// Asks for the approval of a draft, as one: of as many people as the protected environments want in which it has an effect, and
/// of one where none is protected. The caller needs the permissions of all of its parts.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/change-sets/{changeSetID}/request",
    operation_id = "requestChangeSet",
    tag = "change sets",
    params(("projectID" = String, Path), ("changeSetID" = ChangeSetId, Path)),
    responses(
        (status = 200, description = "the change set now", body = ChangeSet),
        (status = 400, description = "it breaks a rule by now", body = Problems),
        (status = 402, description = "the plan allows no more environments in a project"),
        (status = 403, description = "a part is not allowed to the caller", body = Guarded),
        (status = 404, description = "unknown"),
        (status = 409, description = "it is no draft, or what it changes has changed since", body = Conflicts),
    )
)]
async fn request(
    State(state): State<AppState>,
    caller: Editor<ApprovalsCreate>,
    Path((project, id)): Path<(ProjectRef, ChangeSetId)>,
    if_match: IfMatch,
) -> Result<Tagged<ChangeSet>, ApiError> {
    let set = find(&caller, &project, id).await?;
    let expected = if_match.read()?;
    let _place = caller.content_writes.enter(caller.org_id).await?;
    let protected = tried(&state, &caller, &set).await?;
    let mut unit = caller.begin().await?;
    let author = caller.user_id;
    let requested = review::request(
        &mut unit,
        &set,
        author,
        &protected,
        &expected,
        announcements(&state),
    )
    .await?;
    let (_, set) = caller.commit(unit, requested).await?;
    Ok(shown(&caller, set))
}

/// Approves or rejects a change set that somebody else drafted, edited and requested. The last approval that it wants makes it
/// ready to be applied.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/change-sets/{changeSetID}/review",
    operation_id = "reviewChangeSet",
    tag = "change sets",
    params(("projectID" = String, Path), ("changeSetID" = ChangeSetId, Path)),
    request_body = NewReview,
    responses(
        (status = 200, description = "the change set now", body = ChangeSet),
        (status = 400, description = "it breaks a rule by now", body = Problems),
        (status = 403, description = "one's own change set"),
        (status = 404, description = "unknown"),
        (status = 409, description = "it waits for no approval, or what it changes has changed since", body = Conflicts),
    )
)]
async fn review(
    State(state): State<AppState>,
    caller: Manager<ApprovalsReview>,
    Path((project, id)): Path<(ProjectRef, ChangeSetId)>,
    if_match: IfMatch,
    body: RawBody,
) -> Result<Tagged<ChangeSet>, ApiError> {
    let set = find(&caller, &project, id).await?;
    let expected = if_match.read()?;
    let said: NewReview = body.parse().await?;
    let seen_version = said.seen_version;
    let said = said.check()?;
    let planned = if said.0 == Verdict::Approve {
        let _place = caller.content_writes.enter(caller.org_id).await?;
        let planned = plan_stored(&caller, &set).await?;
        planned.check_conflicts(&set, seen_version, &caller)?;
        Some(planned)
    } else {
        None
    };
    let mut unit = caller.begin().await?;
    let reviewed = review::review(
        &mut unit,
        &set,
        caller.user_id,
        said,
        planned,
        &expected,
        announcements(&state),
    )
    .await?;
    let (_, set) = caller.commit(unit, reviewed).await?;
    Ok(shown(&caller, set))
}

/// Applies a change set: all of its parts as one change with one version, or nothing. The caller needs the permissions of all of
/// them, and the set the approvals of the protected environments in which it has an effect. With `at` it is applied then, if whoever
/// asked for it may still do so.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/change-sets/{changeSetID}/apply",
    operation_id = "applyChangeSet",
    tag = "change sets",
    params(("projectID" = String, Path), ("changeSetID" = ChangeSetId, Path)),
    request_body = Application,
    responses(
        (status = 200, description = "the change set now", body = ChangeSet),
        (status = 400, description = "it breaks a rule by now", body = Problems),
        (status = 402, description = "the plan allows no more environments in a project"),
        (status = 403, description = "a part is not allowed to the caller, or approvals are missing", body = Guarded),
        (status = 404, description = "unknown"),
        (status = 409, description = "it cannot be applied as it stands, or what it changes has changed since", body = Conflicts),
        (status = 503, description = "the project changes too quickly"),
    )
)]
async fn apply(
    State(state): State<AppState>,
    caller: Editor<ContentWrite>,
    Path((project, id)): Path<(ProjectRef, ChangeSetId)>,
    if_match: IfMatch,
    body: RawBody,
) -> Result<(Published, Tagged<ChangeSet>), ApiError> {
    let set = find(&caller, &project, id).await?;
    let expected = if_match.read()?;
    let application: Application = body.parse().await?;
    let at = application.at(caller.clock.now())?;
    let _place = caller.content_writes.enter(caller.org_id).await?;
    let seen_version = application.seen_version;
    if let Some(at) = at {
        if caller.scope().is_some() {
            return Err(TOKEN.into());
        }
        let protected = tried(&state, &caller, &set).await?;
        let mut unit = caller.begin().await?;
        let planned = apply::schedule(&mut unit, &set, at, &protected, &caller, &expected).await?;
        let (published, set) = caller.commit(unit, planned).await?;
        return Ok((published, shown(&caller, set)));
    }
    let applying = Applying {
        db: &caller.db,
        clock: &caller.clock,
        caller: &caller,
        project_id: set.project_id,
        id,
        expected: &expected,
        seen_version,
        actor: caller.actor(),
        comment: caller.comment(),
        announcements: announcements(&state),
    };
    let permit = caller.may_wait().await?;
    let (unit, applied) = applying.run().await?;
    let (published, set) = caller.commit(unit.with_permit(permit), applied).await?;
    if set.removes_environments() {
        state.removals.wake();
    }
    Ok((published, shown(&caller, set)))
}

/// Drafts the change set that undoes an applied one: everything as it was before, but flags that it created, which are archived.
/// Refused where somebody has changed since what it changed.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/change-sets/{changeSetID}/undo",
    operation_id = "undoChangeSet",
    tag = "change sets",
    params(("projectID" = String, Path), ("changeSetID" = ChangeSetId, Path)),
    responses(
        (status = 201, description = "the draft", body = ChangeSet),
        (status = 400, description = "what it was before breaks a rule by now", body = Problems),
        (status = 404, description = "unknown"),
        (status = 409, description = "it is not applied, or what it changed has been changed since", body = Conflicts),
    )
)]
async fn undo(
    caller: Editor<ContentWrite>,
    Path((project, id)): Path<(ProjectRef, ChangeSetId)>,
    if_match: IfMatch,
) -> Result<(StatusCode, Tagged<ChangeSet>), ApiError> {
    let applied = find(&caller, &project, id).await?;
    if_match.read()?.check(applied.version)?;
    let _place = caller.content_writes.enter(caller.org_id).await?;
    let edits = undoing::undo(&applied, caller.clock.now())?;
    let planned = plan(&caller, applied.project_id, edits).await?;
    undoing::check(&applied, &planned, reads_all(&caller))?;
    let new = New::undoing(&applied);
    let set = store_draft(&caller, applied.project_id, new, planned).await?;
    Ok((StatusCode::CREATED, Tagged(set)))
}

/// Makes a change set a draft again that is not applied: without its approvals, and without its time.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/change-sets/{changeSetID}/reopen",
    operation_id = "reopenChangeSet",
    tag = "change sets",
    params(("projectID" = String, Path), ("changeSetID" = ChangeSetId, Path)),
    responses(
        (status = 200, description = "the draft", body = ChangeSet),
        (status = 404, description = "unknown"),
        (status = 409, description = "it is a draft, or has been applied"),
    )
)]
async fn reopen(
    caller: Editor<ContentWrite>,
    Path((project, id)): Path<(ProjectRef, ChangeSetId)>,
    if_match: IfMatch,
) -> Result<Tagged<ChangeSet>, ApiError> {
    let set = find(&caller, &project, id).await?;
    let expected = if_match.read()?;
    let mut unit = caller.begin().await?;
    let reopened = draft::reopen(&mut unit, &set, &expected).await?;
    let (_, set) = caller.commit(unit, reopened).await?;
    Ok(shown(&caller, set))
}

/// The protected environments in which a set would have an effect. Refuses what its application would be refused for, its
/// approvals apart; tries again if others change the project in between.
async fn tried(
    state: &AppState,
    caller: &Access,
    set: &ChangeSet,
) -> Result<Vec<Environment>, Refusal> {
    for _ in 0..apply::ATTEMPTS {
        let planned = plan_stored(caller, set).await?;
        planned.check_conflicts(set, None, caller)?;
        let (unit, announcements) = (caller.begin().await?, announcements(state));
        let (clock, plan) = (&caller.clock, planned.plan);
        let tried = rehearse(unit, clock, set, plan, caller, announcements).await?;
        if let Some(protected) = tried {
            return Ok(protected);
        }
    }
    Err(apply::BUSY)
}
