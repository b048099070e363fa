//! Permissions that change while flag states do, on several replicas.

use harness::Response;
use harness::user::DefaultProject;
use serde_json::json;
use sqlx::{Postgres, Transaction};
use tokio::task::JoinHandle;

use super::enforced::{DENIED, Setup};

/// A change by the developer that waits for its project, which the transaction holds.
async fn waiting_change(setup: &Setup) -> (Transaction<'static, Postgres>, JoinHandle<Response>) {
    let mut holder = setup.app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM projects WHERE id = $1::uuid FOR UPDATE")
        .bind(&setup.project.id)
        .execute(&mut *holder)
        .await
        .unwrap();
    let (developer, dev) = (setup.developer.clone(), setup.state(&setup.project.dev));
    let change = async move { developer.put(&dev, json!({"enabled": true})).await };
    let waiting = tokio::spawn(change);
    setup.app.until_waiting_for_locks(1).await;
    (holder, waiting)
}

#[tokio::test]
async fn a_permission_counts_at_once_on_every_replica() {
    let setup = Setup::with(true, true).await;
    let there = setup.developer.at(&setup.app.another_replica().await);
    let dev = setup.state(&setup.project.dev);
    let body = json!({"enabled": true});
    there.change(&dev, body.clone()).await;
    setup.permit(false, true).await;
    let refused = there.put(&dev, body.clone()).await;
    refused.expect_error(403, DENIED);
    setup.permit(true, true).await;
    there.change(&dev, body).await;
}

#[tokio::test]
async fn a_change_that_waits_while_the_permission_is_revoked_is_refused() {
    let setup = Setup::with(true, true).await;
    let (mut holder, waiting) = waiting_change(&setup).await;
    sqlx::query(
        "INSERT INTO environment_permissions
             (id, org_id, member_id, env_id, can_toggle, can_edit_rules, created_at, updated_at)
         SELECT gen_random_uuid(), org_id, id, $2::uuid, false, true, now(), now() FROM members WHERE user_id = $1::uuid
         ON CONFLICT (member_id, env_id) DO UPDATE SET can_toggle = false",
    )
    .bind(&setup.developer.id)
    .bind(&setup.project.dev)
    .execute(&mut *holder)
    .await
    .unwrap();
    holder.commit().await.unwrap();
    waiting.await.unwrap().expect_error(403, DENIED);
    setup.expect_untouched().await;
}

#[tokio::test]
async fn a_change_that_waits_while_its_author_is_removed_is_refused() {
    let setup = Setup::with(false, false).await;
    let (holder, waiting) = waiting_change(&setup).await;
    let member = setup.permissions.replace("/permissions", "");
    setup.owner.remove(&member).await;
    holder.commit().await.unwrap();
    waiting.await.unwrap().expect_error(403, DENIED);
    setup.expect_untouched().await;
}

#[tokio::test]
async fn permissions_and_changes_at_the_same_time_do_not_block_each_other() {
    let setup = Setup::with(true, true).await;
    let there = setup.app.another_replica().await;
    let everywhere = |allowed: bool| {
        let DefaultProject {
            dev,
            staging,
            production,
            ..
        } = &setup.project;
        let rows: Vec<_> = [production, dev, staging]
            .into_iter()
            .map(|id| json!({"env_id": id, "can_toggle": allowed, "can_edit_rules": allowed}))
            .collect();
        json!({"permissions": rows})
    };
    let env = format!(
        "/v1/projects/{}/environments/{}",
        setup.project.id, setup.project.production
    );
    let owner = setup.owner.at(&there);
    let (changed, permitted, deleted, killed) = tokio::join!(
        setup.put(json!({"enabled": true, "percentage_rollout": 5})),
        setup.owner.put(&setup.permissions, everywhere(false)),
        owner.delete(&env),
        setup.kill(),
    );
    assert!(matches!(changed.status, 200 | 403), "{}", changed.status);
    assert!(matches!(killed.status, 200 | 403), "{}", killed.status);
    assert!(
        matches!(permitted.status, 200 | 404),
        "{}",
        permitted.status
    );
    deleted.expect_status(204);
}
