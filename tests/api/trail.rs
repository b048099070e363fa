//! The audit trail as tests of other domains read it: entries without what differs in every run.

use harness::{App, User};
use serde_json::{Value, json};
use sqlx::Row;
use sqlx::postgres::PgRow;

/// The newest entry of the user's organization: what happened to what, and the states around it.
pub async fn newest(app: &App, user: &User) -> Value {
    entries(app, user).await.pop().expect("an audit entry")
}

/// The entries of an action in the user's organization, in their order.
pub async fn of_action(app: &App, user: &User, action: &str) -> Vec<Value> {
    let mut entries = entries(app, user).await;
    entries.retain(|entry| entry["action"] == action);
    entries
}

async fn entries(app: &App, user: &User) -> Vec<Value> {
    let rows = sqlx::query(
        "SELECT action, actor_type, actor_id::text, resource_type, resource_id, project_id::text, before_state, after_state,
                metadata
         FROM audit_entries
         WHERE org_id = $1::uuid
         ORDER BY created_at, id",
    )
    .bind(&user.org_id)
    .fetch_all(app.pool())
    .await
    .expect("the audit trail");
    rows.iter().map(shown).collect()
}

fn shown(row: &PgRow) -> Value {
    json!({
        "action": row.get::<String, _>("action"),
        "actor_type": row.get::<String, _>("actor_type"),
        "actor_id": row.get::<Option<String>, _>("actor_id"),
        "resource_type": row.get::<String, _>("resource_type"),
        "resource_id": row.get::<Option<String>, _>("resource_id"),
        "project_id": row.get::<Option<String>, _>("project_id"),
        "before_state": row.get::<Option<Value>, _>("before_state"),
        "after_state": row.get::<Option<Value>, _>("after_state"),
        "metadata": row.get::<Option<Value>, _>("metadata"),
    })
}

/// The number of entries of the user's organization.
pub async fn length(app: &App, user: &User) -> i64 {
    sqlx::query_scalar("SELECT COUNT(*) FROM audit_entries WHERE org_id = $1::uuid")
        .bind(&user.org_id)
        .fetch_one(app.pool())
        .await
        .expect("a count")
}
