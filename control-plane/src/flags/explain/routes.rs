//! `POST /v1/explain`.

use axum::{Json, extract::State};
use protocol::eval::Explanation;
use serving::{body::RawBody, error::ApiError};
use utoipa_axum::router::OpenApiRouter;

use super::{Draft, ExplainError, document, input::ExplainBody};
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
) -> Result<Json<Explanation>, ApiError> {
    let (question, patch) = body.parse_unstored::<ExplainBody>()?.check()?;
    let project_id = ProjectId::parse(&question.project_id).ok_or(Missing::Project)?;
    let env_id = EnvId::parse(&question.env_id).ok_or(Missing::Environment)?;

    state.project(&caller, project_id).await?;
    state.environment(&caller, project_id, env_id).await?;
    let flag = match Key::parse(Some(question.flag_key.clone())) {
        Ok(key) => {
            let mut conn = state.db.acquire().await?;
            store::find(&mut conn, caller.org_id, project_id, &key).await?
        }
        Err(_) => None,
    };

    let draft = flag.zip(patch).map(|(flag, patch)| Draft { flag, patch });
    let whole = state
        .publisher
        .compile(caller.org_id, env_id)
        .await?
        .ok_or(Missing::Environment)?;
    let now = state.clock.now();
    let explanation = blocking(move || super::explain(whole, &question, draft, now)).await?;
    Ok(Json(explanation))
}

impl From<ExplainError> for ApiError {
    fn from(error: ExplainError) -> Self {
        match error {
            ExplainError::Invalid(invalid) => invalid.into(),
            ExplainError::Prepare(damage) => Self::internal(damage),
        }
    }
}
