//! How long history is kept, and what it begins with.

use std::time::Duration;

use control_plane::flags::history;
use harness::User;
use serde_json::{Value, json};

use super::{Scene, told};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[tokio::test]
async fn history_outlives_the_flag() {
    let scene = Scene::set().await;
    let state = scene.put(json!({"enabled": true})).await;
    let flag = scene.owner.get(&scene.flag).await.body;
    scene.owner.delete(&scene.flag).await.expect_status(204);
    assert_eq!(
        scene.told("").await,
        [
            told(3, "flag.deleted", json!([])),
            told(2, "flag.state_updated", json!(["enabled"])),
            told(1, "flag.created", json!([])),
        ]
    );
    let then = json!({"version": 2, "flag": flag, "state": state});
    assert_eq!(scene.at(2).await, then);
    let gone = json!({"version": 3, "flag": null, "state": null});
    assert_eq!(scene.at(3).await, gone);
    scene.roll_back(2).await.expect_error(404, "flag not found");

    // Another flag under the key has a history of its own.
    let flags = scene.flag.trim_end_matches("/f");
    let again = json!({"key": "f", "name": "Again"});
    scene.owner.post(flags, again).await.expect_status(201);
    assert_eq!(scene.told("").await, [told(1, "flag.created", json!([]))]);
}

#[tokio::test]
async fn what_is_older_than_its_history_begins_it() {
    let scene = Scene::set().await;
    let flag = scene.owner.get(&scene.flag).await.body;
    let old = scene
        .put(json!({"enabled": true, "default_value": true}))
        .await;
    scene.forget_history().await;
    scene.put(json!({"enabled": false})).await;
    let began = "flag.history_began";
    assert_eq!(
        scene.told("").await,
        [
            told(2, "flag.state_updated", json!(["enabled"])),
            told(1, began, json!([])),
        ]
    );
    assert_eq!(
        scene.at(1).await,
        json!({"version": 1, "flag": flag, "state": old}),
        "the flag's own fields are as they still are"
    );
    let renamed = scene.owner.put(&scene.flag, json!({"name": "G"})).await;
    renamed.expect_status(200);
    assert_eq!(
        scene.told("").await[..2],
        [
            told(4, "flag.updated", json!(["name"])),
            told(3, began, json!([])),
        ]
    );
    assert_eq!(scene.at(1).await["flag"], flag);
    assert_eq!(scene.at(4).await["flag"], renamed.body);
    assert_eq!(scene.roll_back(1).await.body["enabled"], true);
}

#[tokio::test]
async fn what_is_older_than_its_history_outlives_its_flag_too() {
    let scene = Scene::set().await;
    let flag = scene.owner.get(&scene.flag).await.body;
    let old = scene.put(json!({"enabled": true})).await;
    scene.forget_history().await;
    scene.owner.delete(&scene.flag).await.expect_status(204);
    let actions: Vec<_> = scene.told("").await;
    assert_eq!(actions[0], told(3, "flag.deleted", json!([])));
    for version in [1, 2] {
        let then = scene.look(version, &scene.project.dev).await;
        then.expect(200, json!({"version": version, "flag": flag, "state": old}));
    }
}

#[tokio::test]
async fn a_state_keeps_its_last_200_versions() {
    let scene = Scene::set_with(&[("RATE_MANAGEMENT", "0")]).await;
    for number in 0..205 {
        scene.put(json!({"percentage_rollout": number})).await;
    }
    let renamed = scene.owner.put(&scene.flag, json!({"name": "G"})).await;
    renamed.expect_status(200);
    let path = format!("{}/history?limit=1", scene.flag);
    assert_eq!(scene.owner.get(&path).await.body["total"], 202);
    let gone = scene.look(6, &scene.project.dev).await;
    gone.expect_error(404, "flag version not found");
    assert_eq!(scene.at(7).await["state"]["percentage_rollout"], 5);
    // It is not known what the state was then.
    let first = scene.look(1, &scene.project.dev).await;
    first.expect_error(404, "flag version not found");
    let elsewhere = scene.look(1, &scene.project.staging).await;
    assert_eq!(elsewhere.expect_status(200).body["state"], Value::Null);
}

/// Days later, with a new session, once what is old was forgotten.
async fn after(scene: &mut Scene, days: u32) {
    scene.app.clock.advance(DAY * days);
    let anonymous = scene.app.anonymous();
    scene.owner = User::login(&anonymous, &scene.owner.email, &scene.owner.org_id).await;
    let now = scene.app.clock.now();
    history::prune(scene.app.db(), now).await.unwrap();
}

#[tokio::test]
async fn versions_that_were_replaced_a_year_ago_are_forgotten_and_what_is_there_is_not() {
    let mut scene = Scene::set().await;
    // It is not deleted because nobody signs in to it.
    scene.app.set_plan(&scene.owner, "enterprise").await;
    scene.put(json!({"enabled": true})).await;
    scene.put(json!({"enabled": false})).await;
    after(&mut scene, 364).await;
    let newest = scene.put(json!({"percentage_rollout": 5})).await;
    assert_eq!(scene.told("").await.len(), 4);
    after(&mut scene, 2).await;
    let versions: Vec<_> = scene.told("").await.iter().map(|told| told.0).collect();
    assert_eq!(versions, [4, 3, 1], "version 2 was replaced 366 days ago");
    assert_eq!(scene.at(4).await["state"], newest);
    let first = scene.look(1, &scene.project.dev).await;
    first.expect_error(404, "flag version not found");

    scene.owner.delete(&scene.flag).await.expect_status(204);
    after(&mut scene, 366).await;
    let gone = scene.owner.get(&format!("{}/history", scene.flag)).await;
    gone.expect_error(404, "flag not found");
}

#[tokio::test]
async fn the_oldest_versions_of_an_organization_that_has_more_than_1_gib_are_forgotten() {
    let mut scene = Scene::set().await;
    for number in 1..5 {
        scene.app.clock.advance(Duration::from_secs(1));
        scene.put(json!({"percentage_rollout": number})).await;
    }
    let other = scene.app.signup("other").await;
    let flags = format!("/v1/projects/{}/flags", other.default_project().await.id);
    let flag = json!({"key": "f", "name": "F"});
    other.post(&flags, flag).await.expect_status(201);
    sqlx::query("UPDATE flag_versions SET bytes = 300 * 1024 * 1024")
        .execute(scene.app.pool())
        .await
        .unwrap();
    after(&mut scene, 0).await;
    // Five of them are 1,500 MiB, of which two have to go.
    let versions: Vec<_> = scene.told("").await.iter().map(|told| told.0).collect();
    assert_eq!(versions, [5, 4, 1]);
    let others = other.get(&format!("{flags}/f/history")).await;
    assert_eq!(others.body["total"], 1);
}

#[tokio::test]
async fn the_history_of_a_project_that_is_deleted_is_forgotten() {
    let scene = Scene::set().await;
    scene.put(json!({"enabled": true})).await;
    let project = format!("/v1/projects/{}", scene.project.id);
    scene.owner.delete(&project).await.expect_status(204);
    harness::eventually("the history is gone", async || {
        let now = scene.app.clock.now();
        history::prune(scene.app.db(), now).await.unwrap();
        let left: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM flag_versions")
            .fetch_one(scene.app.pool())
            .await
            .unwrap();
        (left == 0).then_some(())
    })
    .await;
}
