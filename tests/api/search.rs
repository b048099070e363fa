//! Finding things by their names.

use harness::{App, User};
use serde_json::{Value, json};

async fn search(user: &User, query: &str) -> Value {
    let answer = user.get(&format!("/v1/search?{query}")).await;
    answer.expect_status(200).body.clone()
}

/// Type and key of each result.
fn found(results: &Value) -> Vec<(&str, &str)> {
    let results = results["data"].as_array().unwrap().iter();
    results
        .map(|result| {
            let [kind, key] = ["type", "key"].map(|field| result[field].as_str().unwrap());
            (kind, key)
        })
        .collect()
}

#[tokio::test]
async fn things_of_every_type_are_found_by_key_and_name() {
    let (_app, owner, project) = App::with_project().await;
    let path = |rest: &str| format!("/v1/projects/{}/{rest}", project.id);
    let make = async |path: String, body: Value| {
        let made = owner.post(&path, body).await;
        made.expect_status(201).text("/id")
    };
    let flag = make(
        path("flags"),
        json!({"key": "new-acme-page", "name": "Page"}),
    )
    .await;
    let short = make(path("flags"), json!({"key": "acme", "name": "Short"})).await;
    let segment = json!({"key": "staff", "name": "Staff of ACME", "rules": []});
    let segment = make(path("segments"), segment).await;
    let environment = make(path("environments"), json!({"name": "Acme demo"})).await;
    let other = make("/v1/projects".to_owned(), json!({"name": "Acme shop"})).await;

    let item = |kind: &str, id: &str, key: &str, name: &str, project_id: Value| json!({"type": kind, "id": id, "key": key, "name": name, "project_id": project_id});
    let answer = owner.get("/v1/search?q=aCMe").await;
    answer.expect(
        200,
        json!({
            "data": [
                item("flag", &short, "acme", "Short", json!(project.id)),
                item("flag", &flag, "new-acme-page", "Page", json!(project.id)),
                item("segment", &segment, "staff", "Staff of ACME", json!(project.id)),
                item("environment", &environment, "acme-demo", "Acme demo", json!(project.id)),
                item("project", &other, "acme-shop", "Acme shop", json!(other)),
                item("member", "[uuid]", "owner@acme.test", "Owner", Value::Null),
            ],
            "total": 6,
        }),
    );
    let few = search(&owner, "q=acme&limit=2").await;
    assert_eq!(found(&few), [("flag", "acme"), ("flag", "new-acme-page")]);
    assert_eq!(few["total"], 6);
    let inside = search(&owner, &format!("q=acme&project_id={other}")).await;
    assert_eq!(found(&inside), [("project", "acme-shop")]);
    let none = search(&owner, "q=%25").await;
    assert_eq!(none, json!({"data": [], "total": 0}));
}

#[tokio::test]
async fn all_words_must_occur_in_any_order() {
    let (_app, owner, project) = App::with_project().await;
    let path = format!("/v1/projects/{}/flags", project.id);
    for body in [
        json!({"key": "billing-cached", "name": "Cached bills", "tags": ["team-a"]}),
        json!({"key": "billing-old", "name": "Old", "description": "Not cached"}),
    ] {
        owner.create(&path, body).await;
    }
    for (text, keys) in [
        ("CACHED%20billing", &["billing-cached", "billing-old"][..]),
        ("team%20cached", &["billing-cached"]),
        ("billing%20new", &[]),
    ] {
        let results = search(&owner, &format!("q={text}")).await;
        let found: Vec<_> = found(&results).into_iter().map(|(_, key)| key).collect();
        assert_eq!(found, keys, "{text}");
        assert_eq!(results["total"], keys.len());
    }
}

#[tokio::test]
async fn what_the_role_may_not_read_is_left_out() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    let project = owner.default_project().await;
    let path = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "owner-tools", "name": "Tools"});
    owner.create(&path, flag).await;
    let role = json!({"name": "Reader of flags", "permissions": ["flags.read"]});
    let role = owner.post("/v1/roles", role).await.text("/id");
    let viewer = app.member(&owner, "viewer").await;
    let members = owner.get("/v1/members").await;
    let members = members.body["data"].as_array().unwrap().clone();
    let member = members
        .iter()
        .find(|member| member["email"] == viewer.email);
    let id = member.unwrap()["id"].as_str().unwrap();
    let body = json!({"role": "viewer", "custom_role_id": role});
    let answer = owner.put(&format!("/v1/members/{id}"), body).await;
    answer.expect_status(204);
    let seen = search(&viewer, "q=owner").await;
    assert_eq!(found(&seen), [("flag", "owner-tools")]);
    assert_eq!(seen["total"], 1);
    let all = search(&owner, "q=owner").await;
    assert_eq!(found(&all).len(), 2);
}

#[tokio::test]
async fn another_organization_finds_nothing_of_it() {
    let (app, owner) = App::with_owner().await;
    let stranger = app.signup("globex").await;
    let seen = search(&stranger, "q=acme").await;
    assert_eq!(seen, json!({"data": [], "total": 0}));
    let project = owner.default_project().await.id;
    let answer = stranger
        .get(&format!("/v1/search?q=a&project_id={project}"))
        .await;
    answer.expect_error(404, "project not found");
    let answer = owner.get("/v1/search?q=a&project_id=x").await;
    answer.expect_status(404);
}

#[tokio::test]
async fn a_search_for_nothing_or_for_too_much_is_400() {
    let (_app, owner) = App::with_owner().await;
    for query in ["", "?q=", "?q=%20"] {
        let answer = owner.get(&format!("/v1/search{query}")).await;
        answer.expect_error(400, "q is required");
    }
    for (text, message) in [
        ("x".repeat(201), "q must be at most 200 characters"),
        ("%00".to_owned(), "text must not contain NUL characters"),
    ] {
        let answer = owner.get(&format!("/v1/search?q={text}")).await;
        answer.expect_error(400, message);
    }
}
