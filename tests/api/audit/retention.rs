//! Entries that are older than the installation keeps them.

use std::time::Duration;

use control_plane::audit::retention;
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
async fn retention_looks_for_itself() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    app.clock.advance(Duration::from_secs(2));
    let kept_for = Duration::from_secs(1);
    let deleting = retention::run(app.db().clone(), kept_for, app.clock.clone());
    tokio::spawn(app.stop.clone().run_until_cancelled_owned(deleting));
    eventually("the trail is empty", || async {
        column(&owner, "", "id").await.is_empty().then_some(())
    })
    .await;
}
