//! Free organizations without a login: warned, deleted until a login, warned again.

use std::time::Duration;

use domain::{lifecycle::settings::LifecycleSettings, orgs::model::Plan};
use harness::{App, User};
use serde_json::json;
use sqlx::AssertSqlSafe;

use super::{
    DAY, SETTINGS, begin_purge, deletion, free, is_deleted, lifecycle, lifecycle_with, login,
    notices, retire, retire_after, soft_delete, with_free_owner,
};
use crate::trail;

const SECOND: Duration = Duration::from_secs(1);
const SOON: &str = "Your organization on Halyard will be deleted soon";
const PERMANENTLY: &str = "Your organization on Halyard will be deleted permanently";

async fn subjects(app: &App) -> Vec<String> {
    let notices = notices(app).await.into_iter();
    notices.map(|(_, subject)| subject).collect()
}

#[tokio::test]
async fn owners_are_warned_seven_days_before_an_inactive_organization_is_deleted() {
    let (app, owner) = with_free_owner(&[]).await;
    retire_after(&app, 83 * DAY - SECOND).await;
    assert_eq!(subjects(&app).await, [""; 0]);
    retire_after(&app, SECOND).await;
    retire(&app).await;
    let warned = [(owner.email.clone(), SOON.to_owned())];
    assert_eq!(notices(&app).await, warned);
    let mail = app.mail_to(&owner.email).await;
    assert_eq!(mail.link(), "http://127.0.0.1:8080/login");
    assert!(mail.text.contains("since 2026-05-04"), "{}", mail.text);
    assert!(mail.text.contains("On 2026-08-02"), "{}", mail.text);
    assert!(!is_deleted(&app, &owner).await);
}

#[tokio::test]
async fn an_organization_without_a_login_for_90_days_is_deleted_until_a_login() {
    let (app, owner) = with_free_owner(&[]).await;
    retire_after(&app, 83 * DAY).await;
    retire_after(&app, 7 * DAY - SECOND).await;
    assert!(!is_deleted(&app, &owner).await);
    retire_after(&app, SECOND).await;
    let now = app.clock.now();
    assert_eq!(deletion(&app, &owner).await, (Some(now), None));
    assert_eq!(
        trail::newest(&app, &owner).await,
        json!({
            "action": "organization.soft_deleted",
            "actor_type": "system",
            "actor_id": null,
            "resource_type": "organization",
            "resource_id": owner.org_id,
            "project_id": null,
            "before_state": null,
            "after_state": null,
            "metadata": null,
        })
    );
}

#[tokio::test]
async fn an_organization_is_warned_and_deleted_once_when_two_replicas_run_at_once() {
    let (app, owner) = with_free_owner(&[]).await;
    let (one, other) = (lifecycle(&app), lifecycle(&app));
    for wait in [83, 7, 83] {
        app.clock.advance(wait * DAY);
        let (first, second) = tokio::join!(one.retire_inactive(), other.retire_inactive());
        first.unwrap();
        second.unwrap();
        app.mails().await;
    }
    assert_eq!(subjects(&app).await, [SOON, PERMANENTLY]);
    let told = trail::of_action(&app, &owner, "organization.soft_deleted").await;
    assert_eq!(told.len(), 1);
}

#[tokio::test]
async fn owners_are_warned_again_seven_days_before_the_permanent_deletion() {
    let (app, owner) = with_free_owner(&[]).await;
    soft_delete(&app).await;
    retire_after(&app, 83 * DAY - SECOND).await;
    assert_eq!(subjects(&app).await, [SOON]);
    retire_after(&app, SECOND).await;
    retire(&app).await;
    assert_eq!(subjects(&app).await, [SOON, PERMANENTLY]);
    let mail = app.mail_to(&owner.email).await;
    assert_eq!(mail.link(), "http://127.0.0.1:8080/login");
    assert!(mail.text.contains("On 2026-10-31"), "{}", mail.text);
}

#[tokio::test]
async fn the_permanent_deletion_begins_90_days_after_the_deletion() {
    let (app, owner) = with_free_owner(&[]).await;
    soft_delete(&app).await;
    begin_purge(&app).await;
    let (deleted, begun) = deletion(&app, &owner).await;
    assert_eq!(begun, Some(app.clock.now()));
    assert_eq!(begun.unwrap() - deleted.unwrap(), 90 * DAY);
}

#[tokio::test]
async fn after_half_a_year_without_the_service_owners_are_warned_first() {
    let (app, owner) = with_free_owner(&[]).await;
    retire_after(&app, 180 * DAY).await;
    assert!(!is_deleted(&app, &owner).await);
    assert_eq!(subjects(&app).await, [SOON]);
    let mail = app.mail_to(&owner.email).await;
    assert!(mail.text.contains("On 2026-11-07"), "{}", mail.text);
    retire_after(&app, 7 * DAY - SECOND).await;
    assert!(!is_deleted(&app, &owner).await);
    retire_after(&app, SECOND).await;
    assert!(is_deleted(&app, &owner).await);

    // And again, before it is deleted for good.
    retire_after(&app, 180 * DAY).await;
    assert_eq!(subjects(&app).await, [SOON, PERMANENTLY]);
    assert_eq!(deletion(&app, &owner).await.1, None);
    retire_after(&app, 7 * DAY).await;
    assert!(deletion(&app, &owner).await.1.is_some());
}

#[tokio::test]
async fn a_login_after_the_warning_begins_the_time_and_the_warnings_anew() {
    let (app, owner) = with_free_owner(&[]).await;
    retire_after(&app, 89 * DAY).await;
    login(&app, &owner.email).await.expect_status(200);
    retire_after(&app, 82 * DAY).await;
    assert_eq!(subjects(&app).await, [SOON]);
    retire_after(&app, DAY).await;
    assert_eq!(subjects(&app).await, [SOON, SOON]);
    retire_after(&app, 7 * DAY).await;
    assert!(is_deleted(&app, &owner).await);
}

#[tokio::test]
async fn a_login_of_any_member_counts() {
    let (app, owner) = with_free_owner(&[]).await;
    let viewer = app.member(&owner, "viewer").await;
    app.clock.advance(80 * DAY);
    login(&app, &viewer.email).await.expect_status(200);
    retire_after(&app, 80 * DAY).await;
    assert_eq!(subjects(&app).await, [""; 0]);
}

#[tokio::test]
async fn time_counts_only_since_the_organization_became_free() {
    let (app, owner) = App::with_owner().await;
    app.set_plan_as_operator(&owner, Plan::Pro).await;
    retire_after(&app, 365 * DAY).await;
    app.set_plan_as_operator(&owner, Plan::Free).await;
    retire_after(&app, 82 * DAY).await;
    assert_eq!(subjects(&app).await, [""; 0]);
    retire_after(&app, DAY).await;
    assert_eq!(subjects(&app).await, [SOON]);
    let mail = app.mail_to(&owner.email).await;
    assert!(mail.text.contains("since 2026-05-04"), "the last login");
}

#[tokio::test]
async fn a_warning_before_a_paid_time_does_not_count() {
    let (app, owner) = with_free_owner(&[]).await;
    retire_after(&app, 83 * DAY).await;
    app.set_plan_as_operator(&owner, Plan::Pro).await;
    app.clock.advance(365 * DAY);
    app.set_plan_as_operator(&owner, Plan::Free).await;
    retire_after(&app, 90 * DAY).await;
    assert!(!is_deleted(&app, &owner).await);
    assert_eq!(subjects(&app).await, [SOON, SOON]);
}

#[tokio::test]
async fn an_organization_that_is_not_stored_as_free_is_never_deleted() {
    let app = App::start().await;
    for (name, plan) in [
        ("acme", "trial"),
        ("globex", "pro"),
        ("initech", "enterprise"),
    ] {
        let owner = app.signup(name).await;
        app.set_plan(&owner, plan).await;
    }
    retire_after(&app, 1_000 * DAY).await;
    assert_eq!(subjects(&app).await, [""; 0]);
}

#[tokio::test]
async fn an_organization_whose_subscription_goes_on_or_is_asked_about_is_never_deleted() {
    for (status, entitlement, reference, settle_at) in [
        ("past_due", "now", "NULL", "NULL"),
        ("canceled", "over", "'sub_1'", "$2"),
    ] {
        let (app, owner) = with_free_owner(&[]).await;
        let subscription = format!(
            "INSERT INTO subscriptions
                 (id, org_id, gateway, gateway_ref, status, entitlement, cancel_at_period_end, started_at, settle_at,
                  created_at, updated_at)
             VALUES (gen_random_uuid(), $1::uuid, 'gateway_redirect', {reference}, '{status}', '{entitlement}', false,
                     $2, {settle_at}, $2, $2)"
        );
        sqlx::query(AssertSqlSafe(subscription))
            .bind(&owner.org_id)
            .bind(app.clock.now())
            .execute(app.pool())
            .await
            .unwrap();
        retire_after(&app, 1_000 * DAY).await;
        assert_eq!(subjects(&app).await, [""; 0], "{status}");
    }
}

#[tokio::test]
async fn a_limit_of_0_switches_everything_off() {
    let app = App::start().await;
    let acme = free(&app, "acme").await;
    soft_delete(&app).await;
    free(&app, "globex").await;
    let never = LifecycleSettings {
        inactivity_limit: Duration::ZERO,
        ..SETTINGS
    };
    app.clock.advance(1_000 * DAY);
    let life = lifecycle_with(&app, never);
    life.retire_inactive().await.unwrap();
    app.clock.advance(1_000 * DAY);
    life.retire_inactive().await.unwrap();
    assert_eq!(subjects(&app).await, [SOON]);
    assert_eq!(deletion(&app, &acme).await.1, None);
}

#[tokio::test]
async fn an_organization_without_a_row_of_activity_counts_from_its_creation() {
    let (app, owner) = with_free_owner(&[]).await;
    forget_activity(&app, &owner).await;
    retire_after(&app, 83 * DAY).await;
    assert_eq!(subjects(&app).await, [SOON]);
    forget_activity(&app, &owner).await;
    login(&app, &owner.email).await.expect_status(200);
    retire_after(&app, 82 * DAY).await;
    assert_eq!(subjects(&app).await, [SOON]);
}

async fn forget_activity(app: &App, owner: &User) {
    app.execute(
        "DELETE FROM org_activity WHERE org_id = $1::uuid",
        &[&owner.org_id],
    )
    .await;
}

#[tokio::test]
async fn a_paid_plan_restores_a_deleted_organization() {
    let (app, owner) = with_free_owner(&[]).await;
    soft_delete(&app).await;
    app.set_plan_as_operator(&owner, Plan::Pro).await;
    retire_after(&app, 365 * DAY).await;
    assert_eq!(deletion(&app, &owner).await, (None, None));
    app.set_plan_as_operator(&owner, Plan::Free).await;
    retire_after(&app, 82 * DAY).await;
    assert_eq!(subjects(&app).await, [SOON]);
}
