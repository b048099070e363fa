//! Edges as members see them: how changes reach them, how far they are behind, and who may enroll and revoke them.

mod enrolment;
mod lag;
mod waves;

use harness::user::DefaultProject;
use harness::{Response, User};
use serde_json::{Value, json};

/// Makes a flag, and switches it on in `dev`.
async fn flag(owner: &User, project: &DefaultProject, key: &str) {
    let path = format!("/v1/projects/{}/flags", project.id);
    owner
        .create(
            &path,
            json!({"key": key, "name": key, "flag_type": "boolean"}),
        )
        .await;
    switch(owner, project, key, true).await;
}

async fn switch(owner: &User, project: &DefaultProject, key: &str, is_on: bool) -> Response {
    let path = format!(
        "/v1/projects/{}/flags/{key}/environments/{}?wait=edges",
        project.id, project.dev
    );
    owner.change(&path, json!({"enabled": is_on})).await
}

async fn waves(owner: &User, query: &str) -> Vec<Value> {
    let answer = owner.get(&format!("/v1/edges/waves{query}")).await;
    answer.expect_status(200);
    let data = answer.body["data"].as_array().unwrap().clone();
    assert_eq!(answer.body["total"], data.len());
    data
}
