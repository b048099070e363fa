//! What the API document says of the evaluation paths. Bodies are read and written piece by piece here, so their schemas are types
//! of their own, which are never made.
#![expect(dead_code, reason = "these types are described, never made")]

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use serving::document::{
    self, DEPRECATION, ETAG, RATE, SNAPSHOT_VERSION, WARNINGS, answers, carries, operations,
    refuses,
};
use utoipa::{
    IntoParams, ToSchema,
    openapi::{
        OpenApi, RefOr,
        path::{Operation, ParameterIn},
    },
};

/// Who is asking.
#[derive(ToSchema)]
pub(super) struct EvaluationContext {
    /// Decides the buckets: the id of the user, or of whatever flags are evaluated for.
    key: String,
    /// What conditions look at.
    attributes: Option<BTreeMap<String, Value>>,
}

/// A flag to evaluate, and for whom.
#[derive(ToSchema)]
pub(super) struct EvaluateRequest {
    flag_key: String,
    context: EvaluationContext,
}

/// Flags to evaluate, and for whom.
#[derive(ToSchema)]
pub(super) struct EvaluateManyRequest {
    /// At most 100.
    flag_keys: Vec<String>,
    context: EvaluationContext,
}

/// A context, or its fields themselves.
#[derive(ToSchema)]
pub(super) struct ClientRequest {
    context: Option<ClientContext>,
    /// Where there is no `context`.
    key: Option<String>,
    /// Where there is no `context`.
    attributes: Option<BTreeMap<String, Value>>,
}

/// Who is asking; anonymous without a key.
#[derive(ToSchema)]
pub(super) struct ClientContext {
    key: Option<String>,
    /// What conditions look at.
    attributes: Option<BTreeMap<String, Value>>,
}

/// Which variant of a flag was shown to whom.
#[derive(ToSchema)]
pub(super) struct TrackRequest {
    /// At most 512 characters.
    flag_key: String,
    /// At most 512 characters.
    variant_key: Option<String>,
    /// At most 512 characters.
    user_key: Option<String>,
}

/// Which defaults a service would use without answers.
#[derive(ToSchema)]
pub(super) struct TellDefaultsRequest {
    /// What the service calls itself; at most 64 characters.
    service: Option<String>,
    /// At most 1,000.
    defaults: Vec<TellDefault>,
}

/// The default of one flag, in the code of a service.
#[derive(ToSchema)]
pub(super) struct TellDefault {
    flag_key: String,
    /// Any JSON; `null` if missing.
    default: Option<Value>,
    /// Answers that it was told with, since the last time; 0 if missing.
    answers: Option<u64>,
    /// How many of these had another value; 0 if missing.
    differing: Option<u64>,
}

/// Why a value is served.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum EvaluationReason {
    /// A rule matched.
    Targeted,
    /// The percentage of the environment admitted the context.
    Rollout,
    /// A variant was drawn.
    Variant,
    /// No rule matched.
    Fallthrough,
    /// The flag is off.
    Disabled,
    /// A flag that it requires is not on.
    PrerequisiteFailed,
    /// Another flag of its group won.
    MutuallyExcluded,
    /// There is no such flag.
    NotFound,
    /// The flag cannot be evaluated.
    Error,
}

/// The value of a flag.
#[derive(ToSchema)]
pub(super) struct Evaluated {
    flag_key: String,
    /// Of the flag's type; `null` where there is no such flag.
    #[schema(required)]
    value: Option<Value>,
    reason: EvaluationReason,
    /// The variant that was drawn; empty where none was.
    variant_key: String,
}

/// The value of one of many flags.
#[derive(ToSchema)]
pub(super) struct EvaluatedFlag {
    flag_key: String,
    /// Of the flag's type; `null` where there is no such flag.
    #[schema(required)]
    value: Option<Value>,
    reason: EvaluationReason,
}

/// Who is asking, in the protocol's form: `targetingKey`, and the attributes beside it.
#[derive(ToSchema)]
pub(super) struct OfrepRequest {
    context: OfrepContext,
}

/// Who is asking.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OfrepContext {
    /// Decides the buckets: the id of the user, or of whatever flags are evaluated for.
    targeting_key: String,
    /// What conditions look at.
    #[serde(flatten)]
    attributes: BTreeMap<String, Value>,
}

/// The value of a flag.
#[derive(Serialize, ToSchema)]
pub(super) struct OfrepEvaluation {
    key: String,
    /// Of the flag's type.
    #[schema(required)]
    value: Option<Value>,
    /// `TARGETING_MATCH`, `SPLIT`, `DISABLED` or `DEFAULT`.
    reason: String,
    variant: String,
    /// Says more where the reason is less specific than Halyard's own.
    #[schema(value_type = BTreeMap<String, Value>, required = false)]
    metadata: Option<BTreeMap<String, Value>>,
}

/// Why there is no evaluation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfrepFailure {
    /// The flag; absent where it is about all.
    #[schema(value_type = String, required = false)]
    key: Option<String>,
    /// `PARSE_ERROR`, `INVALID_CONTEXT`, `TARGETING_KEY_MISSING`, `FLAG_NOT_FOUND` or `GENERAL`.
    error_code: String,
    error_details: String,
}

/// The value of a flag, or why there is none.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum OfrepFlag {
    Evaluated(OfrepEvaluation),
    Failed(OfrepFailure),
}

/// All flags.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OfrepEvaluations {
    flags: Vec<OfrepFlag>,
    metadata: OfrepMetadata,
    /// Where changes are told. Absent while the edge knows no address of its own.
    #[schema(value_type = Vec<OfrepEventStream>, required = false)]
    event_streams: Option<Vec<OfrepEventStream>>,
}

/// What is served.
#[derive(ToSchema)]
struct OfrepMetadata {
    /// The version.
    version: i64,
}

/// A stream of events.
#[derive(ToSchema)]
struct OfrepEventStream {
    /// `sse`.
    r#type: String,
    /// With a credential in it, so it is a secret.
    url: String,
}

/// The user, for those who send no context.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct User {
    /// The context key; anonymous when absent.
    key: Option<String>,
}

/// The deprecated way to send a key, where clients cannot send headers.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct KeyInQuery {
    /// The API key, where no header can be sent. Read only without `X-API-Key`.
    #[deprecated]
    api_key: Option<String>,
}

/// What the client has already.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(super) struct IfNoneMatch {
    /// The `ETag` of the answer that the client has, or several with commas between.
    #[param(rename = "If-None-Match", value_type = String, required = false)]
    if_none_match: Option<String>,
}

/// What the client has seen already.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(super) struct LastEventId {
    /// The `id` of the last event that the client has seen.
    #[param(rename = "Last-Event-ID", value_type = String, required = false)]
    last_event_id: Option<String>,
}

/// What an SDK reads.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SdkFormat {
    /// The format in which changes are told. There is one: 1.
    #[param(value_type = Option<String>)]
    format: Option<String>,
}

/// A message of format 1 in a frame: the length of what follows (4 bytes, little-endian), a byte that is 1 if zstd compresses it, and
/// the message. Halyard's SDKs read and write it.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
pub(super) struct SdkFrame(Vec<u8>);

/// The API document of the evaluation paths.
#[must_use]
pub fn document() -> OpenApi {
    let mut document = super::native().into_openapi();
    document.merge(super::ofrep::router().into_openapi());
    for (path, item) in &mut document.paths.paths {
        for operation in operations(item) {
            complete(path, operation);
        }
    }
    document
}

/// Adds what every operation of these paths has: refusals with their body, and headers.
fn complete(path: &str, operation: &mut Operation) {
    refuses(operation, 401, "no valid key");
    if path.contains("{envKey}") {
        refuses(operation, 403, "the key is another environment's");
    }
    if operation.request_body.is_some() {
        document::reads_body(operation);
    }
    if path.starts_with("/v1/sdk/") {
        refuses(operation, 403, "the key is not that of a server");
        if let Some(RefOr::T(refusal)) = operation.responses.responses.get_mut("415") {
            "the body is not in a format that is read here".clone_into(&mut refusal.description);
        }
    }
    let mut takes_query = operation.parameters.iter().flatten();
    let takes_query = takes_query.any(|one| match one {
        RefOr::T(one) => one.parameter_in != ParameterIn::Header,
        RefOr::Ref(_) => true,
    });
    if takes_query && operation.request_body.is_none() && !path.starts_with("/ofrep/") {
        refuses(operation, 400, "a parameter breaks a rule");
    }
    refuses(
        operation,
        429,
        "too many requests with this key, or too many open streams",
    );
    refuses(
        operation,
        503,
        "the key's environment is not there yet, or too much is evaluated now",
    );
    document::refuses_in_words(operation);
    document::carries_by_status(operation);
    let is_of_sdks = path.starts_with("/v1/sdk/");
    let takes_body = operation.request_body.is_some();
    let may_be_deprecated = path.starts_with("/v1/") && !takes_body && !is_of_sdks;
    let warns = takes_body && !path.ends_with("/track") && !is_of_sdks;
    let is_tagged = operation.responses.responses.contains_key("304");
    for (status, response) in answers(operation) {
        // Without a valid key it is not known what is served.
        if status != "401" {
            carries(response, &[SNAPSHOT_VERSION]);
            carries(response, &RATE);
        }
        if warns && status.starts_with('2') {
            carries(response, &[WARNINGS]);
        }
        if is_tagged && (status == "200" || status == "304") {
            carries(response, &[ETAG]);
        }
        if may_be_deprecated {
            carries(response, &[DEPRECATION]);
        }
    }
}
