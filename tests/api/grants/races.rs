//! Many holders of one grant at once, and its end while it is being used.

use futures_util::future::join_all;
use harness::User;
use serde_json::{Value, json};

use super::{Stage, roll};

/// 64 flags, 8 callers on two replicas: each raise takes 3 points of 100, so that 33 fit.
#[tokio::test]
async fn sixty_four_holders_at_once_never_exceed_a_grant() {
    let stage = Stage::new().await;
    let setup = &stage.setup;
    let (app, owner) = (&setup.app, &setup.owner);
    app.set_plan(owner, "enterprise").await;
    let production = format!("/v1/projects/{}/environments/production", setup.project.id);
    owner.change(&production, json!({"protected": false})).await;
    let states = json!({"production": {"enabled": true, "percentage_rollout": 0}});
    let flag = |number| json!({"key": format!("f-{number}"), "name": "F", "tags": ["web"], "states": states});
    let flags: Vec<Value> = (0..64).map(flag).collect();
    let content = format!("/v1/projects/{}/content", setup.project.id);
    owner.act(&content, json!({"flags": flags})).await;
    owner.change(&production, json!({"protected": true})).await;

    let keys = ["flags.read", "flags.edit_rules"];
    let role_id = app.hold_to(owner, &stage.developer, &keys).await;
    let mut holders = vec![stage.developer.clone()];
    for _ in 1..8 {
        let member = app.member(owner, "developer").await;
        app.assign(owner, &member, Some(&role_id)).await;
        holders.push(member);
    }
    let holder = json!({"kind": "role", "id": role_id});
    let grant = stage
        .give(json!({"holder": holder, "max_raise": 10000, "window_seconds": 604_800}))
        .await;
    let replica = app.another_replica().await;
    let raises = (0..64).map(|number| {
        let holder: &User = &holders[number % holders.len()];
        let caller = if number % 2 == 0 {
            (**holder).clone()
        } else {
            holder.at(&replica)
        };
        let state = format!("{}/f-{number}/environments/production", setup.flags());
        async move {
            loop {
                // A replica that is too busy says so, and has changed nothing.
                match roll(&caller, &state, 300).await.status {
                    503 => {}
                    status => return status,
                }
            }
        }
    });
    let answers = join_all(raises).await;
    let count = |status: u16| answers.iter().filter(|answer| **answer == status).count();
    assert_eq!((count(200), count(403)), (33, 31), "{answers:?}");
    assert_eq!(stage.left(&grant).await, 100);
    let stored: i64 = sqlx::query_scalar("SELECT SUM(percentage_rollout) FROM flag_states s JOIN flags f ON f.id = s.flag_id WHERE f.key LIKE 'f-%'")
        .fetch_one(app.pool())
        .await
        .unwrap();
    assert_eq!(stored, 9_900);
}

#[tokio::test]
async fn a_raise_that_waits_while_its_giver_is_removed_is_refused() {
    let stage = Stage::new().await;
    let Stage { setup, .. } = &stage;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let body = stage.body(json!({})).await;
    admin.create(&stage.grants, body).await;
    let member = format!("/v1/members/{}", admin.member_id().await);
    let mut holder = setup.app.pool().begin().await.unwrap();
    setup.lock_project(&mut holder).await;
    let raising = {
        let (developer, state) = (stage.developer.clone(), stage.state.clone());
        tokio::spawn(async move { roll(&developer, &state, 1_100).await })
    };
    setup.app.until_waiting_for_locks(1).await;
    setup.owner.remove(&member).await;
    holder.rollback().await.unwrap();
    let refused = raising.await.unwrap();
    refused.expect_status(403);
    assert_eq!(refused.body["grants"][0]["clause"], "given_by");
}
