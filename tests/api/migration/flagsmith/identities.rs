//! `POST /v1/migration/identities`.

use serde_json::{Value, json};

use super::source::{CREDENTIAL, Dialect, Flagsmith};
use super::{Target, small_project};

fn body(source: &Flagsmith, environment: u64) -> Value {
    json!({"provider": "provider_c", "api_key": CREDENTIAL, "base_url": source.url(), "env_id": environment})
}

#[tokio::test]
async fn identities_are_listed_with_what_they_override() {
    let target = Target::new().await;
    let expected = json!({
        "provider": "provider_c", "env_id": 32, "total": 1,
        "identities": [{"identifier": "alice", "overrides": [
            {"flag_key": "colour", "enabled": true, "value": "green"},
            {"flag_key": "layout", "enabled": true, "value": "older"},
            {"flag_key": "toggle", "enabled": false, "value": null},
        ]}],
    });
    for dialect in [
        Dialect::Current,
        Dialect::Edge { answers: true },
        Dialect::Older,
    ] {
        let source = Flagsmith::start_beside(dialect, small_project(), vec![3]).await;
        let path = "/v1/migration/identities";
        let answer = target.owner.post(path, body(&source, 32)).await;
        answer.expect(200, expected.clone());
    }
}

#[tokio::test]
async fn an_unknown_environment_is_refused() {
    let target = Target::new().await;
    for dialect in [Dialect::Current, Dialect::Older] {
        let source = Flagsmith::start(dialect, small_project()).await;
        let path = "/v1/migration/identities";
        let refused = target.owner.post(path, body(&source, 33)).await;
        refused.expect_error(400, "the source has no environment 33");
    }
}
