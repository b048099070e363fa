//! Accounts: registering, signing in, staying signed in, signing out.

mod lockout;
mod login;
mod register;
mod sessions;

use harness::App;
use serde_json::{Value, json};
use sqlx::Row;

/// The fields of a registration that is accepted.
fn registration() -> Value {
    json!({
        "email": "ada@example.com",
        "password": "Correct-horse-1",
        "name": "Ada Lovelace",
        "org_name": "Analytical Engines",
    })
}

/// The same with one field replaced, or taken out by `null`.
fn registration_with(field: &str, value: Value) -> Value {
    let mut body = registration();
    body[field] = value;
    body
}

/// Actions of the audit trail in their order, each with the user it is about.
pub async fn audit_trail(app: &App, org_id: &str) -> Vec<(String, String)> {
    sqlx::query(
        "SELECT action, resource_id FROM audit_entries
         WHERE org_id = $1::uuid AND actor_id::text = resource_id AND ip_address = '127.0.0.1'
         ORDER BY created_at, id",
    )
    .bind(org_id)
    .fetch_all(app.pool())
    .await
    .unwrap()
    .iter()
    .map(|row| (row.get(0), row.get(1)))
    .collect()
}
