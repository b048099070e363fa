//! Sizes and counts: an archived flag is in no compiled environment, and still one of the project's flags.

use serde_json::json;

use super::{post, published, with_flag};

/// What the project and its environments count: flags, archived flags, shared bytes, bytes and pattern bytes of states.
type Sums = (i32, i32, i64, i64, i64);

async fn sums(app: &harness::App) -> Sums {
    sqlx::query_as(
        "SELECT projects.flag_count, projects.archived_flag_count, projects.shared_bytes,
                SUM(environments.state_bytes)::bigint, SUM(environments.state_pattern_bytes)::bigint
         FROM projects
         JOIN environments ON environments.project_id = projects.id
         GROUP BY projects.id",
    )
    .fetch_one(app.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn an_archived_flag_takes_no_bytes_and_counts_as_a_flag() {
    let (setup, paths) = with_flag().await;
    let staging = format!("{}/environments/{}", paths.flag, setup.project.staging);
    setup.owner.change(&staging, json!({"enabled": true})).await;
    let before = sums(&setup.app).await;
    assert!(before.2 > 0 && before.3 > 0 && before.4 > 0, "{before:?}");
    for _ in 0..2 {
        published(&post(&setup.owner, &paths.archive).await);
        assert_eq!(sums(&setup.app).await, (1, 1, 0, 0, 0));
        published(&post(&setup.owner, &paths.restore).await);
        assert_eq!(sums(&setup.app).await, before);
    }
    published(&post(&setup.owner, &paths.archive).await);
    setup.owner.remove(&paths.flag).await;
    assert_eq!(sums(&setup.app).await, (0, 0, 0, 0, 0));
}

#[tokio::test]
async fn archived_flags_count_to_the_20000_of_a_project() {
    let (setup, paths) = with_flag().await;
    published(&post(&setup.owner, &paths.archive).await);
    setup
        .app
        .execute("UPDATE projects SET flag_count = 20000", &[])
        .await;
    let another = json!({"key": "g", "name": "G"});
    let refused = setup.owner.post(&paths.flags, another.clone()).await;
    refused.expect_error(400, "a project has at most 20000 flags");
    published(&post(&setup.owner, &paths.restore).await);
    published(&post(&setup.owner, &paths.archive).await);
    setup.owner.remove(&paths.flag).await;
    setup.owner.create(&paths.flags, another).await;
}

#[tokio::test]
async fn a_flag_that_no_longer_fits_is_not_restored() {
    let (setup, paths) = with_flag().await;
    let flag = setup.owner.get(&paths.flag).await.body;
    published(&post(&setup.owner, &paths.archive).await);
    let archived = setup.owner.get(&paths.flag).await.body;
    for (full, words) in [
        (
            "UPDATE environments SET state_bytes = 48 * 1024 * 1024 - 100 WHERE slug = 'dev'",
            "the compiled environment would exceed 48 MiB",
        ),
        (
            "UPDATE environments SET state_bytes = 48 * 1024 * 1024 WHERE slug = 'staging'",
            "the compiled environment would exceed 48 MiB",
        ),
        (
            "UPDATE environments SET state_pattern_bytes = 16 * 1024 * 1024 WHERE slug = 'dev'",
            "the compiled regex patterns of the environment would exceed 16 MiB",
        ),
    ] {
        let before = sums(&setup.app).await;
        setup.app.execute(full, &[]).await;
        let refused = post(&setup.owner, &paths.restore).await;
        refused.expect_error(400, words);
        assert_eq!(setup.owner.get(&paths.flag).await.body, archived);
        let empty = "UPDATE environments SET state_bytes = 0, state_pattern_bytes = 0";
        setup.app.execute(empty, &[]).await;
        assert_eq!(sums(&setup.app).await, before);
    }
    published(&post(&setup.owner, &paths.restore).await);
    assert_eq!(setup.owner.get(&paths.flag).await.body, flag);
}

#[tokio::test]
async fn the_state_of_an_environment_that_is_gone_is_not_restored() {
    let (setup, paths) = with_flag().await;
    published(&post(&setup.owner, &paths.archive).await);
    let dev = format!(
        "/v1/projects/{}/environments/{}",
        setup.project.id, setup.project.dev
    );
    setup.owner.remove(&dev).await;
    published(&post(&setup.owner, &paths.restore).await);
    let (_, archived, _, states, patterns) = sums(&setup.app).await;
    assert_eq!((archived, states, patterns), (0, 0, 0));
}
