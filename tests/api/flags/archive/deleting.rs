//! Deleting flags: for good once they are archived, and never while they are on.

use serde_json::json;

use super::{post, published, with_flag};

#[tokio::test]
async fn a_flag_that_is_on_is_not_deleted() {
    let (setup, paths) = with_flag().await;
    let owner = &setup.owner;
    let state = |env: &str| format!("{}/environments/{env}", paths.flag);
    let production = state(&setup.project.production);
    owner.change(&production, json!({"enabled": true})).await;
    owner
        .change(&state(&setup.project.staging), json!({"enabled": false}))
        .await;
    let refused = owner.delete(&paths.flag).await;
    refused.expect_error(
        409,
        "flag is switched on in dev, production: archive it, which can be undone, or switch it off there first",
    );
    owner.change(&paths.dev, json!({"enabled": false})).await;
    let refused = owner.delete(&paths.flag).await;
    refused.expect_error(
        409,
        "flag is switched on in production: archive it, which can be undone, or switch it off there first",
    );
    owner.change(&production, json!({"enabled": false})).await;
    owner.remove(&paths.flag).await;
    owner
        .get(&paths.flag)
        .await
        .expect_error(404, "flag not found");
}

#[tokio::test]
async fn ten_environments_are_named_and_the_others_counted() {
    let (setup, paths) = with_flag().await;
    let environments = format!("/v1/projects/{}/environments", setup.project.id);
    for number in 1..=11 {
        let body = json!({"name": format!("E{number}"), "slug": format!("e{number}")});
        let env_id = setup.owner.create(&environments, body).await.text("/id");
        let state = format!("{}/environments/{env_id}", paths.flag);
        setup.owner.change(&state, json!({"enabled": true})).await;
    }
    setup.owner.delete(&paths.flag).await.expect_error(
        409,
        "flag is switched on in dev, e1, e2, e3, e4, e5, e6, e7, e8, e9 and 2 more: archive it, which can be undone, or switch it \
         off there first",
    );
}

#[tokio::test]
async fn an_environment_that_is_gone_keeps_no_flag() {
    let (setup, paths) = with_flag().await;
    let dev = &setup.project.dev;
    let environments = format!("/v1/projects/{}/environments", setup.project.id);
    setup.owner.remove(&format!("{environments}/{dev}")).await;
    setup.owner.remove(&paths.flag).await;
}

#[tokio::test]
async fn an_archived_flag_is_deleted_for_good_whatever_its_states_are() {
    let (setup, paths) = with_flag().await;
    published(&post(&setup.owner, &paths.archive).await);
    published(&setup.owner.delete(&paths.flag).await);
    let unknown = post(&setup.owner, &paths.restore).await;
    unknown.expect_error(404, "flag not found");
    let archived = format!("{}?archived=true", paths.flags);
    assert_eq!(setup.owner.get(&archived).await.body["total"], 0);
    let states = "SELECT COUNT(*) FROM flag_states";
    assert_eq!(setup.app.value::<i64>(states, &[]).await, 0);
    let counts: i32 = setup
        .app
        .value("SELECT flag_count + archived_flag_count FROM projects", &[])
        .await;
    assert_eq!(counts, 0);

    let again = json!({"key": "f", "name": "F"});
    setup.owner.create(&paths.flags, again).await;
    let never = setup.owner.get(&paths.dev).await;
    never.expect(200, json!({"enabled": false}));
}
