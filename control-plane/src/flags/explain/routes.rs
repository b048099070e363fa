//! `POST /v1/explain`.

use axum::{Json, extract::State};
use serving::{body::RawBody, error::ApiError};
use utoipa_axum::router::OpenApiRouter;

use super::{Draft, Explained, document, input::ExplainBody};
use crate::{
    blocking::blocking,
    flags::store,
    http::{
        access::{AnyPlan, AnyRole},
        endpoints,
        rates::Explaining,
    },
    ids::{EnvId, ProjectId},
    input::Key,
    refusal::Missing,
    roles::keys::FlagsRead,
    state::AppState,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![explain]
}

/// Tells what a flag answers to a context, and why; with the stored state, or with a draft of another. Changes and counts
/// nothing.
#[utoipa::path(
    post,
    path = "/v1/explain",
    operation_id = "explainFlag",
    tag = "flags",
    request_body = ExplainBody,
    responses(
        (status = 200, description = "the answer and its reasons", body = document::Explanation),
        (status = 404, description = "unknown project or environment"),
    )
)]
async fn explain(
    State(state): State<AppState>,
    caller: AnyRole<FlagsRead, AnyPlan, Explaining>,
    body: RawBody,
) -> Result<Json<Explained>, ApiError> {
    let question = body.parse_draft::<ExplainBody>().await?.check()?;
    let project_id =
        Missing::Project.by_id("project_id", ProjectId::parse(&question.project_id))?;
    let env_id = Missing::Environment.by_id("env_id", EnvId::parse(&question.env_id))?;

    state.project(&caller, project_id).await?;
    state.environment(&caller, project_id, env_id).await?;
    let flag = match Key::parse(Some(question.flag_key.clone())) {
        Ok(key) => {
            let mut conn = state.db.acquire().await?;
            store::find(&mut conn, caller.org_id, project_id, &key).await?
        }
        Err(_) => None,
    };

    // Read anew, so that nothing unchecked waited with the look-ups, nor waits for room.
    let patch = match &flag {
        Some(_) => body.parse_again::<ExplainBody>().await?.draft(),
        None => None,
    };
    drop(body);
    let now = state.clock.now();
    let draft = match flag.zip(patch) {
        Some((flag, patch)) => Some(blocking(move || Draft::check(flag, patch, now)).await?),
        None => None,
    };
    let whole = state
        .publisher
        .compile(caller.org_id, env_id)
        .await?
        .ok_or(Missing::Environment)?;
    let explanation = blocking(move || super::explain(whole, &question, draft)).await;
    Ok(Json(explanation.map_err(ApiError::internal)?))
}
