//! Who needs a flag or a segment.

use harness::user::DefaultProject;
use harness::{App, User};
use serde_json::{Value, json};

async fn make(owner: &User, path: &str, body: Value) {
    owner.create(path, body).await;
}

fn state(project: &DefaultProject, key: &str, env_id: &str) -> String {
    format!(
        "/v1/projects/{}/flags/{key}/environments/{env_id}",
        project.id
    )
}

fn sorted(ids: [&str; 2]) -> [&str; 2] {
    let mut ids = ids;
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn dependants_are_told_with_where_they_are_on() {
    let (_app, owner, project) = App::with_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    make(&owner, &flags, json!({"key": "base", "name": "Base"})).await;
    for key in ["b", "a"] {
        let flag = json!({"key": key, "name": key, "prerequisites": ["base"]});
        make(&owner, &flags, flag).await;
    }
    make(
        &owner,
        &flags,
        json!({"key": "far", "name": "Far", "prerequisites": ["a"]}),
    )
    .await;
    for env_id in [&project.dev, &project.production] {
        let path = state(&project, "a", env_id);
        owner.change(&path, json!({"enabled": true})).await;
    }
    let path = state(&project, "b", &project.dev);
    owner.change(&path, json!({"enabled": false})).await;

    let on = sorted([&project.dev, &project.production]);
    let answer = owner.get(&format!("{flags}/base/dependants")).await;
    answer.expect(
        200,
        json!({"flags": [{"key": "a", "env_ids": on}, {"key": "b", "env_ids": []}], "total": 2}),
    );
    let answer = owner.get(&format!("{flags}/far/dependants")).await;
    answer.expect(200, json!({"flags": [], "total": 0}));
}

#[tokio::test]
async fn the_use_of_a_segment_counts_flags_that_are_off() {
    let (_app, owner, project) = App::with_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let segments = format!("/v1/projects/{}/segments", project.id);
    for key in ["staff", "staff-2"] {
        let segment = json!({"key": key, "name": key, "rules": []});
        make(&owner, &segments, segment).await;
    }
    let names = |keys: &[&str]| json!({"segment_keys": keys, "percentage": 10_000, "value": true});
    for (key, env_id, rules) in [
        (
            "b",
            &project.dev,
            vec![names(&["other"]), names(&["x", "staff"])],
        ),
        ("b", &project.staging, vec![names(&["staff"])]),
        ("a", &project.dev, vec![names(&["staff"])]),
        ("c", &project.dev, vec![names(&["staff-2"])]),
    ] {
        let flag = json!({"key": key, "name": key});
        owner.post(&flags, flag).await;
        let path = state(&project, key, env_id);
        let body = json!({"enabled": false, "rules": rules});
        owner.change(&path, body).await;
    }
    let both = sorted([&project.dev, &project.staging]);
    let answer = owner.get(&format!("{segments}/staff/usage")).await;
    answer.expect(
        200,
        json!({"flags": [{"key": "a", "env_ids": [project.dev]}, {"key": "b", "env_ids": both}], "total": 2}),
    );
}
