//! `POST /v1/explain`.

use axum::Json;
use serving::{body::RawBody, error::ApiError};

use super::{Explained, Instead, document, input::ExplainBody};
use crate::http::{Access, AnyPlan, AnyRole, Routes, endpoints, rates::Explaining};
use base::{
    blocking::blocking,
    ids::{EnvId, ProjectId},
    input::Key,
    named::{EnvRef, ProjectRef},
    refusal::{Missing, Refusal},
};
use domain::{
    flags::{change::Place, store},
    roles::keys::FlagsRead,
};

pub fn router() -> Routes {
    endpoints![explain]
}

/// Explains the value of a flag for a context: with the stored state, with a draft of another, or as of an earlier version. Changes and
/// counts nothing.
#[utoipa::path(
    post,
    path = "/v1/explain",
    operation_id = "explainFlag",
    tag = "flags",
    request_body = ExplainBody,
    responses(
        (status = 200, description = "the answer and its reasons", body = document::Explanation),
        (status = 404, description = "unknown project, environment or version"),
    )
)]
async fn explain(
    caller: AnyRole<FlagsRead, AnyPlan, Explaining>,
    body: RawBody,
) -> Result<Json<Explained>, ApiError> {
    let question = body.parse_draft::<ExplainBody>().await?.check()?;
    let project = ProjectRef::parse(&question.project_id);
    let env = EnvRef::parse(&question.env_id);
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let env_id = caller.env_id(project_id, &env).await?;
    caller.environment(project_id, env_id).await?;
    let flag = match Key::parse(Some(question.flag_key.clone())) {
        Ok(key) => {
            let mut conn = caller.db.acquire().await?;
            store::find(&mut conn, caller.org_id, project_id, &key).await?
        }
        Err(_) => None,
    };

    // Parsed again, so that no unchecked draft is held during look-ups or while waiting for a permit.
    let patch = match &flag {
        Some(_) => body.parse_again::<ExplainBody>().await?.draft(),
        None => None,
    };
    drop(body);
    let now = caller.clock.now();
    let instead = match (flag.zip(patch), question.version) {
        (Some((flag, patch)), _) => Some(blocking(move || Instead::check(flag, patch, now)).await?),
        (None, Some(version)) => {
            Some(then(&caller, project_id, env_id, &question.flag_key, version).await?)
        }
        (None, None) => None,
    };
    let whole = caller
        .publisher
        .compile(caller.org_id, env_id)
        .await?
        .ok_or(Missing::Environment)?;
    let explanation = blocking(move || super::explain(whole, &question, instead)).await;
    Ok(Json(explanation.map_err(ApiError::internal)?))
}

/// The flag and its state at the version, also of a deleted flag.
async fn then(
    caller: &Access,
    project_id: ProjectId,
    env_id: EnvId,
    flag_key: &str,
    version: i64,
) -> Result<Instead, ApiError> {
    let key = Key::parse(Some(flag_key.to_owned())).map_err(|_| Missing::Version)?;
    let flag_id = caller.flag_of_history(project_id, &key).await;
    let flag_id = flag_id.map_err(|refusal| match refusal {
        Refusal::Gone(Missing::Flag) => Missing::Version.into(),
        other => other,
    })?;
    let place = Place { flag_id, env_id };
    let kept = caller.kept(project_id, place, version).await?;
    let key = key.as_str().to_owned();
    Ok(blocking(move || Instead::then(key, &kept)).await)
}
