//! What a change set would do: its difference, and what it makes of answers.

use std::collections::{BTreeMap, BTreeSet};

use axum::{Json, extract::State};
use protocol::{
    eval::{self, Context, Environment, Evaluation, Evaluator, Explanation, PrepareError, Scratch},
    snapshot::Snapshot,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};
use serving::{body::RawBody, error::ApiError, params::Path};
use utoipa::ToSchema;

use super::{announcements, find, plan_stored};
use crate::{
    flags::explain::{document, input::context, warnings},
    http::{AnyPlan, AnyRole, Routes, endpoints, rates::Explaining},
    state::AppState,
};
use base::{
    blocking::blocking,
    ids::ChangeSetId,
    input::Invalid,
    named::{EnvRef, ProjectRef},
    refusal::{Conflicts, Missing, Problems, Refusal},
    warning::Warning,
};
use domain::{
    change_sets::{
        apply,
        preview::{Difference, Planned, rehearse, required},
    },
    content::{
        parts::{Kind, Part},
        reads_all,
    },
    roles::keys::FlagsRead,
};

/// Answers that are told.
const MAX_ANSWERS: usize = 1_000;

pub(super) fn router() -> Routes {
    endpoints![diff, explain]
}

/// Compares a change set with what is there now: what it would do thing by thing, where somebody else has changed it since the
/// draft, whose approval it needs, and what the caller would be refused for.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/change-sets/{changeSetID}/diff",
    operation_id = "getChangeSetDiff",
    tag = "change sets",
    params(("projectID" = String, Path), ("changeSetID" = ChangeSetId, Path)),
    responses(
        (status = 200, description = "the difference", body = Difference),
        (status = 400, description = "it breaks a rule by now", body = Problems),
        (status = 404, description = "unknown"),
        (status = 409, description = "what it changes is gone", body = Conflicts),
    )
)]
async fn diff(
    State(state): State<AppState>,
    caller: AnyRole<FlagsRead>,
    Path((project, id)): Path<(ProjectRef, ChangeSetId)>,
) -> Result<Json<Difference>, ApiError> {
    let set = find(&caller, &project, id).await?;
    let _place = caller.content_writes.enter(caller.org_id).await?;
    let planned = plan_stored(&caller, &set).await?;
    let (version, conflicts) = (planned.version(), planned.conflicts(&set, &caller));
    let Planned { plan, parts, .. } = planned;
    let parts = if reads_all(&caller) {
        parts
    } else {
        Vec::new()
    };
    let unit = caller.begin().await?;
    let announcements = announcements(&state);
    let tried = rehearse(unit, &caller.clock, &set, plan, &caller, announcements).await;
    let (protected, refusal) = match tried {
        Ok(Some(protected)) => (protected, None),
        Ok(None) => return Err(apply::BUSY.into()),
        Err(fault @ (Refusal::Database(_) | Refusal::Fault(_) | Refusal::Unavailable { .. })) => {
            return Err(fault.into());
        }
        Err(refusal) => (Vec::new(), Some(refusal.to_string())),
    };
    Ok(Json(Difference {
        version,
        parts,
        conflicts,
        required_approvals: required(&protected),
        protected: protected.into_iter().map(|env| env.slug).collect(),
        refusal,
    }))
}

/// Asks what a context gets in an environment without and with the set.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChangeSetQuestion)]
struct Question {
    /// Required: an id or a slug.
    #[schema(value_type = String)]
    env_id: Option<String>,
    /// Required.
    #[schema(value_type = document::Context)]
    context: Option<Map<String, Value>>,
    /// Explains the answers of this flag.
    flag_key: Option<String>,
}

/// What a context gets without and with the set.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangeSetExplanation)]
struct Explained {
    /// The project's version that the set was compared with.
    version: i64,
    /// Of the flags that the set names, and of all others whose answer it changes, in the order of their keys; the first 1,000.
    answers: Vec<Compared>,
    /// Why, for the flag that was asked for.
    #[schema(value_type = Option<ExplainedSides>, required)]
    explanation: Option<Sides<WithWarnings>>,
}

/// The answers of a flag.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangeSetAnswers)]
struct Compared {
    flag_key: String,
    /// Whether the value or the variant is another one.
    differs: bool,
    before: Answer,
    after: Answer,
}

/// What a flag answers.
#[derive(Clone, Serialize, ToSchema)]
#[schema(as = ChangeSetAnswer)]
struct Answer {
    #[schema(value_type = Value)]
    #[serde(serialize_with = "raw")]
    value: String,
    /// As of an evaluation.
    reason: &'static str,
    /// Empty for none.
    variant_key: String,
}

fn raw<S: serde::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let raw: &RawValue = serde_json::from_str(text).map_err(serde::ser::Error::custom)?;
    raw.serialize(serializer)
}

/// Two sides.
#[derive(Serialize)]
struct Sides<T> {
    before: T,
    after: T,
}

/// An explanation, and probable mistakes in what the flag serves.
#[derive(Serialize)]
struct WithWarnings {
    #[serde(flatten)]
    explanation: Explanation,
    warnings: Vec<Warning>,
}

/// The explanations without and with the set.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type is described, never made")]
struct ExplainedSides {
    before: document::Explanation,
    after: document::Explanation,
}

/// Evaluates an environment for a context without the change set and with it, by the engine of the edges. Changes and counts
/// nothing.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/change-sets/{changeSetID}/explain",
    operation_id = "explainChangeSet",
    tag = "change sets",
    params(("projectID" = String, Path), ("changeSetID" = ChangeSetId, Path)),
    request_body = Question,
    responses(
        (status = 200, description = "the answers before and after", body = Explained),
        (status = 400, description = "it breaks a rule by now", body = Problems),
        (status = 404, description = "unknown change set or environment"),
        (status = 409, description = "what it changes is gone", body = Conflicts),
    )
)]
async fn explain(
    caller: AnyRole<FlagsRead, AnyPlan, Explaining>,
    Path((project, id)): Path<(ProjectRef, ChangeSetId)>,
    body: RawBody,
) -> Result<Json<Explained>, ApiError> {
    let set = find(&caller, &project, id).await?;
    let question: Question = body.parse_draft().await?;
    drop(body);
    let env = question
        .env_id
        .ok_or_else(|| Invalid::new("env_id is required"))?;
    let written = question
        .context
        .ok_or_else(|| Invalid::new("context is required"))?;
    let context = context(written)?;
    let env_id = caller.env_id(set.project_id, &EnvRef::parse(&env)).await?;
    caller.environment(set.project_id, env_id).await?;
    let _place = caller.content_writes.enter(caller.org_id).await?;
    let planned = plan_stored(&caller, &set).await?;
    let compiled = caller.publisher.compile(caller.org_id, env_id).await?;
    let whole = compiled.ok_or(Missing::Environment)?;
    let explained = blocking(move || {
        let mut changed = whole.snapshot.clone();
        planned.plan.put_into(&planned.found, env_id, &mut changed);
        let sides = Sides {
            before: &whole.snapshot,
            after: &changed,
        };
        compare(&sides, &planned, &context, question.flag_key.as_deref())
    });
    Ok(Json(explained.await.map_err(ApiError::internal)?))
}

fn compare(
    sides: &Sides<&Snapshot>,
    planned: &Planned,
    context: &Context<'_>,
    flag_key: Option<&str>,
) -> Result<Explained, PrepareError> {
    let before = Environment::prepare(sides.before)?;
    let after = Environment::prepare(sides.after)?;
    let (were, are) = (answers(&before, context), answers(&after, context));
    let named = planned.parts.iter().filter(|part| is_of_flag(part));
    let named: BTreeSet<_> = named.map(|part| part.thing.key.as_str()).collect();
    let keys: BTreeSet<_> = were
        .keys()
        .chain(are.keys())
        .chain(&named)
        .copied()
        .collect();
    let compared = keys.into_iter().filter_map(|key| {
        let [before, after] = [&were, &are].map(|all| all.get(key).cloned().unwrap_or_else(none));
        let differs = (&before.value, &before.variant_key) != (&after.value, &after.variant_key);
        (differs || named.contains(key)).then(|| Compared {
            flag_key: key.to_owned(),
            differs,
            before,
            after,
        })
    });
    let answers = compared.take(MAX_ANSWERS).collect();
    let explain = |env: &Environment, snapshot: &Snapshot, key: &str| WithWarnings {
        explanation: eval::explain(env, snapshot, key, context, &mut Scratch::new()),
        warnings: warnings(snapshot, key),
    };
    Ok(Explained {
        version: planned.version(),
        answers,
        explanation: flag_key.map(|key| Sides {
            before: explain(&before, sides.before, key),
            after: explain(&after, sides.after, key),
        }),
    })
}

fn is_of_flag(part: &Part) -> bool {
    matches!(part.thing.kind, Kind::Flag | Kind::State)
}

fn answers<'e>(env: &'e Environment, context: &Context<'_>) -> BTreeMap<&'e str, Answer> {
    let mut scratch = Scratch::new();
    let mut evaluator = Evaluator::new(env, context, &mut scratch);
    let flags = env.flags();
    flags
        .map(|(flag, key)| {
            let answer = answer(&evaluator.evaluate(flag));
            (key, answer)
        })
        .collect()
}

fn answer(evaluation: &Evaluation<'_>) -> Answer {
    Answer {
        value: evaluation.value_json.to_owned(),
        reason: evaluation.reason.as_str(),
        variant_key: evaluation.variant_key().to_owned(),
    }
}

/// Of a flag that is not there.
fn none() -> Answer {
    answer(&Evaluation::NOT_FOUND)
}
