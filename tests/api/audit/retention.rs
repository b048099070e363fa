//! Entries that are older than the installation keeps them.

use std::time::Duration;

use domain::audit::retention;
use harness::{App, User, eventually};

use super::{column, project};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[tokio::test]
async fn entries_older_than_the_retention_are_deleted_and_no_others() {
    let app = App::start().await;
    let (acme, other) = (app.signup("acme").await, app.signup("other").await);
    project(&acme, "Old").await;
    app.clock.advance(Duration::from_secs(1));
    project(&acme, "As old as may be").await;
    app.clock.advance(DAY);
    let anonymous = app.anonymous();
    let acme = User::login(&anonymous, &acme.email, &acme.org_id).await;
    let other = User::login(&anonymous, &other.email, &other.org_id).await;
    project(&other, "New").await;

    let deleted = retention::delete(app.db(), DAY, app.clock.now()).await;
    assert!(deleted.unwrap() >= 3);
    assert_eq!(
        column(&acme, "", "action").await,
        ["auth.login", "project.created"]
    );
    assert_eq!(
        column(&other, "", "action").await,
        ["project.created", "auth.login"]
    );
}

#[tokio::test]
async fn the_leader_deletes_what_is_too_old_by_itself() {
    let (app, owner) = App::with_owner().await;
    app.clock.advance(Duration::from_secs(2));
    app.another_replica_with(&[("AUDIT_RETENTION", "1s")]).await;
    app.depose_the_leader().await;
    eventually("the trail is empty", || async {
        column(&owner, "", "id").await.is_empty().then_some(())
    })
    .await;
}
