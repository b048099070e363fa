//! Permanent deletion: what goes, what stays, and what happens when it is interrupted.

use domain::{orgs::model::Plan, usage::Reporter};
use harness::{App, Caller, User, eventually};
use protocol::reason::Reason;
use protocol::wire::usage::{EvaluationCount, UsageBatch};
use publish::Regions;
use serde_json::json;
use uuid::Uuid;

use super::{
    LONG_TOKENS, begin_purge, deletion, exists, free, lifecycle, login, refresh, soft_delete,
    until_due, with_free_owner,
};

/// An organization with a flag, whose permanent deletion has begun, and an SDK of it.
async fn doomed(app: &App) -> (User, Caller) {
    let owner = free(app, "acme").await;
    let project = owner.default_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "checkout", "name": "Checkout"});
    owner.create(&flags, flag).await;
    let key = owner.api_key(&project.dev).await;
    soft_delete(app).await;
    begin_purge(app).await;
    assert!(deletion(app, &owner).await.1.is_some());
    (owner, app.anonymous().with_key(&key))
}

async fn purge(app: &App) {
    lifecycle(app).purge_organizations().await.unwrap();
}

async fn evaluate(sdk: &Caller) -> u16 {
    let body = json!({"flag_key": "checkout", "context": {"key": "user-1"}});
    sdk.post("/v1/evaluate", body).await.status
}

async fn until_the_key_opens_nothing(sdk: &Caller) {
    eventually("the key opens nothing", async || {
        (evaluate(sdk).await == 401).then_some(())
    })
    .await;
}

#[tokio::test]
async fn nobody_enters_an_organization_whose_permanent_deletion_has_begun() {
    let app = App::start_with(&LONG_TOKENS).await;
    let (owner, _) = doomed(&app).await;
    login(&app, &owner.email)
        .await
        .expect_error(401, "invalid credentials");
    let invalid = "invalid or expired token";
    refresh(&app, &owner).await.expect_error(401, invalid);
    owner.get("/v1/projects").await.expect_error(401, invalid);
    assert!(deletion(&app, &owner).await.1.is_some());
}

#[tokio::test]
async fn edges_stop_serving_an_organization_that_is_deleted_permanently() {
    let app = App::start().await;
    let (owner, sdk) = doomed(&app).await;
    assert_eq!(evaluate(&sdk).await, 200);
    purge(&app).await;
    assert!(!exists(&app, &owner).await);
    until_the_key_opens_nothing(&sdk).await;
}

#[tokio::test]
async fn its_addresses_can_sign_up_again() {
    let app = App::start().await;
    let (owner, _) = doomed(&app).await;
    purge(&app).await;
    let again = app.signup("acme").await;
    assert_eq!(again.email, owner.email);
    assert_ne!(again.id, owner.id);
}

#[tokio::test]
async fn users_who_are_members_elsewhere_stay() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    let other = app.signup("globex").await;
    app.set_plan(&other, "pro").await;
    let body = json!({"email": owner.email, "role": "admin"});
    other.create("/v1/members/invite", body).await;
    // What is kept under an address that stays.
    sqlx::query("INSERT INTO sent_codes (email, sent_at, last_sent_at) VALUES ($1, ARRAY[$2::timestamptz], $2)")
        .bind(&owner.email)
        .bind(app.clock.now())
        .execute(app.pool())
        .await
        .unwrap();
    soft_delete(&app).await;
    begin_purge(&app).await;
    // Before the deletion is done too.
    login(&app, &owner.email).await.expect_status(200);
    purge(&app).await;
    assert!(!exists(&app, &owner).await);
    let there = User::login(&app.anonymous(), &owner.email, &other.org_id).await;
    assert_eq!(there.id, owner.id);
    there.get("/v1/members").await.expect_status(200);
    let codes: i64 = app
        .value(
            "SELECT COUNT(*) FROM sent_codes WHERE email = $1",
            &[&owner.email],
        )
        .await;
    assert_eq!(codes, 1);
    let asked_for =
        json!({"email": owner.email, "password": harness::user::PASSWORD, "org_id": owner.org_id});
    let asked_for = app.anonymous().post("/v1/auth/login", asked_for).await;
    asked_for.expect_error(403, "not a member of the organization");
}

#[tokio::test]
async fn an_organization_is_deleted_permanently_by_two_replicas_at_once() {
    let (app, owner) = App::with_owner().await;
    for _ in 0..20 {
        app.member(&owner, "viewer").await;
    }
    app.set_plan_as_operator(&owner, Plan::Free).await;
    soft_delete(&app).await;
    begin_purge(&app).await;
    let (one, other) = (lifecycle(&app), lifecycle(&app));
    let (first, second) = tokio::join!(one.purge_organizations(), other.purge_organizations());
    first.unwrap();
    second.unwrap();
    assert!(!exists(&app, &owner).await);
    let users: i64 = app.value("SELECT COUNT(*) FROM users", &[]).await;
    assert_eq!(users, 0);
}

#[tokio::test]
async fn the_permanent_deletion_begins_once_when_two_replicas_run_at_once() {
    let (app, owner) = with_free_owner(&[]).await;
    soft_delete(&app).await;
    until_due(&app).await;
    let (one, other) = (lifecycle(&app), lifecycle(&app));
    let (first, second, third, fourth) = tokio::join!(
        one.retire_inactive(),
        other.retire_inactive(),
        one.purge_organizations(),
        other.purge_organizations()
    );
    first.unwrap();
    second.unwrap();
    third.unwrap();
    fourth.unwrap();
    purge(&app).await;
    assert!(!exists(&app, &owner).await);
}

/// Lets every deletion from a table fail, or none.
async fn fail_deletions(app: &App, table: &str, fail: bool) {
    let text = if fail {
        format!(
            "CREATE TRIGGER injected BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION fail()"
        )
    } else {
        format!("DROP TRIGGER injected ON {table}")
    };
    sqlx::raw_sql(sqlx::AssertSqlSafe(text))
        .execute(app.pool())
        .await
        .unwrap();
}

#[tokio::test]
async fn a_permanent_deletion_that_is_interrupted_goes_on_at_the_next_run() {
    let app = App::start_with(&LONG_TOKENS).await;
    sqlx::raw_sql(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'injected'; END $$",
    )
    .execute(app.pool())
    .await
    .unwrap();
    let (owner, sdk) = doomed(&app).await;
    let second = json!({"name": "Second"});
    owner.post("/v1/projects", second).await.expect_status(401);
    // Stage by stage: accounts, projects, the trail, the rest.
    for (table, left) in [
        ("users", [true, true, true]),
        ("projects", [false, true, true]),
        ("audit_entries", [false, false, true]),
        ("organizations", [false, false, false]),
    ] {
        fail_deletions(&app, table, true).await;
        let error = lifecycle(&app).purge_organizations().await.unwrap_err();
        let expected = format!(
            "1 organizations failed, the first of them was {}",
            owner.org_id
        );
        assert_eq!(error.to_string(), expected);
        fail_deletions(&app, table, false).await;
        for (what, is_left) in ["members", "projects", "audit_entries"].iter().zip(left) {
            let text = format!("SELECT COUNT(*) > 0 FROM {what} WHERE org_id = $1::uuid");
            let found: bool = sqlx::query_scalar(sqlx::AssertSqlSafe(text))
                .bind(&owner.org_id)
                .fetch_one(app.pool())
                .await
                .unwrap();
            assert_eq!(found, is_left, "{what} when {table} failed");
        }
        assert!(exists(&app, &owner).await);
        login(&app, &owner.email)
            .await
            .expect_error(401, "invalid credentials");
    }
    purge(&app).await;
    assert!(!exists(&app, &owner).await);
    until_the_key_opens_nothing(&sdk).await;
}

#[tokio::test]
async fn one_organization_that_cannot_be_deleted_does_not_hold_up_the_others() {
    let app = App::start().await;
    let acme = free(&app, "acme").await;
    let globex = free(&app, "globex").await;
    soft_delete(&app).await;
    begin_purge(&app).await;
    let text = format!(
        "CREATE TABLE holding (org_id uuid REFERENCES organizations);
         INSERT INTO holding VALUES ('{}')",
        acme.org_id
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(text))
        .execute(app.pool())
        .await
        .unwrap();
    lifecycle(&app).purge_organizations().await.unwrap_err();
    assert!(exists(&app, &acme).await);
    assert!(!exists(&app, &globex).await);
}

#[tokio::test]
async fn a_project_that_was_added_at_the_last_moment_is_not_lost_to_the_edges() {
    let app = App::start().await;
    let (owner, _) = doomed(&app).await;
    // It appears after the projects were deleted.
    sqlx::raw_sql(
        "CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             INSERT INTO projects (id, org_id, name, slug, created_at, updated_at)
             VALUES (gen_random_uuid(), OLD.org_id, 'late', 'late', now(), now())
             ON CONFLICT DO NOTHING;
             RETURN OLD;
         END $$;
         CREATE TRIGGER late BEFORE DELETE ON audit_entries FOR EACH ROW EXECUTE FUNCTION late()",
    )
    .execute(app.pool())
    .await
    .unwrap();
    purge(&app).await;
    assert!(exists(&app, &owner).await);
    sqlx::raw_sql("DROP TRIGGER late ON audit_entries")
        .execute(app.pool())
        .await
        .unwrap();
    purge(&app).await;
    assert!(!exists(&app, &owner).await);
}

#[tokio::test]
async fn a_usage_report_that_comes_after_the_permanent_deletion_is_acknowledged() {
    let (app, owner) = with_free_owner(&[]).await;
    let env_id = owner.default_project().await.dev;
    soft_delete(&app).await;
    begin_purge(&app).await;
    let batch = |sequence| UsageBatch {
        boot: [7; 16],
        sequence,
        evaluations: vec![EvaluationCount {
            env_id: env_id.parse::<Uuid>().unwrap().into(),
            flag_key: "checkout".to_owned(),
            reason: Reason::Rollout,
            value: "true".to_owned(),
            variant_key: String::new(),
            count: 5,
        }],
        impressions: Vec::new(),
        keys_used: Vec::new(),
    };
    let edge = || Reporter::joined("fra", Regions::All);
    app.usage.store(edge(), batch(1)).await.unwrap();
    purge(&app).await;
    app.usage.store(edge(), batch(2)).await.unwrap();
    let counters: i64 = app
        .value("SELECT COUNT(*) FROM evaluation_counters", &[])
        .await;
    assert_eq!(counters, 0);
}

#[tokio::test]
async fn a_long_trail_is_deleted_in_batches() {
    let app = App::start().await;
    let (owner, _) = doomed(&app).await;
    app.execute(
        "INSERT INTO audit_entries (id, org_id, actor_type, action, resource_type, created_at)
         SELECT gen_random_uuid(), $1::uuid, 'system', 'flag.created', 'flag', now() FROM generate_series(1, 25000)",
        &[&owner.org_id],
    )
    .await;
    purge(&app).await;
    assert!(!exists(&app, &owner).await);
}
