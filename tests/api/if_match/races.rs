//! Two who have seen the same, at the same time.

use sqlx::Connection;

use super::{CHANGED, Scene, Thing, delete, put};

#[tokio::test]
async fn of_two_who_have_seen_the_same_one_changes_it() {
    let scene = Scene::set().await;
    let elsewhere = scene.app.another_replica().await;
    let there = scene.owner.at(&elsewhere);
    for thing in &scene.things {
        let Thing { path, tag, .. } = thing;
        // Both have looked it up, and wait for the lock of the write.
        let mut session = scene.app.session().await;
        let mut held = session.begin().await.unwrap();
        for lock in [
            "SELECT FROM organizations FOR UPDATE",
            "SELECT FROM projects FOR UPDATE",
        ] {
            sqlx::query(lock).execute(&mut *held).await.unwrap();
        }
        let (one, other) = ((thing.patch)(1), (thing.patch)(2));
        let request = there
            .request(reqwest::Method::PUT, path)
            .header("if-match", tag)
            .json(&other);
        let (one, other, ()) = tokio::join!(
            put(&scene.owner, path, tag, &one),
            there.send(request),
            async {
                scene.app.until_waiting_for_locks(2).await;
                held.rollback().await.unwrap();
            }
        );
        let (passed, refused) = if one.status == 200 {
            (one, other)
        } else {
            (other, one)
        };
        passed.expect_status(200);
        refused.expect_error(412, CHANGED);
        assert_eq!(refused.header("etag"), passed.header("etag"), "{path}");
        scene.owner.get(path).await.expect(200, passed.body.clone());
    }
}

#[tokio::test]
async fn what_is_changed_meanwhile_is_not_deleted() {
    let scene = Scene::set().await;
    for thing in scene.things.iter().filter(|thing| thing.is_deletable) {
        let Thing { path, tag, .. } = thing;
        let patch = (thing.patch)(1);
        let (written, deleted) = tokio::join!(
            put(&scene.owner, path, tag, &patch),
            delete(&scene.owner, path, tag),
        );
        match written.status {
            200 => {
                deleted.expect_error(412, CHANGED);
                scene.owner.get(path).await.expect_status(200);
            }
            _ => {
                written.expect_status(404);
                deleted.expect_status(204);
            }
        }
    }
}
