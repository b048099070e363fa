//! The endpoints of approval requests.

mod discussion;

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serde::Deserialize;
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::{Path, Query},
};
use utoipa::ToSchema;

use crate::http::{
    Access, AnyRole, DryRunQuery, Editor, Manager, Outcome, Published, Routes, Warned, endpoints,
};
use base::{
    config::UrlSettings,
    ids::{ApprovalId, EnvId, FlagId, ProjectId, UserId},
    input::{Invalid, Key},
    mail::Mailer,
    named::{Named, ProjectRef},
    refusal::{Missing, Moved, Refusal},
};
use domain::{
    approvals::{
        basis::{Basis, Diff, Sides},
        input::{self, Asked, NamedFlag, NewApproval},
        mail::Announcements,
        model::{Approval, Filter, Status, Verdict},
        paging, request,
        review::{self, Decision, Word},
    },
    flags::{self, change, history, model::Flag, states, warnings::Suspects},
    roles::keys::{ApprovalsCreate, ApprovalsRead, ApprovalsReview, FlagsRead, Permission as _},
};

pub fn router() -> Routes {
    endpoints![create, list, show, diff, review].merge(discussion::router())
}

/// Requests a change of a flag state. The flag is named by `flag_id`, by `flag_key`, or by both. The change is checked now, and
/// again when it is approved.
#[utoipa::path(
    post,
    path = "/v1/approvals",
    operation_id = "createApproval",
    tag = "approvals",
    request_body = NewApproval,
    responses(
        (status = 201, description = "pending review", body = Approval),
        (status = 400, description = "the organization has 1,000 pending requests already, flag and environment are of different \
                                      projects, or id and key of different flags"),
        (status = 404, description = "unknown flag or environment"),
        (status = 409, description = "the flag is archived"),
        (status = 429, description = "the requests of the last 24 hours have 64 MiB"),
    )
)]
async fn create(
    State(mailer): State<Mailer>,
    State(urls): State<Arc<UrlSettings>>,
    caller: Editor<ApprovalsCreate>,
    body: RawBody,
) -> Result<(StatusCode, Warned, Json<Approval>), ApiError> {
    let new: NewApproval = body.parse().await?;
    let asked = new.check(body.parse_again().await?)?;
    drop(body);
    let (project_id, flag, env_id) = find_target(&caller, &asked).await?;
    let now = caller.clock.now();
    let (mut warnings, mut basis) = (Vec::new(), Basis::default());
    if let Some(patch) = asked.wish()? {
        let flag_type = flag.flag_type;
        let mut conn = caller.db.acquire().await?;
        let stored = states::store::find(&mut conn, caller.org_id, flag.id, env_id).await?;
        drop(conn);
        let fields = asked.fields();
        let check = move || {
            let wish = patch.check(flag_type, now)?;
            let basis = Basis::of(&fields, &wish, &stored);
            Ok::<_, Invalid>((wish, basis))
        };
        let (wish, compared) = caller.checks.run(caller.org_id, check).await??;
        basis = compared;
        let suspects = Suspects::of_wish(&wish);
        let mut conn = caller.db.acquire().await?;
        warnings = change::warnings(&mut conn, caller.org_id, project_id, &suspects).await?;
    }

    flag.refuse_archived().map_err(Refusal::from)?;
    let approval = asked.about(project_id, flag.id, env_id, caller.user_id, now);
    let mut unit = caller.begin().await?;
    let announcements = Announcements {
        mailer: &mailer,
        urls: &urls,
    };
    let created = request::create(&mut unit, announcements, approval, &basis, &warnings).await?;
    let (_, approval) = caller.commit(unit, created).await?;
    Ok((StatusCode::CREATED, Warned(warnings), Json(approval)))
}

/// The project, flag and environment of a request.
async fn find_target(caller: &Access, asked: &Asked) -> Result<(ProjectId, Flag, EnvId), ApiError> {
    if let Some(project) = &asked.project {
        let project_id = caller.project_id(project).await?;
        return find_in(caller, caller.project(project_id).await?.id, asked).await;
    }
    let (id, key) = match &asked.flag {
        NamedFlag::Id(id, key) => (id, key),
        NamedFlag::Key(key) => {
            let id = match asked.env {
                Named::Id(id) => Some(id),
                Named::Slug(_) | Named::Nothing => None,
            };
            let env_id = Missing::Environment.by_id("env_id", id)?;
            let project_id = caller.project_of_env(env_id).await?;
            let key = Key::try_from(key.clone()).map_err(|_| Missing::Flag)?;
            return Ok((project_id, caller.flag(project_id, &key).await?, env_id));
        }
    };
    let flag_id = Missing::Flag.by_id("flag_id", FlagId::parse(id))?;
    let mut conn = caller.db.acquire().await?;
    let project_id = flags::store::find_project(&mut conn, caller.org_id, flag_id)
        .await?
        .ok_or(Missing::Flag)?;
    let flag = flags::store::find_by_id(&mut conn, caller.org_id, project_id, flag_id)
        .await?
        .ok_or(Missing::Flag)?;
    drop(conn);
    let env_id = caller.env_id(project_id, &asked.env).await?;
    if caller.project_of_env(env_id).await? != project_id {
        return Err(Invalid::new("flag and environment must be of the same project").into());
    }
    refuse_other_key(&flag, key.as_deref())?;
    Ok((project_id, flag, env_id))
}

/// The flag and environment of a request that names their project.
async fn find_in(
    caller: &Access,
    project_id: ProjectId,
    asked: &Asked,
) -> Result<(ProjectId, Flag, EnvId), ApiError> {
    let (named, key) = match &asked.flag {
        NamedFlag::Id(id, key) => (id, key.as_deref()),
        NamedFlag::Key(key) => (key, None),
    };
    let named = Key::try_from(named.clone()).map_err(|_| Missing::Flag)?;
    let flag = caller.flag(project_id, &named).await?;
    refuse_other_key(&flag, key)?;
    let env_id = caller.env_id(project_id, &asked.env).await?;
    let env = caller.environment(project_id, env_id).await?;
    Ok((project_id, flag, env.id))
}

fn refuse_other_key(flag: &Flag, key: Option<&str>) -> Result<(), Invalid> {
    if key.is_some_and(|key| key != flag.key) {
        return Err(Invalid::new("flag_id and flag_key must name the same flag"));
    }
    Ok(())
}

/// Filters as sent. Empty ones count as absent.
#[derive(Debug, Deserialize)]
struct RawFilter {
    status: Option<String>,
    project_id: Option<String>,
    flag_key: Option<String>,
    requestor_id: Option<String>,
}

impl RawFilter {
    /// `None` if nothing can match.
    async fn check(self, caller: &Access) -> Result<Option<Filter>, ApiError> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let status = given(self.status)
            .as_deref()
            .map(Status::parse)
            .transpose()?;
        let requestor_id = match given(self.requestor_id) {
            None => None,
            Some(text) => match UserId::parse(&text) {
                Some(id) => Some(id),
                None => return Ok(None),
            },
        };
        let (project_id, flag_key) = (given(self.project_id), given(self.flag_key));
        let Some(project_id) = project_id else {
            return match flag_key {
                Some(_) => Err(Invalid::new("flag_key needs project_id").into()),
                None => Ok(Some(Filter {
                    status,
                    requestor_id,
                    ..Filter::default()
                })),
            };
        };
        let project_id = match caller.project_id(&ProjectRef::parse(&project_id)).await {
            Ok(id) => id,
            Err(Refusal::Gone(_)) => return Ok(None),
            Err(refusal) => return Err(refusal.into()),
        };
        let flag_id = match flag_key {
            None => None,
            Some(key) => {
                let Ok(key) = Key::try_from(key) else {
                    return Ok(None);
                };
                let mut conn = caller.db.acquire().await?;
                let found =
                    history::store::find_flag(&mut conn, caller.org_id, project_id, &key).await?;
                match found {
                    Some(id) => Some(id),
                    None => return Ok(None),
                }
            }
        };
        Ok(Some(Filter {
            status,
            project_id: flag_id.is_none().then_some(project_id),
            flag_id,
            requestor_id,
        }))
    }
}

/// Lists the approval requests of the organization. `total` is counted up to 10,000; where there are more, it is the number
/// known so far.
#[utoipa::path(
    get,
    path = "/v1/approvals",
    operation_id = "listApprovals",
    tag = "approvals",
    params(
        ("status" = Option<Status>, Query, description = "all when absent or empty"),
        ("project_id" = Option<String>, Query, description = "requests in a project, deleted or not"),
        ("flag_key" = Option<String>, Query, description = "requests about a flag of that project, or the last deleted one with the key"),
        ("requestor_id" = Option<String>, Query, description = "requests of a user"),
        Page,
    ),
    responses((status = 200, description = "the newest first", body = Paged<Approval>))
)]
async fn list(
    caller: AnyRole<ApprovalsRead>,
    Query(filter): Query<RawFilter>,
    page: Page,
) -> Result<Json<Paged<Approval>>, ApiError> {
    let Some(filter) = filter.check(&caller).await? else {
        return Ok(Json(Paged::new(Vec::new(), 0, page)));
    };
    let approvals =
        paging::page(&caller.db, &caller.long_pages, caller.org_id, filter, page).await?;
    Ok(Json(approvals))
}

/// Shows an approval request.
#[utoipa::path(
    get,
    path = "/v1/approvals/{approvalID}",
    operation_id = "getApproval",
    tag = "approvals",
    params(("approvalID" = ApprovalId, Path)),
    responses((status = 200, description = "the request", body = Approval), (status = 404, description = "unknown"))
)]
async fn show(
    caller: AnyRole<ApprovalsRead>,
    Path(id): Path<ApprovalId>,
) -> Result<Json<Approval>, ApiError> {
    Ok(Json(caller.approval(id).await?))
}

/// Compares what a request changes with what was there when it was made, and with what is there now. The first two never change. Without `flags.read`, both sides of the flag are `null`.
#[utoipa::path(
    get,
    path = "/v1/approvals/{approvalID}/diff",
    operation_id = "getApprovalDiff",
    tag = "approvals",
    params(("approvalID" = ApprovalId, Path)),
    responses((status = 200, description = "the fields that the request changes", body = Diff), (status = 404, description = "unknown"))
)]
async fn diff(
    caller: AnyRole<ApprovalsRead>,
    Path(id): Path<ApprovalId>,
) -> Result<Json<Diff>, ApiError> {
    let asked = caller.approval(id).await?;
    let mut conn = caller.db.acquire().await?;
    let sides = Sides::read(&mut conn, caller.org_id, &asked).await?;
    drop(conn);
    let diff = caller
        .checks
        .run(caller.org_id, move || sides.diff(&asked))
        .await?;
    Ok(Json(match caller.require(FlagsRead::NEEDS) {
        Ok(()) => diff,
        Err(_) => diff.without_states(),
    }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ApprovalReview)]
struct Review {
    /// Required: `approve` or `reject`.
    #[schema(value_type = String)]
    action: Option<String>,
    /// At most 2000 characters.
    note: Option<String>,
    /// The version of the flag's state that the reviewer has seen, as the difference shows it. An approval is refused in another
    /// version; without it, where it would overwrite what has changed since the request was made.
    current_version: Option<i64>,
}

/// Approves or rejects a pending request of another member. The last approval that the environment requires applies it at once,
/// whatever the reviewers' own permissions in the environment; one before leaves it pending.
#[utoipa::path(
    post,
    path = "/v1/approvals/{approvalID}/review",
    operation_id = "reviewApproval",
    tag = "approvals",
    params(("approvalID" = ApprovalId, Path)),
    request_body = Review,
    responses(
        (status = 200, description = "the request now", body = Approval),
        (status = 403, description = "one's own request"),
        (status = 404, description = "unknown"),
        (status = 409, description = "not pending, approved by the same member already, it can no longer be applied and stays pending, or the flag has changed since the reviewer looked", body = Moved),
    )
)]
async fn review(
    State(mailer): State<Mailer>,
    State(urls): State<Arc<UrlSettings>>,
    caller: Manager<ApprovalsReview>,
    Path(id): Path<ApprovalId>,
    dry_run: DryRunQuery,
    body: RawBody,
) -> Result<Outcome<(Published, Warned, Json<Approval>)>, ApiError> {
    let asked = caller.approval(id).await?;
    let is_dry_run = dry_run.read()?;
    if is_dry_run {
        // Its answer shows the state.
        caller.require(FlagsRead::NEEDS)?;
    }
    let body: Review = body.parse().await?;
    let verdict = Verdict::parse(body.action.as_deref())?;
    let word = Word {
        note: input::note(body.note)?,
        seen: body.current_version,
    };
    let now = caller.clock.now();
    let decision = Decision::prepare(
        verdict,
        &caller.db,
        &caller.checks,
        caller.org_id,
        &asked,
        now,
    )
    .await?;
    let mut unit = caller.begin_or_try(is_dry_run).await?;
    let announcements = Announcements {
        mailer: &mailer,
        urls: &urls,
    };
    let reviewed = review::review(
        &mut unit,
        &caller.clock,
        announcements,
        id,
        decision,
        word,
        caller.user_id,
    )
    .await?;
    let outcome = caller.commit_or_roll_back(unit, reviewed).await?;
    Ok(outcome
        .map(|(published, (reviewed, warnings))| (published, Warned(warnings), Json(reviewed))))
}
