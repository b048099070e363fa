//! What SDKs see of an approval.

use serde_json::{Value, json};

use super::{Setup, approve, reject};

#[tokio::test]
async fn an_approval_is_answered_when_it_is_served() {
    let setup = Setup::new().await;
    let sdk = setup
        .app
        .anonymous()
        .with_key(&setup.owner.api_key(&setup.project.dev).await);
    let evaluation = json!({"flag_key": "f", "context": {"key": "ada"}});
    let evaluated = |value: bool, reason: &str| json!({"flag_key": "f", "value": value, "reason": reason, "variant_key": ""});

    let approval = setup.ask("enable", Value::Null).await;
    sdk.post("/v1/evaluate", evaluation.clone())
        .await
        .expect(200, evaluated(false, "DISABLED"));

    let applied = approve(&setup.owner, &approval).await;
    let version: u64 = applied.header("x-snapshot-version").parse().unwrap();
    assert!(version > 0);
    sdk.post("/v1/evaluate", evaluation)
        .await
        .expect(200, evaluated(true, "FALLTHROUGH"));
}

#[tokio::test]
async fn streams_of_the_environment_are_told_of_an_approval_alone() {
    let setup = Setup::new().await;
    let sdk = setup
        .app
        .anonymous()
        .with_key(&setup.owner.api_key(&setup.project.dev).await);
    let rejected = setup.ask("enable", Value::Null).await;
    let nothing = setup.ask("archive", Value::Null).await;
    let applied = setup.ask("enable", Value::Null).await;
    let mut stream = sdk.stream("/v1/stream/dev").await;
    stream.next_named("connected").await;

    reject(&setup.owner, &rejected).await.expect_status(200);
    approve(&setup.owner, &nothing).await.expect_status(200);
    let applied = approve(&setup.owner, &applied).await;
    let told = stream.next().await.unwrap();
    assert_eq!(told.name, "flag-update");
    assert_eq!(
        told.data,
        json!({"type": "flag_update", "flag_id": setup.flag_id, "env_id": setup.project.dev, "action": "upsert"})
    );
    // What was rejected and what changes nothing came before, and told nobody.
    assert_eq!(
        told.id.as_deref(),
        Some(applied.header("x-snapshot-version"))
    );
}
