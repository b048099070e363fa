//! Requests of identity providers that arrive at the same time, at two replicas.

use harness::scim::{USERS, user};
use harness::statuses;
use serde_json::json;

use super::{ADA, Scene, path};

#[tokio::test]
async fn of_two_posts_of_one_user_one_creates() {
    let Scene {
        app,
        owner,
        provider,
    } = Scene::set().await;
    let there = provider.at(&app.another_replica().await);
    for body in [user(ADA), json!({"userName": "grace"})] {
        let (one, other) = tokio::join!(
            provider.post(USERS, body.clone()),
            there.post(USERS, body.clone()),
        );
        assert_eq!(statuses([&one, &other]), [200, 201]);
        assert_eq!(one.text("/id"), other.text("/id"));
    }
    let members = owner.get("/v1/members").await;
    assert_eq!(members.body["total"], 3);
}

#[tokio::test]
async fn two_organizations_that_post_one_address_have_one_account() {
    let scene = Scene::set().await;
    let (_, other) = scene.another("other").await;
    let there = other.at(&scene.app.another_replica().await);
    let (one, other) = tokio::join!(
        scene.provider.post(USERS, user(ADA)),
        there.post(USERS, user(ADA)),
    );
    assert_eq!(statuses([&one, &other]), [201, 201]);
    assert_eq!(one.text("/id"), other.text("/id"));
}

#[tokio::test]
async fn of_two_users_who_take_one_name_one_gets_it() {
    let scene = Scene::set().await;
    let (app, _, provider) = scene.parts();
    let there = provider.at(&app.another_replica().await);
    let one = path(&provider.provision(ADA).await);
    let other = path(&provider.provision("grace@example.com").await);
    let body = json!({"userName": "countess"});
    let (first, second) = tokio::join!(provider.put(&one, body.clone()), there.put(&other, body));
    assert_eq!(statuses([&first, &second]), [200, 409]);
}

#[tokio::test]
async fn of_two_last_owners_who_are_deactivated_at_once_one_stays() {
    let Scene {
        app,
        owner,
        provider,
    } = Scene::set().await;
    let other = app.member(&owner, "owner").await;
    // A token ends to handle owners with its maker, so each is deactivated by their own.
    let theirs = app.identity_provider(&other).await;
    let there = theirs.at(&app.another_replica().await);
    let body = json!({"active": false});
    let (of_owner, of_other) = (path(&owner.id), path(&other.id));
    let (first, second) = tokio::join!(
        provider.put(&of_owner, body.clone()),
        there.put(&of_other, body),
    );
    assert_eq!(statuses([&first, &second]), [200, 409]);
}

#[tokio::test]
async fn of_two_removals_of_one_user_one_finds_them() {
    let scene = Scene::set().await;
    let (app, _, provider) = scene.parts();
    let there = provider.at(&app.another_replica().await);
    let at = path(&provider.provision(ADA).await);
    let (one, other) = tokio::join!(provider.delete(&at), there.delete(&at));
    assert_eq!(statuses([&one, &other]), [204, 404]);
}

#[tokio::test]
async fn an_address_that_is_invited_elsewhere_meanwhile_is_not_taken_away() {
    let scene = Scene::set().await;
    let (other, _) = scene.another("other").await;
    let id = scene.provider.provision(ADA).await;
    // The invitation has made the account a member and is not committed yet.
    let mut invitation = scene.app.pool().begin().await.unwrap();
    sqlx::query(
        "WITH account AS (SELECT id FROM users WHERE id = $2::uuid FOR SHARE)
         INSERT INTO members (id, org_id, user_id, role, created_at)
         SELECT gen_random_uuid(), $1::uuid, id, 'viewer', now() FROM account",
    )
    .bind(&other.org_id)
    .bind(&id)
    .execute(&mut *invitation)
    .await
    .unwrap();
    let provider = scene.provider.clone();
    let at = path(&id);
    let body = user("evil@example.com");
    let change = tokio::spawn(async move { provider.put(&at, body).await });
    scene.app.until_waiting_for_locks(1).await;
    invitation.commit().await.unwrap();
    change.await.unwrap().expect_status(200);
    assert_eq!(super::member(&other, ADA).await["role"], "viewer");
}
