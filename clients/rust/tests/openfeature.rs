//! The provider for OpenFeature, asked as an application asks it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod sample;

use halyard::{
    Client,
    openfeature::Provider,
    snapshot::{FlagType, Variant},
};
use open_feature::{
    EvaluationContext, EvaluationContextFieldValue, EvaluationErrorCode, EvaluationReason,
    FlagMetadataValue, OpenFeature, Value,
    provider::{FeatureProvider, ProviderStatus},
};

use self::sample::{environment, flag, with_rule};

fn provider() -> Provider {
    let mut split = flag("split", r#""none""#);
    split.flag_type = FlagType::Ab;
    split.state.as_mut().unwrap().variants = vec![Variant {
        key: "blue".to_owned(),
        value: r#""0000ff""#.to_owned(),
        weight: 10_000,
    }];
    let mut needs = flag("needs", "true");
    needs.prerequisites = vec!["absent".to_owned()];
    let flags = vec![
        split,
        needs,
        with_rule("bool"),
        flag("int", "3"),
        flag("float", "2.5"),
        flag("text", r#""hello""#),
        flag("json", r#"{"a":[1,null],"b":null,"c":{"d":"e"}}"#),
        flag("list", "[1]"),
    ];
    Provider::new(Client::from_snapshot(environment(5, flags)).unwrap())
}

fn user() -> EvaluationContext {
    EvaluationContext::default()
        .with_targeting_key("user-1")
        .with_custom_field("plan", "pro")
}

#[tokio::test]
async fn every_type_is_resolved() {
    let (provider, user) = (provider(), user());
    let answer = provider.resolve_bool_value("bool", &user).await.unwrap();
    assert!(answer.value);
    assert_eq!(answer.reason, Some(EvaluationReason::TargetingMatch));
    assert_eq!(
        answer.flag_metadata.unwrap().values["version"],
        FlagMetadataValue::Int(5)
    );
    assert_eq!(
        provider
            .resolve_int_value("int", &user)
            .await
            .unwrap()
            .value,
        3
    );
    assert_eq!(
        provider
            .resolve_float_value("float", &user)
            .await
            .unwrap()
            .value,
        2.5
    );
    let text = provider.resolve_string_value("text", &user).await.unwrap();
    assert_eq!(
        (&*text.value, text.reason),
        ("hello", Some(EvaluationReason::Default))
    );
    let split = provider.resolve_string_value("split", &user).await.unwrap();
    assert_eq!(
        (&*split.value, split.variant.as_deref()),
        ("0000ff", Some("blue"))
    );
    assert_eq!(split.reason, Some(EvaluationReason::Split));
    let json = provider
        .resolve_struct_value("json", &user)
        .await
        .unwrap()
        .value;
    assert_eq!(json.fields["a"], Value::Array(vec![Value::Int(1)]));
    assert!(!json.fields.contains_key("b"));
    let needs = provider.resolve_bool_value("needs", &user).await.unwrap();
    let own = FlagMetadataValue::String("PREREQUISITE_FAILED".to_owned());
    assert_eq!(needs.flag_metadata.unwrap().values["reason"], own);
}

#[tokio::test]
async fn errors_have_their_codes() {
    let (provider, user) = (provider(), user());
    let code = provider
        .resolve_bool_value("text", &user)
        .await
        .unwrap_err()
        .code;
    assert_eq!(code, EvaluationErrorCode::TypeMismatch);
    let code = provider
        .resolve_struct_value("list", &user)
        .await
        .unwrap_err()
        .code;
    assert_eq!(code, EvaluationErrorCode::TypeMismatch);
    let code = provider
        .resolve_int_value("absent", &user)
        .await
        .unwrap_err()
        .code;
    assert_eq!(code, EvaluationErrorCode::FlagNotFound);
    let nobody = EvaluationContext::default();
    let code = provider
        .resolve_bool_value("bool", &nobody)
        .await
        .unwrap_err()
        .code;
    assert_eq!(code, EvaluationErrorCode::TargetingKeyMissing);
    let odd = user.with_custom_field("odd", EvaluationContextFieldValue::new_struct(7_u8));
    let refused = provider.resolve_bool_value("bool", &odd).await.unwrap_err();
    assert_eq!(refused.code, EvaluationErrorCode::InvalidContext);

    let waiting = Client::builder("srv_1", "http://127.0.0.1:9")
        .start_without_waiting()
        .unwrap();
    let waiting = Provider::new(waiting);
    assert_eq!(waiting.status(), ProviderStatus::NotReady);
    let code = waiting
        .resolve_bool_value("bool", &self::user())
        .await
        .unwrap_err()
        .code;
    assert_eq!(code, EvaluationErrorCode::ProviderNotReady);
}

#[tokio::test]
async fn an_application_asks_by_open_feature() {
    let mut api = OpenFeature::default();
    api.set_provider(provider()).await;
    let client = api.create_client();
    assert_eq!(
        client.get_bool_value("bool", Some(&user()), None).await,
        Ok(true)
    );
    assert_eq!(
        client.get_int_value("int", Some(&user()), None).await,
        Ok(3)
    );
}
