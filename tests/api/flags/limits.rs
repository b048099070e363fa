//! Bounds over a whole project, which are kept beside the version and cost no look at the whole.

use std::time::Duration;

use harness::App;
use serde_json::{Value, json};

use super::{collection, create};

/// Refused at the first item too many, while somebody else holds the project's lock: neither the length of a list nor that lock
/// decides when the answer comes.
#[tokio::test]
async fn a_list_of_100000_tags_or_prerequisites_is_refused_before_the_projects_lock() {
    let (app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    create(&owner, &flags, json!({"key": "here", "name": "Here"})).await;
    let mut held = app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM projects FOR UPDATE")
        .execute(&mut *held)
        .await
        .unwrap();

    let texts: Vec<_> = (0..100_000).map(|number| format!("{number:x}")).collect();
    for (field, refusal) in [
        ("tags", "tags must have at most 50 items"),
        ("prerequisites", "prerequisites must have at most 20 items"),
    ] {
        let mut new = json!({"key": "new", "name": "New"});
        new[field] = json!(texts);
        let change = json!({field: texts});
        let path = format!("{flags}/here");
        let answers = async { tokio::join!(owner.post(&flags, new), owner.put(&path, change)) };
        let answers = tokio::time::timeout(Duration::from_secs(20), answers).await;
        let (created, updated) = answers.expect(field);
        created.expect_error(400, refusal);
        updated.expect_error(400, refusal);
    }
    held.rollback().await.unwrap();
}

#[tokio::test]
async fn repeated_tags_count_once() {
    let (_app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    let tags: Vec<_> = (0..100_000)
        .map(|number| (number % 50).to_string())
        .collect();
    let created = create(
        &owner,
        &flags,
        json!({"key": "f", "name": "F", "tags": tags}),
    )
    .await;
    assert_eq!(created["tags"], json!(tags[..50]));
}

/// What the project's row and the environment's row count.
async fn sums(app: &App) -> (i32, i64, i64) {
    sqlx::query_as(
        "SELECT projects.flag_count, projects.shared_bytes, SUM(environments.state_bytes)::bigint
         FROM projects
         JOIN environments ON environments.project_id = projects.id
         GROUP BY projects.id",
    )
    .fetch_one(app.pool())
    .await
    .unwrap()
}

/// The same, added up from the rows.
async fn recounted(app: &App) -> (i32, i64, i64) {
    sqlx::query_as(
        "SELECT (SELECT COUNT(*) FROM flags)::int,
                ((SELECT COALESCE(SUM(compiled_bytes), 0) FROM flags)
                     + (SELECT COALESCE(SUM(compiled_bytes), 0) FROM segments))::bigint,
                (SELECT COALESCE(SUM(compiled_bytes), 0) FROM flag_states)::bigint",
    )
    .fetch_one(app.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn sums_follow_every_change() {
    let (app, owner, project) = App::with_project().await;
    let flags = collection(&owner).await;
    let segments = format!("/v1/projects/{}/segments", project.id);
    let state = |env: &str| format!("{flags}/f/environments/{env}");
    let rule =
        json!({"rules": [{"conditions": [{"attribute": "a", "operator": "eq", "values": ["v"]}]}]});

    create(
        &owner,
        &flags,
        json!({"key": "f", "name": "F", "flag_type": "string"}),
    )
    .await;
    owner
        .create(&segments, json!({"key": "s", "name": "S", "rules": []}))
        .await;
    owner
        .change(&format!("{flags}/f"), json!({"default_value": "longer"}))
        .await;
    owner.change(&state(&project.dev), rule).await;
    owner
        .change(&state(&project.staging), json!({"enabled": true}))
        .await;
    owner
        .change(&state(&project.dev), json!({"rules": []}))
        .await;
    let grown = sums(&app).await;
    assert_eq!(grown, recounted(&app).await);
    assert!(grown.0 == 1 && grown.1 > 0 && grown.2 > 0, "{grown:?}");

    let refused = owner
        .post(&flags, json!({"key": "f", "name": "Taken"}))
        .await;
    refused.expect_status(409);
    assert_eq!(sums(&app).await, grown, "a refusal counts nothing");

    let off = json!({"enabled": false});
    owner.change(&state(&project.staging), off).await;
    owner.remove(&format!("{flags}/f")).await;
    owner.remove(&format!("{segments}/s")).await;
    assert_eq!(sums(&app).await, (0, 0, 0));
}

#[tokio::test]
async fn a_project_has_at_most_20000_flags() {
    let (app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    app.execute("UPDATE projects SET flag_count = 19999", &[])
        .await;
    create(&owner, &flags, json!({"key": "last", "name": "Last"})).await;
    let refused = owner
        .post(&flags, json!({"key": "more", "name": "More"}))
        .await;
    refused.expect_error(400, "a project has at most 20000 flags");
}

#[tokio::test]
async fn a_compiled_environment_has_at_most_48_mib() {
    let (app, owner, project) = App::with_project().await;
    let flags = collection(&owner).await;
    create(
        &owner,
        &flags,
        json!({"key": "f", "name": "F", "flag_type": "string"}),
    )
    .await;
    app.execute(
        "UPDATE environments SET state_bytes = 48 * 1024 * 1024 - 1000 WHERE slug = 'dev'",
        &[],
    )
    .await;

    let too_large = "the compiled environment would exceed 48 MiB";
    let value = |length: usize| json!({"default_value": "v".repeat(length)});
    let (path, state) = (
        format!("{flags}/f"),
        format!("{flags}/f/environments/{}", project.dev),
    );
    let refused = owner.put(&path, value(2_000)).await;
    refused.expect_error(400, too_large);
    let refused = owner.put(&state, value(2_000)).await;
    refused.expect_error(400, too_large);
    let another =
        json!({"key": "g", "name": "G", "flag_type": "string", "default_value": "v".repeat(2_000)});
    let refused = owner.post(&flags, another).await;
    refused.expect_error(400, too_large);
    owner
        .change(
            &format!("{flags}/f/environments/{}", project.staging),
            value(2_000),
        )
        .await;

    // What is too large already can still shrink.
    app.execute(
        "UPDATE environments SET state_bytes = 50 * 1024 * 1024 WHERE slug = 'dev'",
        &[],
    )
    .await;
    owner.delete(&path).await.expect(204, Value::Null);
}

/// What the project's row and all environments count of compiled patterns, and the same added up from the rows.
async fn pattern_sums(app: &App) -> [(i64, i64); 2] {
    let kept = sqlx::query_as(
        "SELECT MAX(shared_pattern_bytes), SUM(state_pattern_bytes)::bigint
         FROM projects
         JOIN environments ON environments.project_id = projects.id",
    );
    let recounted = sqlx::query_as(
        "SELECT (SELECT COALESCE(SUM(pattern_bytes), 0) FROM segments)::bigint,
                (SELECT COALESCE(SUM(pattern_bytes), 0) FROM flag_states)::bigint",
    );
    [
        kept.fetch_one(app.pool()).await.unwrap(),
        recounted.fetch_one(app.pool()).await.unwrap(),
    ]
}

fn regex(patterns: &[&str]) -> Value {
    json!([{"attribute": "a", "operator": "regex", "values": patterns}])
}

#[tokio::test]
async fn sums_of_patterns_follow_every_change() {
    let (app, owner, project) = App::with_project().await;
    let flags = collection(&owner).await;
    let segments = format!("/v1/projects/{}/segments", project.id);
    let state = |env: &str| format!("{flags}/f/environments/{env}");
    let counted = async |expected: (i64, i64)| {
        assert_eq!(pattern_sums(&app).await, [expected; 2]);
    };

    create(&owner, &flags, json!({"key": "f", "name": "F"})).await;
    let segment = json!({"key": "s", "name": "S", "rules": regex(&["a", "b", "a"])});
    owner.create(&segments, segment).await;
    counted((2 * 4_096, 0)).await;
    let rules = json!({"rules": [{"conditions": regex(&["a"])}, {"conditions": regex(&["b"])}]});
    owner.change(&state(&project.dev), rules).await;
    counted((2 * 4_096, 2 * 4_096)).await;
    let toggle = json!({"enabled": true});
    owner.change(&state(&project.dev), toggle).await;
    let body = json!({"source_env_id": project.dev, "target_env_id": project.staging});
    owner.act(&format!("{flags}/f/promote"), body).await;
    counted((2 * 4_096, 4 * 4_096)).await;
    let rules = json!({"rules": regex(&["a"])});
    owner.change(&format!("{segments}/s"), rules).await;
    counted((4_096, 4 * 4_096)).await;
    owner
        .change(&state(&project.dev), json!({"rules": []}))
        .await;
    counted((4_096, 2 * 4_096)).await;
    for env in [&project.dev, &project.staging] {
        owner.change(&state(env), json!({"enabled": false})).await;
    }
    owner.remove(&format!("{flags}/f")).await;
    owner.remove(&format!("{segments}/s")).await;
    counted((0, 0)).await;
}

#[tokio::test]
async fn the_compiled_patterns_of_an_environment_take_at_most_16_mib() {
    let (app, owner, project) = App::with_project().await;
    let flags = collection(&owner).await;
    let segments = format!("/v1/projects/{}/segments", project.id);
    create(&owner, &flags, json!({"key": "f", "name": "F"})).await;
    app.execute(
        "UPDATE environments SET state_pattern_bytes = 16 * 1024 * 1024 - 5000 WHERE slug = 'dev'",
        &[],
    )
    .await;

    let too_large = "the compiled regex patterns of the environment would exceed 16 MiB";
    let state = |env: &str| format!("{flags}/f/environments/{env}");
    let rules = |patterns: &[&str]| json!({"rules": [{"conditions": regex(patterns)}]});
    let segment = |patterns: &[&str]| json!({"key": "s", "name": "S", "rules": regex(patterns)});
    let refused = owner.put(&state(&project.dev), rules(&["a", "b"])).await;
    refused.expect_error(400, too_large);
    // A segment belongs to every environment.
    let refused = owner.post(&segments, segment(&["a", "b"])).await;
    refused.expect_error(400, too_large);
    owner.change(&state(&project.dev), rules(&["a"])).await;
    owner
        .change(&state(&project.staging), rules(&["a", "b"]))
        .await;
    // Nothing else is refused for it.
    owner
        .change(&state(&project.dev), json!({"enabled": true}))
        .await;
    owner
        .create(&segments, json!({"key": "s", "name": "S", "rules": []}))
        .await;

    // What is too large already can still shrink, and change where it does not grow.
    app.execute(
        "UPDATE environments SET state_pattern_bytes = 20 * 1024 * 1024 WHERE slug = 'dev'",
        &[],
    )
    .await;
    owner.change(&state(&project.dev), rules(&["b"])).await;
    owner
        .change(&state(&project.dev), json!({"rules": []}))
        .await;
}
