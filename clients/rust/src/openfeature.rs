//! A provider for OpenFeature, of the feature `open-feature`.
//!
//! ```no_run
//! # async fn run(client: halyard::Client) {
//! use halyard::openfeature::Provider;
//! use open_feature::{EvaluationContext, OpenFeature};
//!
//! OpenFeature::singleton_mut().await.set_provider(Provider::new(client)).await;
//! let flags = OpenFeature::singleton().await.create_client();
//! let user = EvaluationContext::default().with_targeting_key("user-1");
//! let is_on = flags.get_bool_value("new-checkout", Some(&user), None).await.unwrap_or(false);
//! # }
//! ```
//!
//! The crate has no events: [`Client::subscribe`] tells of changes.

use async_trait::async_trait;
use open_feature::{
    EvaluationContext, EvaluationContextFieldValue, EvaluationError, EvaluationErrorCode,
    EvaluationReason, EvaluationResult, FlagMetadata, StructValue, Value,
    provider::{FeatureProvider, ProviderMetadata, ProviderStatus, ResolutionDetails},
};
use time::format_description::well_known::Rfc3339;

use crate::{Client, Context, Detail, ErrorKind, Reason, State};

/// Answers from a [`Client`].
#[derive(Debug)]
pub struct Provider {
    client: Client,
    metadata: ProviderMetadata,
}

impl Provider {
    /// A provider that answers from this client.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self {
            client,
            metadata: ProviderMetadata::new("halyard"),
        }
    }

    /// The client.
    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.client
    }
}

#[async_trait]
impl FeatureProvider for Provider {
    fn status(&self) -> ProviderStatus {
        let status = self.client.status();
        match status.state {
            State::Ready => ProviderStatus::Ready,
            State::Stale { .. } => ProviderStatus::STALE,
            State::NotReady => ProviderStatus::NotReady,
            State::Refused if status.version.is_some() => ProviderStatus::STALE,
            State::Refused => ProviderStatus::Error,
        }
    }

    fn metadata(&self) -> &ProviderMetadata {
        &self.metadata
    }

    async fn resolve_bool_value(
        &self,
        flag_key: &str,
        evaluation_context: &EvaluationContext,
    ) -> EvaluationResult<ResolutionDetails<bool>> {
        let context = context(evaluation_context)?;
        resolved(self.client.bool_detail(flag_key, &context, false), Ok)
    }

    async fn resolve_int_value(
        &self,
        flag_key: &str,
        evaluation_context: &EvaluationContext,
    ) -> EvaluationResult<ResolutionDetails<i64>> {
        let context = context(evaluation_context)?;
        resolved(self.client.int_detail(flag_key, &context, 0), Ok)
    }

    async fn resolve_float_value(
        &self,
        flag_key: &str,
        evaluation_context: &EvaluationContext,
    ) -> EvaluationResult<ResolutionDetails<f64>> {
        let context = context(evaluation_context)?;
        resolved(self.client.number_detail(flag_key, &context, 0.0), Ok)
    }

    async fn resolve_string_value(
        &self,
        flag_key: &str,
        evaluation_context: &EvaluationContext,
    ) -> EvaluationResult<ResolutionDetails<String>> {
        let context = context(evaluation_context)?;
        let detail = self.client.string_detail(flag_key, &context, "");
        resolved(detail, |text| Ok((*text).to_owned()))
    }

    async fn resolve_struct_value(
        &self,
        flag_key: &str,
        evaluation_context: &EvaluationContext,
    ) -> EvaluationResult<ResolutionDetails<StructValue>> {
        let context = context(evaluation_context)?;
        let default = serde_json::Value::Null;
        let detail = self.client.json_detail(flag_key, &context, default);
        resolved(detail, |value| match structure(&value) {
            Value::Struct(value) => Ok(value),
            _ => Err(error(ErrorKind::TypeMismatch)),
        })
    }
}

/// Fields of Rust's own types cannot be read, so they are told instead of being left out.
fn context(given: &EvaluationContext) -> EvaluationResult<Context> {
    let refused = |code, message: String| EvaluationError {
        code,
        message: Some(message),
    };
    let key = given.targeting_key.as_deref().ok_or_else(|| {
        let message = "a targeting key is required".to_owned();
        refused(EvaluationErrorCode::TargetingKeyMissing, message)
    })?;
    let invalid = |name: &str| {
        let message = format!("the attribute {name:?} is of a type that flags do not know");
        refused(EvaluationErrorCode::InvalidContext, message)
    };
    let mut context = Context::builder(key);
    for (name, value) in &given.custom_fields {
        context = match value {
            EvaluationContextFieldValue::Bool(value) => context.with(name, *value),
            EvaluationContextFieldValue::Int(value) => context.with(name, *value),
            EvaluationContextFieldValue::Float(value) => context.with(name, *value),
            EvaluationContextFieldValue::String(value) => context.with(name, &**value),
            EvaluationContextFieldValue::DateTime(value) => {
                context.with(name, value.format(&Rfc3339).map_err(|_| invalid(name))?)
            }
            EvaluationContextFieldValue::Struct(value) => {
                let json = value.downcast_ref::<serde_json::Value>();
                context.with(name, json.ok_or_else(|| invalid(name))?.clone())
            }
        };
    }
    Ok(context.build())
}

fn resolved<T, U>(
    detail: Detail<T>,
    convert: impl FnOnce(T) -> EvaluationResult<U>,
) -> EvaluationResult<ResolutionDetails<U>> {
    if let Some(kind) = detail.error {
        return Err(error(kind));
    }
    let (reason, own) = reason(detail.reason);
    let mut metadata = FlagMetadata::default();
    if let Some(version) = detail
        .version
        .and_then(|version| i64::try_from(version).ok())
    {
        metadata.add_value("version", version);
    }
    if let Some(own) = own {
        metadata.add_value("reason", own.as_str());
    }
    Ok(ResolutionDetails {
        value: convert(detail.value)?,
        variant: detail.variant,
        reason: Some(reason),
        flag_metadata: Some(metadata),
    })
}

fn error(kind: ErrorKind) -> EvaluationError {
    let code = match kind {
        ErrorKind::ProviderNotReady => EvaluationErrorCode::ProviderNotReady,
        ErrorKind::FlagNotFound => EvaluationErrorCode::FlagNotFound,
        ErrorKind::TypeMismatch => EvaluationErrorCode::TypeMismatch,
        ErrorKind::General => EvaluationErrorCode::General(kind.as_str().to_owned()),
    };
    EvaluationError {
        code,
        message: None,
    }
}

/// The reason of the protocol, and ours where that is less specific; as edges answer by OFREP.
fn reason(reason: Reason) -> (EvaluationReason, Option<Reason>) {
    match reason {
        Reason::Targeted => (EvaluationReason::TargetingMatch, None),
        Reason::Rollout | Reason::Variant => (EvaluationReason::Split, None),
        Reason::Disabled => (EvaluationReason::Disabled, None),
        Reason::Fallthrough => (EvaluationReason::Default, None),
        Reason::PrerequisiteFailed | Reason::MutuallyExcluded => {
            (EvaluationReason::Default, Some(reason))
        }
        Reason::NotFound | Reason::Error => (EvaluationReason::Error, None),
    }
}

/// JSON without its nulls, which the crate has no value for.
fn structure(value: &serde_json::Value) -> Value {
    match value {
        // Not one that is asked for: members and elements are filtered.
        serde_json::Value::Null => Value::String(String::new()),
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => Value::Int(number),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::String(text.clone()),
        serde_json::Value::Array(all) => {
            let all = all.iter().filter(|element| !element.is_null());
            Value::Array(all.map(structure).collect())
        }
        serde_json::Value::Object(members) => {
            let mut result = StructValue::default();
            let members = members.iter().filter(|(_, member)| !member.is_null());
            members.for_each(|(name, member)| result.add_field(name, structure(member)));
            Value::Struct(result)
        }
    }
}
