//! Changes of one state at the same time.

use std::collections::HashSet;

use serde_json::json;
use sqlx::Connection;

use super::{Setup, version};

#[tokio::test]
async fn updates_of_different_fields_all_survive() {
    let setup = Setup::with("boolean").await;
    for round in 0..10 {
        let (one, other, third) = tokio::join!(
            setup.put(json!({"enabled": round % 2 == 0})),
            setup.put(json!({"percentage_rollout": round})),
            setup.put(json!({"rules": [{"id": format!("round-{round}")}]})),
        );
        let versions: HashSet<u64> = [&one, &other, &third].into_iter().map(version).collect();
        assert_eq!(versions.len(), 3, "each change has a version of its own");

        let state = setup.owner.get(&setup.dev()).await;
        assert_eq!(state.body["enabled"], round % 2 == 0);
        assert_eq!(state.body["percentage_rollout"], round);
        assert_eq!(state.body["rules"][0]["id"], format!("round-{round}"));
    }
}

#[tokio::test]
async fn a_first_update_twice_at_once_makes_one_state() {
    let setup = Setup::with("boolean").await;
    let (one, other) = tokio::join!(
        setup.put(json!({"enabled": true})),
        setup.put(json!({"percentage_rollout": 5}))
    );
    assert_eq!(one.text("/id"), other.text("/id"));
}

#[tokio::test]
async fn a_change_of_a_flag_that_is_being_deleted_is_stored_before_or_refused() {
    let setup = Setup::with("boolean").await;
    let (changed, deleted) = tokio::join!(
        setup.put(json!({"enabled": true})),
        setup.owner.delete(&setup.flag)
    );
    let left: i64 = setup
        .app
        .value("SELECT COUNT(*) FROM flag_states", &[])
        .await;
    // A flag that was switched on before is not deleted.
    let outcome = (changed.status, deleted.status, left);
    assert!(
        matches!(outcome, (404, 204, 0) | (200, 409, 1)),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn what_others_drew_while_the_lock_was_waited_for_counts() {
    let setup = Setup::with("boolean").await;
    let before = version(&setup.put(json!({"enabled": true})).await);
    let mut session = setup.app.session().await;
    let mut others = session.begin().await.unwrap();
    for statement in [
        "UPDATE projects SET version = version + 1",
        "UPDATE environments SET state_bytes = 48 << 20, version = version + 1",
    ] {
        sqlx::query(statement).execute(&mut *others).await.unwrap();
    }
    let growing = setup.put(json!({"default_value": true}));
    let committing = async {
        setup.app.until_waiting_for_locks(1).await;
        others.commit().await.unwrap();
    };
    let (refused, ()) = tokio::join!(growing, committing);
    refused.expect_error(400, "the compiled environment would exceed 48 MiB");
    let after = version(&setup.put(json!({"enabled": false})).await);
    assert_eq!(after, before + 2, "that of others is drawn once");
}
