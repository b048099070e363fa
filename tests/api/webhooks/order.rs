//! One webhook hears of changes in the order in which they were committed.

use serde_json::json;

use super::Scene;

#[tokio::test]
async fn later_events_wait_for_the_retries_of_earlier_ones() {
    let scene = Scene::set().await;
    scene.webhook("/a", json!({})).await;
    scene.first_attempt_fails().await;
    let kill = format!("{}/checkout/kill", scene.flags);
    let body = json!({"env_id": scene.dev});
    scene.owner.act(&kill, body).await;
    scene.until_pending(2).await;
    scene.pass(3);
    assert_eq!(scene.receiver.received().len(), 1);
    scene.pass(1);
    scene.until_pending(0).await;
    let received = scene.receiver.received();
    let types: Vec<_> = received
        .iter()
        .map(|one| one.header("x-webhook-event"))
        .collect();
    assert_eq!(types, ["flag.updated", "flag.updated", "flag.killed"]);
}

/// Changes of different projects do not wait for each other, except for the moment of the commit.
#[tokio::test]
async fn changes_of_many_projects_at_once_are_told_in_the_order_of_their_commits() {
    const PROJECTS: usize = 6;
    const CHANGES: usize = 10;
    let scene = Scene::set().await;
    let mut projects = Vec::new();
    for number in 0..PROJECTS {
        let body = json!({"name": format!("Project {number}")});
        let project = scene.owner.create("/v1/projects", body).await;
        projects.push(format!("/v1/projects/{}/flags", project.text("/id")));
    }
    scene.webhook("/a", json!({})).await;
    let writers = projects.iter().map(async |flags| {
        for number in 0..CHANGES {
            let flag = json!({"key": format!("flag-{number}"), "name": "A flag"});
            scene.owner.create(flags, flag).await;
        }
    });
    futures_util::future::join_all(writers).await;
    scene.settle().await;

    // The audit trail's rows carry the transaction that wrote them; those commit one after the other, at the latest here.
    let received = scene.receiver.received();
    assert_eq!(received.len(), PROJECTS * CHANGES);
    let told: Vec<_> = received
        .iter()
        .map(|one| one.json()["flag_id"].clone())
        .collect();
    for flags in &projects {
        let page = scene.owner.get(&format!("{flags}?limit=100")).await;
        let created = page.body["data"].as_array().unwrap();
        let places: Vec<_> = created
            .iter()
            .map(|flag| told.iter().position(|id| *id == flag["id"]).unwrap())
            .collect();
        assert!(places.is_sorted(), "{places:?}");
    }
}

/// The position of an event is taken when nothing but the commit is left, and by one transaction at a time.
#[tokio::test]
async fn a_change_that_commits_first_is_told_first_whoever_began_first() {
    let scene = Scene::set().await;
    let events = json!({"events": ["flag.*"]});
    scene.webhook("/a", events).await;
    let project = scene
        .owner
        .post("/v1/projects", json!({"name": "Other"}))
        .await;
    let other = format!("/v1/projects/{}/flags", project.text("/id"));

    // The first has begun, and waits for the lock of its project.
    let mut blocker = scene.app.pool().begin().await.unwrap();
    let held = "SELECT id FROM projects WHERE slug = 'default' FOR UPDATE";
    sqlx::query(held).execute(&mut *blocker).await.unwrap();
    let slow = async { scene.toggle(true).await };
    let quick = async {
        scene.app.until_waiting_for_locks(1).await;
        let flag = json!({"key": "quick", "name": "Quick"});
        scene.owner.create(&other, flag).await;
        blocker.rollback().await.unwrap();
    };
    tokio::join!(slow, quick);
    scene.settle().await;
    let received = scene.receiver.received();
    let types: Vec<_> = received
        .iter()
        .map(|one| one.header("x-webhook-event"))
        .collect();
    assert_eq!(types, ["flag.created", "flag.updated"]);
}
