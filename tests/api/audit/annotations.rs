//! The audit trail as Grafana reads it.

use harness::{App, Setup};
use serde_json::json;

use super::column;

const PATH: &str = "/v1/audit/annotations";

#[tokio::test]
async fn grafana_reads_changes_of_its_period_by_the_token_of_a_service_account() {
    let setup = Setup::new().await;
    let (app, owner) = (&setup.app, &setup.owner);
    let flag = format!("{}/f", setup.flags());
    owner
        .create(&setup.flags(), json!({"key": "f", "name": "F"}))
        .await;
    let at = column(owner, "limit=1", "created_at").await.remove(0);
    let state = format!(
        "{flag}/environments/{}?comment=Sale%20starts",
        setup.project.dev
    );
    owner.put(&state, json!({"enabled": true})).await;

    let account = json!({"name": "grafana", "role": "viewer"});
    let account = owner.create("/v1/service-accounts", account).await;
    let tokens = format!("/v1/service-accounts/{}/tokens", account.text("/id"));
    let token = json!({"name": "charts", "read_only": true});
    let token = owner.create(&tokens, token).await.text("/token");
    let grafana = app.anonymous().with_token(&token);
    grafana
        .get(&format!("{PATH}?resource_type=flag&from={}", at.as_str().unwrap()))
        .await
        .expect(
            200,
            json!({"data": [
                {"id": "[uuid]", "time": "[time]", "title": "flag.state_updated", "text": "f, by Owner: Sale starts", "tags": "flag,user"},
                {"id": "[uuid]", "time": at, "title": "flag.created", "text": "f, by Owner", "tags": "flag,user"},
            ]}),
        );
    let nothing = json!({"data": []});
    for query in ["to=2020-01-01T00:00:00.000Z", "project_id=nonsense"] {
        let answer = grafana.get(&format!("{PATH}?{query}")).await;
        answer.expect(200, nothing.clone());
    }
    grafana
        .get(&format!("{PATH}?from=1594671549254"))
        .await
        .expect_error(400, "from must be an RFC 3339 date-time");
}

#[tokio::test]
async fn a_chart_gets_the_newest_100_changes() {
    let (_app, owner) = App::with_owner().await;
    for n in 0..101 {
        let project = json!({"name": format!("P{n}")});
        owner.create("/v1/projects", project).await;
    }
    let answer = owner.get(&format!("{PATH}?action=project.created")).await;
    let marks = answer.expect_status(200).body["data"].as_array().unwrap();
    assert_eq!(marks.len(), 100);
    assert!(marks[0]["text"].as_str().unwrap().starts_with("p100, by "));
}
