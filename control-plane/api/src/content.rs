//! The endpoints of a project's definitions as a whole.

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serving::{
    body::LateBody,
    error::ApiError,
    params::{Path, Query},
};

use crate::http::{Access, AnyRole, Editor, IfMatch, Published, Routes, Tagged, endpoints};
use base::{
    blocking::blocking,
    config::UrlSettings,
    ids::ProjectId,
    input::{Comment, Invalid},
    mail::Mailer,
    named::ProjectRef,
    refusal::{Guarded, Missing, Outdated, Problems, Refusal},
};
use domain::{
    approvals::mail::Announcements,
    content::{
        self, Acting, After, Plan, Tried,
        input::ContentChange,
        model::{Applied, ContentPage},
    },
    lifecycle::removal::Removals,
    roles::keys::{ContentRead, ContentWrite},
    unit::Expected,
};

/// Bytes of a body: 20,000 flags with three states each, or fewer with long rules.
const MAX_BODY: usize = 32 * 1024 * 1024;

/// How often a plan is made anew for a project that changes meanwhile.
const ATTEMPTS: usize = 5;

const BUSY: Refusal = Refusal::Unavailable {
    words: "the project is being changed by others, please try again",
    retry_after: Some(std::time::Duration::from_secs(1)),
};

pub fn router() -> Routes {
    endpoints![show, apply]
}

#[derive(Debug, Deserialize)]
struct Part {
    limit: Option<String>,
    after: Option<String>,
}

impl Part {
    /// The number of items, and the last one before them. A limit that makes no sense counts as absent.
    fn read(self) -> Result<(i64, Option<After>), Invalid> {
        let limit = self.limit.and_then(|text| text.parse().ok());
        let limit = limit.filter(|limit| *limit > 0).unwrap_or(200).min(500);
        let after = self.after.filter(|text| !text.is_empty());
        let after = after.map(|text| After::parse(&text)).transpose()?;
        Ok((limit, after))
    }
}

/// Shows environments, segments, and flags with their states as they were authored: what `applyContent` takes. A page is as of one
/// moment, and ends early where it would have more than about 4 MiB. To an access token that is limited to environments only these
/// and their states are shown.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/content",
    operation_id = "getContent",
    tag = "flags",
    params(
        ("projectID" = String, Path),
        ("limit" = Option<i64>, Query, description = "how many segments and flags at most: 1 to 500, 200 when absent"),
        ("after" = Option<String>, Query, description = "the `next` of the page before"),
    ),
    responses(
        (status = 200, description = "a page of the definitions", body = ContentPage),
        (status = 404, description = "unknown project"),
    )
)]
async fn show(
    caller: AnyRole<ContentRead>,
    Path(project): Path<ProjectRef>,
    Query(part): Query<Part>,
) -> Result<Tagged<ContentPage>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let (limit, after) = part.read()?;
    let page = content::page(&caller.db, &caller, project_id, limit, after).await?;
    Ok(Tagged(page))
}

#[derive(Debug, Deserialize)]
struct Way {
    dry_run: Option<String>,
}

impl Way {
    fn is_dry_run(&self) -> Result<bool, Invalid> {
        match self.dry_run.as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(Invalid::new("dry_run must be true or false")),
        }
    }
}

/// Creates, changes and removes environments, segments and flags with their states: all of it, as one change with one version, or
/// nothing. Each part needs the right that its own endpoint needs, and has its checks, events and audit entries. Prerequisites may
/// be in any order. A state of a protected environment is not changed, but becomes a request for approval with the fields that
/// differ. What has the given fields already is left alone.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/content",
    operation_id = "applyContent",
    tag = "flags",
    params(
        ("projectID" = String, Path),
        ("dry_run" = Option<bool>, Query, description = "`true`: the same answer and refusals, and nothing is changed"),
    ),
    request_body = ContentChange,
    responses(
        (status = 200, description = "what became of it", body = Applied),
        (status = 400, description = "something breaks a rule", body = Problems),
        (status = 402, description = "the plan allows no more environments in a project"),
        (status = 403, description = "a right is missing, or an environment is guarded against it", body = Guarded),
        (status = 404, description = "unknown project"),
        (status = 409, description = "a removed flag is switched on somewhere"),
        (status = 412, description = "`changes` says what", body = Outdated),
        (status = 429, description = "another call of the organization is being made"),
        (status = 503, description = "calls of others are being made, the project changes too quickly, or the check takes too long"),
    )
)]
#[expect(
    clippy::too_many_arguments,
    reason = "each is a part of the request, or of the state"
)]
async fn apply(
    State(mailer): State<Mailer>,
    State(urls): State<Arc<UrlSettings>>,
    State(removals): State<Removals>,
    caller: Editor<ContentWrite>,
    Path(project): Path<ProjectRef>,
    if_match: IfMatch,
    Query(way): Query<Way>,
    body: LateBody<MAX_BODY>,
) -> Result<(Published, Tagged<Applied>), ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let expected = if_match.read()?;
    let is_dry_run = way.is_dry_run()?;
    // The body is read, and its content held, only with a place for it.
    let _place = caller.content_writes.enter(caller.org_id).await?;
    let body = body.read().await?;
    let mut given: ContentChange = blocking(move || body.parse_here()).await?;
    let comment = match given.comment.take() {
        Some(text) => Comment::parse(&text)?,
        None => None,
    };
    let applying = Applying {
        caller: &caller,
        project_id,
        given: Arc::new(given),
        expected,
        comment: comment.or_else(|| caller.comment()),
        is_dry_run,
        announcements: Announcements {
            mailer: &mailer,
            urls: &urls,
        },
    };
    let (published, mut applied) = applying.run().await?;
    if applied.removed.environments > 0 && !is_dry_run {
        removals.wake();
    }
    let mut warnings = caller.ignored();
    warnings.append(&mut applied.warnings);
    applied.warnings = warnings;
    Ok((published, Tagged(applied)))
}

struct Applying<'a> {
    caller: &'a Access,
    project_id: ProjectId,
    given: Arc<ContentChange>,
    expected: Expected,
    comment: Option<Comment>,
    is_dry_run: bool,
    announcements: Announcements<'a>,
}

impl Applying<'_> {
    /// Plans it and writes it, again if others change the project in between.
    async fn run(&self) -> Result<(Published, Applied), ApiError> {
        for _ in 0..ATTEMPTS {
            if let Some(done) = self.attempt().await? {
                return Ok(done);
            }
        }
        Err(BUSY.into())
    }

    async fn attempt(&self) -> Result<Option<(Published, Applied)>, Refusal> {
        let (caller, project_id) = (self.caller, self.project_id);
        let given = Arc::clone(&self.given);
        let found = content::find(&caller.db, caller.org_id, project_id, &given).await?;
        let now = caller.clock.now();
        let plan = blocking(move || Plan::make(&given, &found, now)).await?;
        plan.check_rights(caller)?;
        let unit = caller.begin_or_try(self.is_dry_run).await?;
        let mut unit = unit.with_comment(self.comment.clone());
        let project = unit.lock_project(&caller.clock, project_id).await?;
        let acting = Acting {
            caller,
            expected: &self.expected,
            announcements: self.announcements,
            note: self.comment.as_ref().map_or("", Comment::as_str),
        };
        let mut project = project.ok_or(Missing::Project)?;
        let recorded = match content::apply(&mut project, plan, acting).await? {
            Tried::Done(recorded) => recorded,
            Tried::Outdated => return Ok(None),
        };
        if self.is_dry_run {
            let applied = caller.roll_back(unit, recorded)?;
            return Ok(Some((Published::NOTHING, applied)));
        }
        caller.commit(unit, recorded).await.map(Some)
    }
}
