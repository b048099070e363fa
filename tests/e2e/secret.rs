//! `halyard secret rotate`, between stopping the control plane and starting it again.

use harness::{Stack, eventually};
use serde_json::json;
use sqlx::{Connection, PgConnection};
use uuid::Uuid;

const OLD: &str = "the secret of the installation until today";
const NEW: &str = "the secret of the installation from today on";

#[tokio::test]
async fn a_control_plane_starts_with_a_new_secret_and_knows_its_edges() {
    let mut stack = Stack::start_with(&[("APP_SECRET", OLD)]).await;
    let mut edge = stack.edge().await;
    let owner = stack.proven("acme").await;
    let webhook = json!({"name": "w", "url": "https://hooks.example.com/", "secret": "hush"});
    owner.create("/v1/webhooks", webhook).await;

    stack.control.set("APP_SECRET_OLD", OLD);
    stack.control.set("APP_SECRET", NEW);
    let refused = stack.control.refused(&["secret", "rotate"]);
    assert!(
        refused.contains("a control plane runs or ran seconds ago: stop it first"),
        "{refused}"
    );

    assert!(stack.control.terminate().success());
    let told = stack.halyard(&["secret", "rotate"]);
    for line in [
        "key of the link's authority: 1 sealed anew, 0 sealed with the new APP_SECRET already, 0 opened by neither\n",
        "secrets of webhooks: 1 sealed anew, 0 sealed with the new APP_SECRET already, 0 opened by neither\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
    stack.start_control().await;
    edge.process.kill();
    edge.start().await;
    let project = owner.default_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "f", "name": "F"});
    owner.create(&flags, flag).await;
    eventually("the edge takes changes again", async || {
        let path = format!("{flags}/f?wait=edges");
        let changed = owner.change(&path, json!({"name": "F"})).await;
        let acknowledged = changed.header("x-edges-acknowledged");
        acknowledged
            .split(',')
            .any(|name| name == edge.name)
            .then_some(())
    })
    .await;
}

#[tokio::test]
async fn tokens_outlive_the_secret_that_signed_them_while_it_is_accepted() {
    let mut stack = Stack::start_with(&[("JWT_SECRET", OLD)]).await;
    let owner = stack.signup("acme").await;
    for (old, status) in [(OLD, 200), ("", 401)] {
        assert!(stack.control.terminate().success());
        stack.control.set("JWT_SECRET", NEW);
        stack.control.set("JWT_SECRET_OLD", old);
        stack.start_control().await;
        let me = owner.get("/v1/me").await;
        me.expect_status(status);
        let body = json!({"refresh_token": owner.refresh_token});
        let refreshed = stack.anonymous().post("/v1/auth/refresh", body).await;
        refreshed.expect_status(status);
    }
}

/// What a control plane seals with that was never given a secret.
const BUILT_IN: &str = "halyard-built-in-insecure-app-secret";

/// The key of the link's authority, as it is stored.
async fn sealed_key(stack: &Stack) -> Vec<u8> {
    let mut connection = PgConnection::connect(stack.database().url()).await.unwrap();
    sqlx::query_scalar("SELECT sealed_key FROM link_authority")
        .fetch_one(&mut connection)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_secret_that_is_missing_or_short_is_refused_and_changes_nothing() {
    let mut stack = Stack::start_with(&[("APP_SECRET", OLD)]).await;
    assert!(stack.control.terminate().success());
    let before = sealed_key(&stack).await;
    stack.control.set("APP_SECRET_OLD", OLD);
    for secret in ["", "  ", "abc", "31 bytes are one byte too short", BUILT_IN] {
        stack.control.set("APP_SECRET", secret);
        let refused = stack.control.refused(&["secret", "rotate"]);
        let words = "APP_SECRET must be set to a secret of your own, of at least 32 bytes";
        assert!(refused.contains(words), "{secret}: {refused}");
    }
    stack.control.set("APP_SECRET", NEW);
    stack.control.set("APP_SECRET_OLD", "");
    let refused = stack.control.refused(&["secret", "rotate"]);
    let words = format!(
        "APP_SECRET_OLD must be set to what APP_SECRET was before; if it was never set, to {BUILT_IN}"
    );
    assert!(refused.contains(&words), "{refused}");
    assert_eq!(sealed_key(&stack).await, before);
}

#[tokio::test]
async fn the_built_in_secret_can_be_left() {
    let mut stack = Stack::start_with(&[("APP_SECRET", "")]).await;
    assert!(stack.control.terminate().success());
    stack.control.set("APP_SECRET_OLD", BUILT_IN);
    stack.control.set("APP_SECRET", NEW);
    let told = stack.halyard(&["secret", "rotate"]);
    let line = "key of the link's authority: 1 sealed anew, 0 sealed with the new APP_SECRET already, 0 opened by neither\n";
    assert!(told.contains(line), "{told}");
    stack.start_control().await;
}

#[tokio::test]
async fn a_control_plane_with_the_old_secret_stops_before_it_touches_mail() {
    // Nobody listens there, so that mail waits.
    let settings = [("APP_SECRET", NEW), ("SMTP_URL", "smtp://127.0.0.1:1")];
    let mut stack = Stack::start_with(&settings).await;
    for name in ["acme", "umbrella", "initech", "globex"] {
        stack.signup(name).await;
    }
    assert!(stack.control.terminate().success());
    let mut database = PgConnection::connect(stack.database().url()).await.unwrap();
    sqlx::query("UPDATE mails SET due_at = created_at")
        .execute(&mut database)
        .await
        .unwrap();
    let mut mails = async || -> Vec<(Uuid, i32)> {
        sqlx::query_as("SELECT id, attempts::integer FROM mails ORDER BY id")
            .fetch_all(&mut database)
            .await
            .unwrap()
    };
    let before = mails().await;
    assert_eq!(before.len(), 4);

    stack.control.set("APP_SECRET", OLD);
    let log = stack.control.refuses_to_start().await;
    assert!(log.contains("cannot serve edges"), "{log}");
    assert_eq!(mails().await, before);
}
