//! The lives of organizations: trials, inactivity, permanent deletion.
//!
//! The jobs run once when an app starts, and then not before the test is over. Tests run them when they want to, as any replica
//! would; `the_jobs_run_by_themselves` shows that nobody has to.

mod access;
mod commands;
mod default_plan;
mod inactivity;
mod leave;
mod purge;
mod purge_rows;
mod races;
mod scheduled;
mod sign_in;
mod trial_notice;
mod trials;

use std::sync::Arc;
use std::time::Duration;

use base::config::UrlSettings;
use domain::lifecycle::{Lifecycle, settings::LifecycleSettings};
use harness::user::PASSWORD;
use harness::{App, Response, User};
use serde_json::json;
use time::OffsetDateTime;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

const DELETED: &str = "organization is deleted: sign in again to restore it";

/// The defaults.
const SETTINGS: LifecycleSettings = LifecycleSettings {
    interval: Duration::from_secs(60),
    trial_notice: Duration::from_secs(3 * 24 * 60 * 60),
    past_due_grace: Duration::from_secs(14 * 24 * 60 * 60),
    inactivity_limit: Duration::from_secs(90 * 24 * 60 * 60),
    inactivity_grace: Duration::from_secs(90 * 24 * 60 * 60),
    inactivity_warning: Duration::from_secs(7 * 24 * 60 * 60),
};

/// Tokens that outlive what is waited for.
const LONG_TOKENS: [(&str, &str); 2] = [
    ("TOKEN_TTL_MINUTES", "1000000"),
    ("REFRESH_TTL_HOURS", "20000"),
];

fn lifecycle(app: &App) -> Lifecycle {
    lifecycle_with(app, SETTINGS)
}

fn lifecycle_with(app: &App, settings: LifecycleSettings) -> Lifecycle {
    let urls = UrlSettings {
        edge: None,
        api: app.url.clone(),
        dashboard: "http://127.0.0.1:8080".to_owned(),
        has_dashboard: true,
    };
    let (db, clock) = (app.db().clone(), app.clock.clone());
    Lifecycle::new(db, clock, app.mailer.clone(), Arc::new(urls), settings)
}

/// An organization that became Free now.
async fn free(app: &App, name: &str) -> User {
    let owner = app.signup(name).await;
    let plan = domain::orgs::model::Plan::Free;
    app.set_plan_as_operator(&owner, plan).await;
    owner
}

/// A control plane with these settings, and the owner of an organization that became Free now.
async fn with_free_owner(settings: &[(&str, &str)]) -> (App, User) {
    let app = App::start_with(settings).await;
    let owner = free(&app, "acme").await;
    (app, owner)
}

/// Does with inactive organizations what is due, and has the mails sent before the clock goes on.
async fn retire(app: &App) {
    lifecycle(app).retire_inactive().await.unwrap();
    app.mails().await;
}

/// The same some time later.
async fn retire_after(app: &App, time: Duration) {
    app.clock.advance(time);
    retire(app).await;
}

/// Goes on to the warning of a deletion, and from there to where the deletion is due.
async fn until_due(app: &App) {
    retire_after(app, 83 * DAY).await;
    app.clock.advance(7 * DAY);
}

/// Lets an organization that became Free now be deleted, with the warning before it.
async fn soft_delete(app: &App) {
    until_due(app).await;
    retire(app).await;
}

/// Goes on from there to the beginning of the permanent deletion.
async fn begin_purge(app: &App) {
    until_due(app).await;
    retire(app).await;
}

async fn login(app: &App, email: &str) -> Response {
    let body = json!({"email": email, "password": PASSWORD});
    app.anonymous().post("/v1/auth/login", body).await
}

async fn refresh(app: &App, user: &User) -> Response {
    let body = json!({"refresh_token": user.refresh_token});
    app.anonymous().post("/v1/auth/refresh", body).await
}

/// The plan as it is stored.
async fn stored_plan(app: &App, user: &User) -> String {
    app.value(
        "SELECT plan FROM organizations WHERE id = $1::uuid",
        &[&user.org_id],
    )
    .await
}

/// When the organization was deleted until a login, and when its permanent deletion began.
async fn deletion(app: &App, user: &User) -> (Option<OffsetDateTime>, Option<OffsetDateTime>) {
    sqlx::query_as("SELECT deleted_at, purge_started_at FROM organizations WHERE id = $1::uuid")
        .bind(&user.org_id)
        .fetch_one(app.pool())
        .await
        .unwrap()
}

async fn is_deleted(app: &App, user: &User) -> bool {
    deletion(app, user).await.0.is_some()
}

async fn exists(app: &App, user: &User) -> bool {
    app.value(
        "SELECT EXISTS (SELECT FROM organizations WHERE id = $1::uuid)",
        &[&user.org_id],
    )
    .await
}

/// Recipients and subjects of all mails but those of signing up and inviting.
async fn notices(app: &App) -> Vec<(String, String)> {
    let mails = app.mails().await.into_iter();
    let subjects = ["trial", "deleted"];
    mails
        .filter(|mail| subjects.iter().any(|word| mail.subject.contains(word)))
        .map(|mail| (mail.to, mail.subject))
        .collect()
}
