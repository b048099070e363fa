//! What members do about a request beside deciding it: comments, and withdrawal by its requestor.

use axum::{Json, http::StatusCode};
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};

use crate::http::{AnyRole, Editor, Routes, endpoints};
use base::ids::ApprovalId;
use domain::{
    approvals::{
        comments::{self, Comment, NewComment},
        model::Approval,
        withdrawal,
    },
    roles::keys::{ApprovalsCreate, ApprovalsCreateOrReview, ApprovalsRead},
};

pub(super) fn router() -> Routes {
    endpoints![withdraw, comment, comments]
}

/// Withdraws one's own pending request. It is then `rejected`, with its requestor as the reviewer.
#[utoipa::path(
    post,
    path = "/v1/approvals/{approvalID}/withdraw",
    operation_id = "withdrawApproval",
    tag = "approvals",
    params(("approvalID" = ApprovalId, Path)),
    responses(
        (status = 200, description = "the request now", body = Approval),
        (status = 403, description = "the request of another member"),
        (status = 404, description = "unknown"),
        (status = 409, description = "not pending"),
    )
)]
async fn withdraw(
    caller: Editor<ApprovalsCreate>,
    Path(id): Path<ApprovalId>,
) -> Result<Json<Approval>, ApiError> {
    caller.approval(id).await?;
    let mut unit = caller.begin().await?;
    let withdrawn = withdrawal::withdraw(&mut unit, id, caller.user_id).await?;
    let (_, approval) = caller.commit(unit, withdrawn).await?;
    Ok(Json(approval))
}

/// Writes a comment on a request, decided or not.
#[utoipa::path(
    post,
    path = "/v1/approvals/{approvalID}/comments",
    operation_id = "createApprovalComment",
    tag = "approvals",
    params(("approvalID" = ApprovalId, Path)),
    request_body = NewComment,
    responses(
        (status = 201, description = "written", body = Comment),
        (status = 404, description = "unknown"),
        (status = 409, description = "the request has 100 comments already"),
        (status = 429, description = "the organization's comments of the last 24 hours have 16 MiB"),
    )
)]
async fn comment(
    caller: Editor<ApprovalsCreateOrReview>,
    Path(id): Path<ApprovalId>,
    body: RawBody,
) -> Result<(StatusCode, Json<Comment>), ApiError> {
    caller.approval(id).await?;
    let new: NewComment = body.parse().await?;
    let text = new.check()?;
    let mut unit = caller.begin().await?;
    let written = comments::create(&mut unit, id, text, caller.user_id).await?;
    let (_, comment) = caller.commit(unit, written).await?;
    Ok((StatusCode::CREATED, Json(comment)))
}

/// Lists the comments on a request.
#[utoipa::path(
    get,
    path = "/v1/approvals/{approvalID}/comments",
    operation_id = "listApprovalComments",
    tag = "approvals",
    params(("approvalID" = ApprovalId, Path), Page),
    responses(
        (status = 200, description = "the oldest first", body = Paged<Comment>),
        (status = 404, description = "unknown"),
    )
)]
async fn comments(
    caller: AnyRole<ApprovalsRead>,
    Path(id): Path<ApprovalId>,
    page: Page,
) -> Result<Json<Paged<Comment>>, ApiError> {
    caller.approval(id).await?;
    let mut conn = caller.db.acquire().await?;
    let total = comments::store::count(&mut conn, caller.org_id, id).await?;
    let listed = comments::store::list(&mut conn, caller.org_id, id, page).await?;
    Ok(Json(Paged::new(listed, total, page)))
}
