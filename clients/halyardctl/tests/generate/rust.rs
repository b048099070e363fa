//! Generated Rust is compiled with the SDK, and gives the defaults of the manifest where nothing can be evaluated.

use std::fs;

use open_feature::{
    EvaluationContext, EvaluationError, EvaluationErrorCode, EvaluationResult, OpenFeature,
    StructValue, Value, async_trait,
    provider::{FeatureProvider, ProviderMetadata, ResolutionDetails},
};
use serde_json::json;

#[expect(
    dead_code,
    unreachable_pub,
    reason = "it is made for the library of somebody else"
)]
#[path = "../generated/flags.rs"]
mod flags;

/// A provider that has no flag.
struct Empty(ProviderMetadata);

fn not_found<T>() -> EvaluationResult<ResolutionDetails<T>> {
    Err(EvaluationError {
        code: EvaluationErrorCode::FlagNotFound,
        message: None,
    })
}

#[async_trait]
impl FeatureProvider for Empty {
    fn metadata(&self) -> &ProviderMetadata {
        &self.0
    }

    async fn resolve_bool_value(
        &self,
        _: &str,
        _: &EvaluationContext,
    ) -> EvaluationResult<ResolutionDetails<bool>> {
        not_found()
    }

    async fn resolve_int_value(
        &self,
        _: &str,
        _: &EvaluationContext,
    ) -> EvaluationResult<ResolutionDetails<i64>> {
        not_found()
    }

    async fn resolve_float_value(
        &self,
        _: &str,
        _: &EvaluationContext,
    ) -> EvaluationResult<ResolutionDetails<f64>> {
        not_found()
    }

    async fn resolve_string_value(
        &self,
        _: &str,
        _: &EvaluationContext,
    ) -> EvaluationResult<ResolutionDetails<String>> {
        not_found()
    }

    async fn resolve_struct_value(
        &self,
        _: &str,
        _: &EvaluationContext,
    ) -> EvaluationResult<ResolutionDetails<StructValue>> {
        not_found()
    }
}

/// A value as JSON has it.
fn as_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Bool(is) => json!(is),
        Value::Int(number) => json!(number),
        Value::Float(number) => json!(number),
        Value::String(text) => json!(text),
        Value::Array(list) => list.iter().map(as_json).collect(),
        Value::Struct(of) => {
            let fields = of.fields.iter();
            fields
                .map(|(name, value)| (name.clone(), as_json(value)))
                .collect()
        }
    }
}

#[tokio::test]
async fn defaults_are_those_of_the_manifest() {
    let mut api = OpenFeature::default();
    let empty = Empty(ProviderMetadata::new("empty"));
    api.set_provider(empty).await;
    let client = flags::GeneratedClient::new(api.create_client());
    let text = fs::read_to_string(super::generated().join("flags.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let default = |key: &str| manifest["flags"][key]["defaultValue"].clone();

    assert_eq!(
        json!(client.new_checkout(None).await),
        default("new-checkout")
    );
    assert_eq!(json!(client.match_(None).await), default("match"));
    assert_eq!(
        json!(client.username_max_length(None).await),
        default("usernameMaxLength")
    );
    assert!((client.discount_percentage(None).await - 15.0).abs() < f64::EPSILON);
    let evil = "a*/b\"\"\"c\u{2028}d\nprocess.exit()`${x}`";
    assert_eq!(
        json!(client.a_b_c_u_2028_d_process_exit_x(None).await),
        default(evil)
    );
    for (key, value) in [
        ("themeCustomization", client.theme_customization(None).await),
        ("evil-object", client.evil_object(None).await),
        ("emptyObject", client.empty_object(None).await),
    ] {
        assert_eq!(as_json(&Value::Struct(value)), default(key));
    }
    let failed = client.new_checkout_details(None).await.unwrap_err();
    assert_eq!(failed.code, EvaluationErrorCode::FlagNotFound);
}
