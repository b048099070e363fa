//! Every change is told, none that was refused or failed is, and no secret gets into the trail.

use std::collections::BTreeSet;

use harness::{App, documented};
use serde_json::json;

use super::walk::{Pace, Walk};

/// Writing endpoints that leave no entry: first those that the contract excepts, then ours with their reasons.
const SILENT: [&str; 21] = [
    "POST /v1/auth/refresh",
    "POST /v1/auth/session",
    "POST /v1/auth/session/refresh",
    "POST /v1/auth/resend-signup-otp",
    // What it begins is told when it ends.
    "POST /v1/auth/oidc/start",
    "POST /v1/auth/forgot-password",
    "POST /v1/auth/send-verification-email",
    "PATCH /v1/onboarding",
    "POST /v1/sales/inquiry",
    "POST /v1/billing/gateway_form/failure",
    "POST /v1/billing/portal",
    "POST /v1/webhooks/{webhookID}/test",
    "POST /v1/webhooks/{webhookID}/redeliver",
    "POST /v1/webhooks/{webhookID}/deliveries/{deliveryID}/redeliver",
    "POST /v1/migration/providers",
    "POST /v1/migration/connect",
    "POST /v1/migration/analyze",
    "POST /v1/migration/identities",
    // There is no organization yet whose trail it could be told in.
    "POST /v1/auth/initiate-signup",
    // Writes nothing at all.
    "POST /v1/explain",
    "POST /v1/projects/{projectID}/change-sets/{changeSetID}/explain",
];

#[tokio::test]
async fn every_writing_endpoint_tells_its_change_in_the_transaction_of_the_change() {
    let walk = Walk::new(Pace::Thorough).await;
    let documented = documented::by_endpoint().into_iter();
    let writing = documented.filter(|(_, operation)| {
        let writes = ["POST", "PUT", "PATCH", "DELETE"].contains(&operation.method.as_str());
        writes && !operation.is_outside_management()
    });
    let writing: BTreeSet<_> = writing.map(|(name, _)| name).collect();
    let silent: BTreeSet<_> = SILENT.map(str::to_owned).into();
    let walked: BTreeSet<_> = walk.walked.keys().cloned().collect();
    let missing: Vec<_> = writing.difference(&walked).collect();
    assert!(missing.is_empty(), "not walked: {missing:?}");
    let told_nothing = walk.walked.into_iter().filter(|(_, told)| !told);
    let told_nothing: BTreeSet<_> = told_nothing.map(|(endpoint, _)| endpoint).collect();
    assert_eq!(told_nothing, silent);
}

#[tokio::test]
async fn no_secret_gets_into_the_trail() {
    let walk = Walk::new(Pace::Brisk).await;
    let secrets = walk.secrets;
    assert!(secrets.len() > 60, "{} secrets", secrets.len());
    assert_eq!(leaks(&walk.app, &secrets).await, [""; 0]);

    // The search finds what it looks for.
    for secret in [secrets.first().unwrap(), secrets.last().unwrap()] {
        sqlx::query("UPDATE audit_entries SET after_state = $1 WHERE id = (SELECT id FROM audit_entries ORDER BY id LIMIT 1)")
            .bind(json!({"text": secret}))
            .execute(walk.app.pool())
            .await
            .unwrap();
        let found = leaks(&walk.app, &secrets).await;
        assert_eq!(found.iter().collect::<Vec<_>>(), [secret]);
    }
}

/// The secrets that some entry holds as a whole word: six digits of a code may well be amid the digits of an id.
async fn leaks(app: &App, secrets: &BTreeSet<String>) -> Vec<String> {
    let entries: String = app
        .value(
            "SELECT string_agg(audit_entries::text, E'\\n') FROM audit_entries",
            &[],
        )
        .await;
    let holds = |secret: &String| {
        entries.match_indices(secret.as_str()).any(|(at, found)| {
            let is_part = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
            let before = entries[..at].chars().next_back();
            let after = entries[at + found.len()..].chars().next();
            !is_part(before) && !is_part(after)
        })
    };
    secrets
        .iter()
        .filter(|secret| holds(secret))
        .cloned()
        .collect()
}
