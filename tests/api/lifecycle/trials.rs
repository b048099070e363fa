//! trial → free, when the trial has ended.

use harness::{App, User};
use serde_json::json;

use super::{DAY, LONG_TOKENS, lifecycle, notices, stored_plan};
use crate::trail;

const ENDED: &str = "The trial of your organization on Halyard has ended";

async fn assert_ended_once(app: &App, owner: &User) {
    assert_eq!(stored_plan(app, owner).await, "free");
    assert_eq!(
        trail::of_action(app, owner, "billing.plan_changed").await,
        [json!({
            "action": "billing.plan_changed",
            "actor_type": "system",
            "actor_id": null,
            "resource_type": "billing",
            "resource_id": owner.org_id,
            "project_id": null,
            "before_state": {"plan": "trial"},
            "after_state": {"plan": "free"},
            "metadata": null,
        })]
    );
    let told = [(owner.email.clone(), ENDED.to_owned())];
    let ended = notices(app).await.into_iter();
    let ended: Vec<_> = ended.filter(|(_, subject)| subject == ENDED).collect();
    assert_eq!(ended, told);
}

#[tokio::test]
async fn a_trial_becomes_free_by_the_job_when_it_has_ended() {
    let (app, owner) = App::with_owner().await;
    app.clock
        .advance(14 * DAY - std::time::Duration::from_secs(1));
    lifecycle(&app).end_trials().await.unwrap();
    assert_eq!(stored_plan(&app, &owner).await, "trial");
    app.clock.advance(std::time::Duration::from_secs(1));
    lifecycle(&app).end_trials().await.unwrap();
    assert_ended_once(&app, &owner).await;
}

#[tokio::test]
async fn a_trial_becomes_free_by_any_authenticated_request_when_it_has_ended() {
    let (app, owner) = App::with_owner_and(&LONG_TOKENS).await;
    let viewer = app.member(&owner, "viewer").await;
    app.clock.advance(14 * DAY);
    // Also one that is refused.
    let refused = viewer.post("/v1/projects", json!({"name": "Mine"})).await;
    refused.expect_error(403, "insufficient permissions");
    assert_ended_once(&app, &owner).await;
}

#[tokio::test]
async fn a_request_without_a_valid_token_ends_no_trial() {
    let (app, owner) = App::with_owner().await;
    app.clock.advance(14 * DAY);
    owner.get("/v1/projects").await.expect_status(401);
    assert_eq!(stored_plan(&app, &owner).await, "trial");
}

#[tokio::test]
async fn a_trial_ends_once_when_ten_requests_and_the_job_of_two_replicas_come_at_once() {
    let app = App::start_with(&LONG_TOKENS).await;
    let elsewhere = app.another_replica().await;
    let owner = app.signup("acme").await;
    app.clock.advance(14 * DAY);
    let mut requests = tokio::task::JoinSet::new();
    for number in 0..10 {
        let caller = if number % 2 == 0 {
            (*owner).clone()
        } else {
            owner.at(&elsewhere)
        };
        requests.spawn(async move { caller.get("/v1/projects").await });
    }
    let (one, other) = (lifecycle(&app), lifecycle(&app));
    let (one, other, answers) =
        tokio::join!(one.end_trials(), other.end_trials(), requests.join_all());
    one.unwrap();
    other.unwrap();
    for answer in answers {
        answer.expect_status(200);
    }
    assert_ended_once(&app, &owner).await;
}

#[tokio::test]
async fn the_end_of_a_trial_is_mailed_to_owners_and_admins_with_an_account() {
    let (app, owner) = App::with_owner().await;
    let admin = app.member(&owner, "admin").await;
    app.member(&owner, "developer").await;
    // Only invited: anybody can invite any address.
    let stub = json!({"email": "stub@example.com", "role": "admin"});
    owner.create("/v1/members/invite", stub).await;
    app.clock.advance(14 * DAY);
    lifecycle(&app).end_trials().await.unwrap();
    let ended = |to: &str| (to.to_owned(), ENDED.to_owned());
    let mut told = notices(&app).await;
    told.sort();
    let mut expected = vec![ended(&owner.email), ended(&admin.email)];
    expected.sort();
    assert_eq!(told, expected);
    let mail = app.mail_to(&owner.email).await;
    assert_eq!(mail.link(), "http://127.0.0.1:8080/settings/billing");
}

#[tokio::test]
async fn one_trial_that_cannot_be_ended_does_not_hold_up_the_others() {
    let app = App::start().await;
    let acme = app.signup("acme").await;
    let globex = app.signup("globex").await;
    app.clock.advance(14 * DAY);
    fail_for(&app, &acme).await;
    let error = lifecycle(&app).end_trials().await.unwrap_err();
    let expected = format!(
        "1 organizations failed, the first of them was {}",
        acme.org_id
    );
    assert_eq!(error.to_string(), expected);
    assert_eq!(stored_plan(&app, &acme).await, "trial");
    assert_eq!(stored_plan(&app, &globex).await, "free");
}

#[tokio::test]
async fn a_request_goes_on_with_the_limits_of_free_when_the_end_cannot_be_stored() {
    let (app, owner) = App::with_owner_and(&LONG_TOKENS).await;
    app.clock.advance(14 * DAY);
    fail_for(&app, &owner).await;
    owner.get("/v1/projects").await.expect_status(200);
    let refused = owner.post("/v1/projects", json!({"name": "Second"})).await;
    refused.expect_error(402, "plan limit reached: projects");
    assert_eq!(stored_plan(&app, &owner).await, "trial");
}

#[tokio::test]
async fn more_trials_than_a_batch_end_in_one_run() {
    let app = App::start().await;
    sqlx::query(
        "INSERT INTO organizations (id, name, slug, plan, data_region, trial_expires_at, created_at, updated_at)
         SELECT gen_random_uuid(), 'o', 'o' || n, 'trial', 'us', $1, $1, $1 FROM generate_series(1, 250) AS n",
    )
    .bind(app.clock.now())
    .execute(app.pool())
    .await
    .unwrap();
    lifecycle(&app).end_trials().await.unwrap();
    let left: i64 = app
        .value(
            "SELECT COUNT(*) FROM organizations WHERE plan = 'trial'",
            &[],
        )
        .await;
    assert_eq!(left, 0);
}

#[tokio::test]
async fn only_trials_end() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "pro").await;
    app.clock.advance(100 * DAY);
    lifecycle(&app).end_trials().await.unwrap();
    lifecycle(&app)
        .end_trial(base::ids::OrgId::parse(&owner.org_id).unwrap())
        .await
        .unwrap();
    assert_eq!(stored_plan(&app, &owner).await, "pro");
    assert_eq!(notices(&app).await, []);
}

/// Lets what is written of the organization's plan fail.
async fn fail_for(app: &App, owner: &User) {
    let text = format!(
        "ALTER TABLE organizations ADD CONSTRAINT injected CHECK (id <> '{}' OR plan <> 'free')",
        owner.org_id
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(text))
        .execute(app.pool())
        .await
        .unwrap();
}
