//! How long history is kept.

use std::time::Duration;

use domain::flags::history;
use harness::User;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Scene, told};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[tokio::test]
async fn history_outlives_the_flag() {
    let scene = Scene::set().await;
    let state = scene.put(json!({"percentage_rollout": 5_000})).await;
    let flag = scene.owner.get(&scene.flag).await.body;
    scene.owner.remove(&scene.flag).await;
    assert_eq!(
        scene.told("").await,
        [
            told(3, "flag.deleted", json!([])),
            told(2, "flag.state_updated", json!(["percentage_rollout"])),
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
    scene.owner.create(flags, again).await;
    assert_eq!(scene.told("").await, [told(1, "flag.created", json!([]))]);
}

#[tokio::test]
async fn a_state_keeps_its_last_200_versions() {
    let scene = Scene::set_with(&[("RATE_MANAGEMENT", "0")]).await;
    for number in 0..205 {
        scene.put(json!({"percentage_rollout": number})).await;
    }
    scene.owner.change(&scene.flag, json!({"name": "G"})).await;
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
    let newest = scene.put(json!({"percentage_rollout": 500})).await;
    assert_eq!(scene.told("").await.len(), 4);
    after(&mut scene, 2).await;
    let versions: Vec<_> = scene.told("").await.iter().map(|told| told.0).collect();
    assert_eq!(versions, [4, 3, 1], "version 2 was replaced 366 days ago");
    assert_eq!(scene.at(4).await["state"], newest);
    let first = scene.look(1, &scene.project.dev).await;
    first.expect_error(404, "flag version not found");

    scene.owner.remove(&scene.flag).await;
    after(&mut scene, 366).await;
    let gone = scene.owner.get(&format!("{}/history", scene.flag)).await;
    gone.expect_error(404, "flag not found");
}

/// Has the versions of all organizations keep so much, all of them the same.
async fn inflate(scene: &Scene, bytes_each: i32) {
    let mut conn = scene.app.pool().acquire().await.unwrap();
    sqlx::query("UPDATE flag_versions SET bytes = $1")
        .bind(bytes_each)
        .execute(&mut *conn)
        .await
        .unwrap();
    sqlx::query(
        "UPDATE flag_history_sizes SET bytes =
             (SELECT SUM(bytes) FROM flag_versions WHERE org_id = flag_history_sizes.org_id)",
    )
    .execute(&mut *conn)
    .await
    .unwrap();
}

const MIB: i32 = 1024 * 1024;

#[tokio::test]
async fn the_oldest_versions_of_an_organization_go_with_the_write_that_exceeds_1_gib() {
    let scene = Scene::set().await;
    for number in 1..5 {
        scene.app.clock.advance(Duration::from_secs(1));
        scene.put(json!({"percentage_rollout": number})).await;
    }
    let other = scene.app.signup("other").await;
    let flags = format!("/v1/projects/{}/flags", other.default_project().await.id);
    let flag = json!({"key": "f", "name": "F"});
    other.create(&flags, flag).await;
    inflate(&scene, 300 * MIB).await;
    scene.app.clock.advance(Duration::from_secs(1));
    let newest = scene.put(json!({"percentage_rollout": 500})).await;
    // Five were 1,500 MiB, of which the newest keeps next to nothing any more: of the other four one has to go.
    let versions: Vec<_> = scene.told("").await.iter().map(|told| told.0).collect();
    assert_eq!(versions, [6, 5, 4, 3, 1]);
    assert_eq!(scene.at(6).await["state"], newest);
    assert_eq!(scene.at(3).await["state"]["percentage_rollout"], 2);
    let others = other.get(&format!("{flags}/f/history")).await;
    assert_eq!(others.body["total"], 1);
}

#[tokio::test]
async fn what_an_organization_keeps_is_counted_with_every_change_and_by_the_job() {
    let scene = Scene::set().await;
    let kept = async |sum: &'static str| -> i64 {
        sqlx::query_scalar(sum)
            .fetch_one(scene.app.pool())
            .await
            .unwrap()
    };
    let counted = "SELECT bytes FROM flag_history_sizes";
    let there = "SELECT SUM(bytes)::bigint FROM flag_versions";
    let large = "x".repeat(2_000);
    for number in 0..3 {
        let rule = json!({"id": "r", "conditions": [], "value": true, "percentage": number, "description": large});
        scene.put(json!({"rules": [rule]})).await;
        scene.put(json!({"enabled": number == 0})).await;
        let renamed = json!({"name": format!("G{number}")});
        scene.owner.change(&scene.flag, renamed).await;
        assert_eq!(kept(counted).await, kept(there).await);
    }
    assert!(kept(counted).await > 4_000);
    scene.owner.remove(&scene.flag).await;
    assert_eq!(kept(counted).await, kept(there).await);
    scene
        .app
        .execute("UPDATE flag_history_sizes SET bytes = 7", &[])
        .await;
    history::prune(scene.app.db(), scene.app.clock.now())
        .await
        .unwrap();
    assert_eq!(kept(counted).await, kept(there).await);
}

/// Texts of a kilobyte each, which nothing compresses.
fn texts(number: usize) -> Vec<String> {
    let text = || {
        (0..32)
            .map(|_| Uuid::new_v4().simple().to_string())
            .collect()
    };
    (0..number).map(|_| text()).collect()
}

#[tokio::test]
async fn a_toggle_of_a_state_of_a_megabyte_keeps_and_writes_a_few_bytes() {
    let scene = Scene::set().await;
    let size = async |what: &'static str| -> i64 {
        sqlx::query_scalar(what)
            .fetch_one(scene.app.pool())
            .await
            .unwrap()
    };
    let rules: Vec<_> = (0..20)
        .map(|rule| {
            let condition = json!({"attribute": "a", "operator": "in", "values": texts(45)});
            json!({"id": format!("r{rule}"), "conditions": [condition], "value": true})
        })
        .collect();
    let first = scene.put(json!({"rules": rules, "enabled": false})).await;
    let tables =
        "SELECT pg_total_relation_size('flag_versions') + pg_total_relation_size('flag_states')";
    let before = size(tables).await;
    assert!(before > 800_000, "{before}");
    for number in 0..12 {
        scene.put(json!({"enabled": number % 2 == 0})).await;
    }
    let grown = size(tables).await - before;
    assert!(grown < 500_000, "{grown} bytes");
    let bytes = size("SELECT SUM(bytes)::bigint FROM flag_versions").await;
    assert!(bytes < 10_000, "{bytes} bytes");
    assert_eq!(scene.at(2).await["state"], first);
    let then = scene.at(7).await;
    assert_eq!(then["state"]["enabled"], true);
    assert_eq!(then["state"]["rules"], first["rules"]);
}

#[tokio::test]
async fn the_history_of_a_project_that_is_deleted_is_forgotten() {
    let scene = Scene::set().await;
    scene.put(json!({"enabled": true})).await;
    let project = format!("/v1/projects/{}", scene.project.id);
    scene.owner.remove(&project).await;
    harness::eventually("the history is gone", async || {
        let now = scene.app.clock.now();
        history::prune(scene.app.db(), now).await.unwrap();
        let left: i64 = scene
            .app
            .value("SELECT COUNT(*) FROM flag_versions", &[])
            .await;
        (left == 0).then_some(())
    })
    .await;
}
