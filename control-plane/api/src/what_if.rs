//! The endpoints of questions about drafts.

use std::time::Duration;

use axum::{Json, http::StatusCode};
use serving::{body::RawBody, error::ApiError, params::Path};
use tokio::time::{Instant, sleep};

use crate::http::{Access, AnyPlan, AnyRole, Editor, Routes, endpoints, rates::Explaining};
use base::{
    blocking::blocking,
    ids::{EnvId, ProjectId, WhatIfQuestionId},
    named::{EnvRef, ProjectRef},
    refusal::{Conflicts, Missing, Problems, Refusal},
};
use domain::{
    change_sets::preview::{Planned, plan_stored},
    content::{self, Plan, reads_all},
    orgs,
    roles::keys::FlagsRead,
    sampling::{self, model::Sampling},
    what_if::{
        change::{self, NewQuestion},
        draft::Compared,
        input::{Body, Subject},
        model::WhatIf,
        rights::sees_examples,
        store,
    },
};
use publish::fleet::ConnectedEdge;

/// How often it is looked for findings.
const AGAIN: Duration = Duration::from_millis(100);

const OFF: &str = "edges keep no samples of this environment: switch sampling on first";

pub(crate) fn router() -> Routes {
    endpoints![ask, show]
}

/// Asks edges what a draft would have changed of the answers to the requests of the last 24 hours, of which they keep samples where
/// that is switched on. It changes nothing. An organization asks one question at a time, and 60 in an hour. The answer waits for
/// edges; it may be incomplete, and is kept for an hour. A custom role needs the right to read flags, segments and environments. With
/// `examples` the answer shows contexts: for Owner and Admin, with a custom role that has `what_if.examples`; the audit log has it.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/environments/{envID}/what-if",
    operation_id = "askWhatIf",
    tag = "what-if",
    params(("projectID" = String, Path), ("envID" = String, Path)),
    request_body = Body,
    responses(
        (status = 201, description = "what is known so far; `is_open` says whether more may come", body = WhatIf),
        (status = 400, description = "the draft breaks a rule, or changes nothing in this environment", body = Problems),
        (status = 404, description = "unknown environment or change set"),
        (status = 409, description = "sampling is off, another question is open, or what the change set changes is gone", body = Conflicts),
    )
)]
async fn ask(
    caller: Editor<FlagsRead, AnyPlan, Explaining>,
    Path((project, env)): Path<(ProjectRef, EnvRef)>,
    body: RawBody,
) -> Result<(StatusCode, Json<WhatIf>), ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    caller.environment(project_id, env_id).await?;
    // The body is parsed, and contents are held, only with a place for it.
    let place = caller.content_writes.enter(caller.org_id).await?;
    let asked = body.parse_draft::<Body>().await?.check()?;
    drop(body);
    // Edits name things, and planning them tells which there are.
    if !reads_all(&caller) {
        return Err(Refusal::INSUFFICIENT.into());
    }
    if asked.examples > 0 && !sees_examples(&caller) {
        return Err(Refusal::INSUFFICIENT.into());
    }
    let (sampling, region) = {
        let mut conn = caller.db.acquire().await?;
        let sampling = sampling::store::find(&mut conn, caller.org_id, env_id).await?;
        (
            sampling,
            orgs::store::get_data_region(&mut conn, caller.org_id).await?,
        )
    };
    check_sampling(&sampling, asked.by.as_deref())?;
    let compared = compare(&caller, (project_id, env_id), asked.subject, sampling).await?;
    let edges = caller.publisher.fleet(Some(&[env_id])).await;
    let new = NewQuestion {
        env_id,
        compared,
        by: asked.by,
        examples: asked.examples,
        edges: edges.iter().filter(|edge| may_hold(edge, &region)).count(),
    };
    let draft = new.encoded()?;
    let question = caller
        .write_org(async |org| change::ask(org, project_id, new, draft).await)
        .await?;
    drop(place);
    caller.publisher.what_if_changed();
    wait(&caller, question.id, asked.wait).await?;
    let answer = known(&caller, env_id, question.id).await?;
    Ok((StatusCode::CREATED, Json(answer)))
}

/// Whether an edge may have the environment that its contents were asked for. What those below relays hold is told as a number alone: one
/// without the environment keeps the question open until its end.
fn may_hold(edge: &ConnectedEdge, region: &str) -> bool {
    let is_of_region = edge.region.as_ref().is_none_or(|only| only == region);
    !edge.environments.is_empty() || (edge.via.is_some() && edge.held > 0 && is_of_region)
}

/// Shows what is known of a question that was asked within the last hour.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/environments/{envID}/what-if/{questionID}",
    operation_id = "getWhatIf",
    tag = "what-if",
    params(("projectID" = String, Path), ("envID" = String, Path), ("questionID" = WhatIfQuestionId, Path)),
    responses(
        (status = 200, description = "what is known so far", body = WhatIf),
        (status = 404, description = "unknown, or asked more than an hour ago"),
    )
)]
async fn show(
    caller: AnyRole<FlagsRead>,
    Path((project, env, id)): Path<(ProjectRef, EnvRef, WhatIfQuestionId)>,
) -> Result<Json<WhatIf>, ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    caller.environment(project_id, env_id).await?;
    Ok(Json(known(&caller, env_id, id).await?))
}

fn check_sampling(sampling: &Sampling, by: Option<&str>) -> Result<(), Refusal> {
    if !sampling.enabled {
        return Err(Refusal::conflict(OFF));
    }
    if by.is_some_and(|by| !sampling.attributes.iter().any(|kept| kept == by)) {
        return Err(Refusal::invalid(
            "by must be one of the attributes that are kept",
        ));
    }
    Ok(())
}

async fn compare(
    caller: &Access,
    (project_id, env_id): (ProjectId, EnvId),
    subject: Subject,
    sampling: Sampling,
) -> Result<Compared, ApiError> {
    let now = caller.clock.now();
    let (plan, found) = match subject {
        Subject::Changes(changes) => {
            let found = content::find(&caller.db, caller.org_id, project_id, &changes).await?;
            blocking(move || Ok::<_, Refusal>((Plan::make(&changes, &found, now)?, found.into())))
                .await?
        }
        Subject::ChangeSet(id) => {
            let set = caller.change_set(project_id, id).await?;
            let Planned { plan, found, .. } = plan_stored(&caller.db, caller, &set, now).await?;
            (plan, found)
        }
    };
    let whole = caller.publisher.compile(caller.org_id, env_id).await?;
    let whole = whole.ok_or(Missing::Environment)?;
    let compare = move || {
        let mut after = whole.snapshot.clone();
        plan.put_into(&found, env_id, &mut after);
        Compared::new(&whole.snapshot, &after, &sampling)
    };
    blocking(compare).await.map_err(ApiError::internal)
}

/// Waits until the question is closed, at most for so long.
async fn wait(caller: &Access, id: WhatIfQuestionId, patience: Duration) -> Result<(), Refusal> {
    let until = Instant::now() + patience;
    loop {
        let mut conn = caller.db.acquire().await?;
        let is_open = store::is_open(&mut conn, caller.org_id, id, caller.clock.now()).await?;
        drop(conn);
        if !is_open || Instant::now() >= until {
            return Ok(());
        }
        sleep(AGAIN).await;
    }
}

async fn known(caller: &Access, env_id: EnvId, id: WhatIfQuestionId) -> Result<WhatIf, Refusal> {
    let now = caller.clock.now();
    let mut conn = caller.db.acquire().await?;
    let found = store::find(&mut conn, caller.org_id, env_id, id, now).await?;
    let (mut question, findings) = found.ok_or(Missing::WhatIfQuestion)?;
    if !sees_examples(caller) {
        question.examples = 0;
    }
    Ok(WhatIf::new(question, findings))
}
