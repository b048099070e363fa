//! Events are written with their changes.

use serde_json::json;

use super::Scene;

#[tokio::test]
async fn a_change_whose_commit_fails_is_not_told() {
    let scene = Scene::set().await;
    scene.webhook("/a", json!({})).await;
    sqlx::raw_sql(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
         CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON webhook_events
         DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()",
    )
    .execute(scene.app.pool())
    .await
    .unwrap();
    let flag = json!({"key": "banner", "name": "Banner"});
    let answer = scene.owner.post(&scene.flags, flag).await;
    answer.expect_status(500);
    let path = format!("{}/banner", scene.flags);
    scene.owner.get(&path).await.expect_status(404);
    assert_eq!(
        scene
            .number("SELECT last_position FROM webhook_heads")
            .await,
        0
    );
    assert_eq!(scene.number("SELECT COUNT(*) FROM webhook_events").await, 0);
}

#[tokio::test]
async fn nothing_is_written_where_nobody_listens() {
    let scene = Scene::set().await;
    assert_eq!(scene.number("SELECT COUNT(*) FROM webhook_heads").await, 0);
    let webhook = scene.webhook("/a", json!({})).await;
    let body = json!({"enabled": false});
    scene.owner.change(&webhook, body).await;
    scene.toggle(true).await;
    scene.owner.remove(&webhook).await;
    scene.toggle(false).await;
    assert_eq!(
        scene
            .number("SELECT last_position FROM webhook_heads")
            .await,
        0
    );
}

#[tokio::test]
async fn a_webhook_hears_of_nothing_that_was_committed_before_it_listened() {
    let scene = Scene::set().await;
    scene.webhook("/first", json!({})).await;
    let off = scene.webhook("/off", json!({})).await;
    let body = json!({"enabled": false});
    scene.owner.change(&off, body).await;
    // Nothing is shared out until all is written.
    sqlx::raw_sql(
        "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
         CREATE TRIGGER keep BEFORE DELETE ON webhook_events FOR EACH ROW EXECUTE FUNCTION keep()",
    )
    .execute(scene.app.pool())
    .await
    .unwrap();
    scene.toggle(true).await;
    scene.webhook("/late", json!({})).await;
    let body = json!({"enabled": true});
    scene.owner.change(&off, body).await;
    sqlx::raw_sql("DROP TRIGGER keep ON webhook_events")
        .execute(scene.app.pool())
        .await
        .unwrap();
    scene.settle().await;
    let received = scene.receiver.received();
    let paths: Vec<_> = received.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["/first"]);
    // From then on all of them.
    scene.toggle(false).await;
    scene.settle().await;
    assert_eq!(scene.receiver.received().len(), 4);
}
