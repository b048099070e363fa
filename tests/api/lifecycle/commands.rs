//! `halyard org`.

use control_plane::orgs::{CommandSettings, OrgCommand, PlanName, run};
use harness::{App, User};
use serde_json::json;

use super::{DAY, SETTINGS, free, soft_delete, with_free_owner};

async fn ran(app: &App, command: OrgCommand) -> Result<String, String> {
    let settings = CommandSettings {
        trial_length: 14 * DAY,
        lifecycle: SETTINGS,
        mailing: None,
    };
    let done = run(command, app.db(), &settings, &app.clock).await;
    done.map_err(|error| error.to_string())
}

async fn show(app: &App, org: &str) -> String {
    let org = org.to_owned();
    ran(app, OrgCommand::Show { org }).await.unwrap()
}

async fn slugs(app: &App, limit: u32, after: Option<&User>, plan: Option<PlanName>) -> Vec<String> {
    let after = after.map(|user| user.org_id.parse().unwrap());
    let text = ran(app, OrgCommand::List { limit, after, plan })
        .await
        .unwrap();
    let rows = text.lines().skip(1);
    rows.map(|row| row.split_whitespace().nth(1).unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn an_organization_is_shown_by_id_and_by_slug() {
    let (app, owner) = App::with_owner().await;
    let expected = format!(
        "\
id            {}
name          acme
slug          acme
plan          trial
trial         ends 2026-05-18T12:00:00Z
gateway       gateway_form
subscription  none
seats         1 (unlimited)
projects      1 (unlimited)
environments  3 (unlimited) in one project
last login    2026-05-04T12:00:00Z
deletion      never
",
        owner.org_id
    );
    assert_eq!(show(&app, "acme").await, expected);
    assert_eq!(show(&app, &owner.org_id).await, expected);
}

#[tokio::test]
async fn a_free_organization_is_shown_with_its_limits_and_its_expected_deletion() {
    let (app, owner) = with_free_owner(&[]).await;
    sqlx::query(
        "INSERT INTO subscriptions
             (id, org_id, gateway, status, entitlement, current_period_end, cancel_at_period_end, started_at, created_at, updated_at)
         VALUES (gen_random_uuid(), $1::uuid, 'gateway_form', 'canceled', 'over', $2, false, $2, $2, $2)",
    )
    .bind(&owner.org_id)
    .bind(app.clock.now())
    .execute(app.pool())
    .await
    .unwrap();
    let shown = show(&app, "acme").await;
    for line in [
        "plan          free\n",
        "subscription  canceled through gateway_form, over, was paid until 2026-05-04T12:00:00Z\n",
        "seats         1 of 3\n",
        "projects      1 of 1\n",
        "environments  3 of 2 in one project\n",
        "deletion      2026-08-02T12:00:00Z, unless somebody signs in\n",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    soft_delete(&app).await;
    let shown = show(&app, "acme").await;
    let line = "deletion      deleted 2026-08-02T12:00:00Z, permanently 2026-10-31T12:00:00Z, unless somebody signs in\n";
    assert!(shown.contains(line), "{shown}");
}

#[tokio::test]
async fn organizations_are_listed_in_pages_and_by_the_plan_in_effect() {
    let app = App::start().await;
    let acme = app.signup("acme").await;
    let globex = free(&app, "globex").await;
    app.signup("initech").await;
    assert_eq!(
        slugs(&app, 100, None, None).await,
        ["acme", "globex", "initech"]
    );
    assert_eq!(slugs(&app, 2, None, None).await, ["acme", "globex"]);
    assert_eq!(slugs(&app, 2, Some(&globex), None).await, ["initech"]);
    let trial = Some(PlanName::Trial);
    assert_eq!(slugs(&app, 100, None, trial).await, ["acme", "initech"]);
    assert_eq!(slugs(&app, 100, Some(&acme), trial).await, ["initech"]);
    app.clock.advance(14 * DAY);
    let free = Some(PlanName::Free);
    assert_eq!(slugs(&app, 100, None, free).await.len(), 3);
    assert_eq!(slugs(&app, 100, None, trial).await, [""; 0]);
}

async fn set_plan(app: &App, org: &str, plan: PlanName) -> Result<String, String> {
    let org = org.to_owned();
    ran(app, OrgCommand::SetPlan { org, plan }).await
}

#[tokio::test]
async fn a_plan_is_set_and_told() {
    let (app, owner) = App::with_owner().await;
    let id = &owner.org_id;
    let told = set_plan(&app, id, PlanName::Enterprise).await.unwrap();
    let expected = format!("acme ({id}) was on trial and is on enterprise now\n");
    assert_eq!(told, expected);
    let role = json!({"name": "Releaser", "permissions": []});
    owner.create("/v1/roles", role).await;
    let told = set_plan(&app, "acme", PlanName::Enterprise).await.unwrap();
    assert_eq!(told, format!("acme ({id}) stays on enterprise\n"));
}

#[tokio::test]
async fn an_id_names_an_organization_by_its_id_alone() {
    let app = App::start().await;
    let victim = app.signup("acme").await;
    let thief = app.signup("globex").await;
    // As it could be stored by a build that took it.
    app.execute(
        "UPDATE organizations SET slug = $1 WHERE id = $2::uuid",
        &[&victim.org_id, &thief.org_id],
    )
    .await;
    let pro = |org| set_plan(&app, org, PlanName::Pro);
    let expected = format!("acme ({}) was on trial and is on pro now\n", victim.org_id);
    assert_eq!(pro(&victim.org_id).await.unwrap(), expected);
    let shown = show(&app, &victim.org_id).await;
    assert!(shown.contains("name          acme\n"), "{shown}");

    app.execute(
        "DELETE FROM organizations WHERE id = $1::uuid",
        &[&victim.org_id],
    )
    .await;
    let expected = format!("no organization has the id or slug `{}`", victim.org_id);
    assert_eq!(pro(&victim.org_id).await.unwrap_err(), expected);
    // By its own id it can be reached.
    let told = pro(&thief.org_id).await.unwrap();
    assert!(told.contains("was on trial and is on pro now"), "{told}");
}

#[tokio::test]
async fn a_name_that_is_an_id_makes_another_slug() {
    let (app, owner) = App::with_owner().await;
    let name = owner.org_id.to_uppercase();
    let thief = app.signup(&name).await;
    let shown = show(&app, &thief.org_id).await;
    let slug = shown
        .lines()
        .find_map(|line| line.strip_prefix("slug"))
        .unwrap()
        .trim();
    assert!(
        shown.contains(&format!("name          {name}\n")),
        "{shown}"
    );
    assert_eq!(slug.len(), owner.org_id.len() + "-123abc".len(), "{slug}");
    assert!(slug.starts_with(&format!("{}-", owner.org_id)), "{slug}");
}

#[tokio::test]
async fn a_trial_that_has_ended_begins_anew_and_is_told_with_its_end() {
    let (app, owner) = App::with_owner().await;
    let id = &owner.org_id;
    let told = set_plan(&app, id, PlanName::Trial).await.unwrap();
    let expected = format!("acme ({id}) stays on trial, until 2026-05-18T12:00:00Z\n");
    assert_eq!(told, expected);

    app.clock.advance(20 * DAY);
    let told = set_plan(&app, id, PlanName::Trial).await.unwrap();
    let expected =
        format!("acme ({id}) was on free and is on trial now, until 2026-06-07T12:00:00Z\n");
    assert_eq!(told, expected);
    let shown = show(&app, id).await;
    assert!(
        shown.contains("trial         ends 2026-06-07T12:00:00Z\n"),
        "{shown}"
    );
    let changes: Vec<(String, String)> = sqlx::query_as(
        "SELECT before_state->>'plan', after_state->>'plan' FROM audit_entries
         WHERE action = 'billing.plan_changed' ORDER BY created_at, id",
    )
    .fetch_all(app.pool())
    .await
    .unwrap();
    let last = changes.last().unwrap();
    assert_eq!((last.0.as_str(), last.1.as_str()), ("free", "trial"));
}

#[tokio::test]
async fn an_unknown_organization_is_named() {
    let app = App::start().await;
    let org = "nobody".to_owned();
    let shown = ran(&app, OrgCommand::Show { org: org.clone() }).await;
    let expected = Err("no organization has the id or slug `nobody`".to_owned());
    assert_eq!(shown, expected);
    let plan = PlanName::Free;
    let set = ran(&app, OrgCommand::SetPlan { org, plan }).await;
    assert_eq!(set, expected);
}

#[tokio::test]
async fn an_organization_that_is_going_for_good_takes_no_plan() {
    let (app, owner) = with_free_owner(&[]).await;
    soft_delete(&app).await;
    super::begin_purge(&app).await;
    let command = OrgCommand::SetPlan {
        org: owner.org_id.clone(),
        plan: PlanName::Pro,
    };
    ran(&app, command).await.unwrap_err();
    let shown = show(&app, "acme").await;
    let line = "deletion      permanent, begun 2026-10-31T12:00:00Z\n";
    assert!(shown.contains(line), "{shown}");
}
