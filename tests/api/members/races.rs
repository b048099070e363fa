//! Changes of members that arrive at the same time, at two replicas.

use harness::{App, User, statuses};
use serde_json::json;

use super::{ADDRESS, invite, path_of};

/// Two owners of one organization, and the path of each as a member.
async fn two_owners(app: &App) -> [(User, String); 2] {
    let one = app.signup("acme").await;
    let other = app.member(&one, "owner").await;
    let paths = [one.member_id().await, other.member_id().await].map(|id| path_of(&id));
    let [of_one, of_other] = paths;
    [(one, of_one), (other, of_other)]
}

async fn owners(app: &App, user: &User) -> i64 {
    app.value(
        "SELECT COUNT(*) FROM members WHERE org_id = $1::uuid AND role = 'owner'",
        &[&user.org_id],
    )
    .await
}

#[tokio::test]
async fn of_two_owners_who_demote_each_other_one_stays() {
    let app = App::start().await;
    let replica = app.another_replica().await;
    let [(one, of_one), (other, of_other)] = two_owners(&app).await;
    let there = other.at(&replica);
    let demoted = json!({"role": "viewer"});
    let (first, second) = tokio::join!(
        one.put(&of_other, demoted.clone()),
        there.put(&of_one, demoted),
    );
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses[0], 204, "{statuses:?}");
    // Too late before the lock, or after it.
    assert!(matches!(statuses[1], 403 | 409), "{statuses:?}");
    assert_eq!(owners(&app, &one).await, 1);
}

#[tokio::test]
async fn of_two_owners_who_remove_each_other_one_stays() {
    let app = App::start().await;
    let replica = app.another_replica().await;
    let [(one, of_one), (other, of_other)] = two_owners(&app).await;
    let there = other.at(&replica);
    let (first, second) = tokio::join!(one.delete(&of_other), there.delete(&of_one));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses[0], 204, "{statuses:?}");
    assert!(matches!(statuses[1], 401 | 409), "{statuses:?}");
    assert_eq!(owners(&app, &one).await, 1);
}

#[tokio::test]
async fn of_two_owners_who_step_down_one_stays() {
    let app = App::start().await;
    let [(one, of_one), (other, of_other)] = two_owners(&app).await;
    let (first, second) = tokio::join!(
        one.put(&of_one, json!({"role": "viewer"})),
        other.put(&of_other, json!({"role": "viewer"})),
    );
    assert_eq!(statuses([&first, &second]), [204, 409]);
    assert_eq!(owners(&app, &one).await, 1);
}

#[tokio::test]
async fn who_is_demoted_while_waiting_changes_nobody() {
    let app = App::start().await;
    let [(one, of_one), (other, of_other)] = two_owners(&app).await;
    // A third owner, so that nobody is the last.
    invite(&one, ADDRESS, "owner").await.expect_status(201);
    let mut holder = app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM organizations WHERE id = $1::uuid FOR UPDATE")
        .bind(&one.org_id)
        .execute(&mut *holder)
        .await
        .unwrap();
    let waiting = {
        let other = other.clone();
        tokio::spawn(async move { other.delete(&of_one).await })
    };
    app.until_waiting_for_locks(1).await;
    sqlx::query("UPDATE members SET role = 'admin' WHERE id = $1::uuid")
        .bind(of_other.rsplit('/').next().unwrap())
        .execute(&mut *holder)
        .await
        .unwrap();
    holder.commit().await.unwrap();
    let answer = waiting.await.unwrap();
    answer.expect_error(403, "insufficient permissions");
}

#[tokio::test]
async fn an_address_that_two_organizations_invite_at_once_is_one_account() {
    let app = App::start().await;
    let one = app.signup("acme").await;
    let other = app.signup("globex").await;
    let (first, second) = tokio::join!(
        invite(&one, ADDRESS, "viewer"),
        invite(&other, ADDRESS, "viewer"),
    );
    first.expect_status(201);
    second.expect_status(201);
    let accounts: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM users WHERE email = $1")
        .bind(ADDRESS)
        .fetch_one(app.pool())
        .await
        .unwrap();
    assert_eq!(accounts, 1);
}

#[tokio::test]
async fn of_two_invitations_of_one_address_one_succeeds() {
    let (_app, owner) = App::with_owner().await;
    let (first, second) = tokio::join!(
        invite(&owner, ADDRESS, "viewer"),
        invite(&owner, ADDRESS, "admin"),
    );
    assert_eq!(statuses([&first, &second]), [201, 409]);
}
