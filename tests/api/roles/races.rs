//! What happens at the same time, also on two replicas.

use harness::statuses;
use serde_json::json;
use tokio::join;

use super::{create, created, with_owner_on_enterprise};

#[tokio::test]
async fn of_two_creations_of_one_name_one_is_refused() {
    let (app, owner) = with_owner_on_enterprise().await;
    let replica = owner.at(&app.another_replica().await);
    for round in 0..5 {
        let (one, other) = (format!("Role {round}"), format!("ROLE {round}"));
        let body = json!({"name": other, "permissions": []});
        let (one, other) = join!(create(&owner, &one, &[]), replica.post("/v1/roles", body));
        assert_eq!(
            statuses([&one, &other]),
            [201, 409],
            "{} {}",
            one.body,
            other.body
        );
    }
}

#[tokio::test]
async fn of_two_renamings_to_one_name_one_is_refused() {
    let (app, owner) = with_owner_on_enterprise().await;
    let replica = owner.at(&app.another_replica().await);
    let one = created(&owner, "One", &[]).await;
    let other = created(&owner, "Other", &[]).await;
    let body = json!({"name": "Both", "permissions": []});
    let (one, other) = join!(owner.put(&one, body.clone()), replica.put(&other, body));
    assert_eq!(statuses([&one, &other]), [200, 409]);
}

#[tokio::test]
async fn a_role_deleted_twice_at_once_is_deleted_once() {
    let (app, owner) = with_owner_on_enterprise().await;
    let replica = owner.at(&app.another_replica().await);
    let path = created(&owner, "Short-lived", &[]).await;
    let (one, other) = join!(owner.delete(&path), replica.delete(&path));
    assert_eq!(statuses([&one, &other]), [204, 404]);
}

#[tokio::test]
async fn a_role_assigned_while_it_is_deleted_is_kept_or_gone() {
    let (app, owner) = with_owner_on_enterprise().await;
    let replica = owner.at(&app.another_replica().await);
    let member = format!(
        "/v1/members/{}",
        app.member(&owner, "viewer").await.member_id().await
    );
    for round in 0..5 {
        let path = created(&owner, &format!("Role {round}"), &[]).await;
        let role_id = path.rsplit('/').next().unwrap();
        let body = json!({"custom_role_id": role_id});
        let (assigned, deleted) = join!(owner.put(&member, body), replica.delete(&path));
        match (assigned.status, deleted.status) {
            (204, 409) => owner.get(&path).await.expect_status(200),
            (404, 204) => owner.get(&path).await.expect_status(404),
            other => panic!("{other:?}: {} {}", assigned.body, deleted.body),
        };
    }
}
