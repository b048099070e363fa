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

/// Key, level and name of each flag around one.
fn told(answer: &Value) -> Vec<Value> {
    let flags = answer["flags"].as_array().unwrap().iter();
    flags
        .map(|flag| json!([flag["key"], flag["level"], flag["name"]]))
        .collect()
}

#[tokio::test]
async fn the_flags_around_one_are_told_level_by_level() {
    let (_app, owner, project) = App::with_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    for (key, prerequisites) in [
        ("root", json!([])),
        ("old", json!([])),
        ("left", json!(["root"])),
        ("right", json!(["root", "gone", "old"])),
        ("top", json!(["left", "right"])),
        ("above", json!(["top"])),
        ("beside", json!(["root"])),
    ] {
        let flag = json!({"key": key, "name": key.to_uppercase(), "prerequisites": prerequisites});
        owner.post(&flags, flag).await.expect_status(201);
    }
    owner
        .post(&format!("{flags}/old/archive"), json!({}))
        .await
        .expect_status(204);
    let on = state(&project, "right", &project.dev);
    owner.change(&on, json!({"enabled": true})).await;

    let answer = owner.get(&format!("{flags}/top/relations")).await;
    let body = &answer.expect_status(200).body;
    assert_eq!(
        told(body),
        [
            json!(["top", 0, "TOP"]),
            json!(["left", 1, "LEFT"]),
            json!(["right", 1, "RIGHT"]),
            json!(["root", 2, "ROOT"]),
            json!(["gone", 2, null]),
            json!(["old", 2, "OLD"]),
            json!(["above", -1, "ABOVE"]),
        ]
    );
    assert_eq!(body["truncated"], false);
    assert_eq!(
        body["flags"][2],
        json!({
            "key": "right", "name": "RIGHT", "archived": false, "level": 1,
            "requires": ["root", "gone", "old"], "env_ids": [project.dev],
        })
    );
    assert_eq!(body["flags"][5]["archived"], true);
    let answer = owner.get(&format!("{flags}/root/relations")).await;
    assert_eq!(
        told(&answer.body),
        [
            json!(["root", 0, "ROOT"]),
            json!(["beside", -1, "BESIDE"]),
            json!(["left", -1, "LEFT"]),
            json!(["right", -1, "RIGHT"]),
            json!(["top", -2, "TOP"]),
            json!(["above", -3, "ABOVE"]),
        ]
    );
}

#[tokio::test]
async fn at_most_five_levels_and_sixty_flags_around_one_are_told() {
    let (_app, owner, project) = App::with_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    make(&owner, &flags, json!({"key": "f0", "name": "F"})).await;
    for level in 1..=7 {
        let flag = json!({"key": format!("f{level}"), "name": "F", "prerequisites": [format!("f{}", level - 1)]});
        make(&owner, &flags, flag).await;
    }
    for (key, count) in [("f0", 6), ("f7", 6)] {
        let answer = owner.get(&format!("{flags}/{key}/relations")).await;
        assert_eq!(told(&answer.body).len(), count, "{key}");
        assert_eq!(answer.body["truncated"], true, "{key}");
    }
    for number in 0..61 {
        let flag = json!({"key": format!("w{number}"), "name": "W", "prerequisites": ["f7"]});
        make(&owner, &flags, flag).await;
    }
    let answer = owner.get(&format!("{flags}/f7/relations")).await;
    assert_eq!(told(&answer.body).len(), 1 + 5 + 60);
    assert_eq!(answer.body["truncated"], true);
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
