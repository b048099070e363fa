//! Registering: what a new account has, and what is refused.

use harness::{App, statuses};
use serde_json::{Value, json};

use super::{ENGINES, admitted, audit_trail, registration, registration_with};

#[tokio::test]
async fn registering_answers_user_organization_and_tokens() {
    let app = App::start().await;
    let mut body = registration();
    body["email"] = json!("  Ada@Example.COM ");
    let answer = app.anonymous().post("/v1/auth/register", body).await;

    answer.expect(201, admitted(false, ENGINES));

    let (org_id, user_id) = (answer.text("/organization/id"), answer.text("/user/id"));
    assert_eq!(
        audit_trail(&app, &org_id).await,
        [("auth.registered".to_owned(), user_id)]
    );
}

#[tokio::test]
async fn a_new_organization_has_the_default_project_with_three_environments() {
    let (_app, owner) = App::with_owner().await;
    let projects = owner.get("/v1/projects").await;
    projects.expect(
        200,
        json!({
            "data": [{
                "id": "[uuid]",
                "name": "Default Project",
                "slug": "default",
                "created_at": "[time]",
                "updated_at": "[time]",
            }],
            "total": 1,
            "limit": 50,
            "offset": 0,
            "has_more": false,
        }),
    );

    let path = format!("/v1/projects/{}/environments", projects.text("/data/0/id"));
    let environment = |name: &str, slug: &str, color: &str| json!({"id": "[uuid]", "name": name, "slug": slug, "color": color, "protected": false, "required_approvals": 1, "created_at": "[time]"});
    owner.get(&path).await.expect(
        200,
        json!({
            "data": [
                environment("Development", "dev", "#22c55e"),
                environment("Staging", "staging", "#f59e0b"),
                environment("Production", "production", "#ef4444"),
            ],
            "total": 3,
            "limit": 50,
            "offset": 0,
            "has_more": false,
        }),
    );
}

#[tokio::test]
async fn an_address_that_has_an_account_is_refused() {
    let app = App::start().await;
    let caller = app.anonymous();
    caller.create("/v1/auth/register", registration()).await;
    let again = registration_with("email", json!("ADA@example.com"));
    let refused = caller.post("/v1/auth/register", again).await;
    refused.expect_error(409, "email already registered");
}

#[tokio::test]
async fn of_two_registrations_at_once_one_succeeds_and_leaves_no_half_of_the_other() {
    let app = App::start().await;
    let caller = app.anonymous();
    let (one, other) = tokio::join!(
        caller.post("/v1/auth/register", registration()),
        caller.post("/v1/auth/register", registration()),
    );
    assert_eq!(statuses([&one, &other]), [201, 409]);

    let organizations: i64 = app.value("SELECT count(*) FROM organizations", &[]).await;
    assert_eq!(organizations, 1);
}

#[tokio::test]
async fn a_taken_organization_slug_gets_a_suffix() {
    let app = App::start().await;
    let caller = app.anonymous();
    let slug_for = async |email: &str| {
        let body = registration_with("email", json!(email));
        let answer = caller.post("/v1/auth/register", body).await;
        answer.expect_status(201).text("/organization/slug")
    };
    assert_eq!(slug_for("a@example.com").await, "analytical-engines");
    let slug = slug_for("b@example.com").await;
    let suffix = slug.strip_prefix("analytical-engines-").unwrap();
    assert_eq!(suffix.len(), 6, "{slug}");
    assert!(
        suffix.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{slug}"
    );
}

#[tokio::test]
async fn fields_that_break_a_rule_are_refused() {
    const WEAK: &str = "password must have at least 8 characters with 1 upper-case, 1 lower-case, 1 digit and 1 special";
    let app = App::start().await;
    let caller = app.anonymous();
    let cases = [
        ("email", Value::Null, "email is required"),
        ("email", json!(" "), "email is required"),
        ("email", json!("ada"), "invalid email"),
        ("email", json!("ada@localhost"), "invalid email"),
        ("email", json!("a@b@example.com"), "invalid email"),
        (
            "email",
            json!(format!("{}@example.com", "a".repeat(250))),
            "invalid email",
        ),
        ("password", Value::Null, "password is required"),
        ("password", json!("Short-1"), WEAK),
        ("password", json!("no-upper-case-1"), WEAK),
        ("password", json!("NO-LOWER-CASE-1"), WEAK),
        ("password", json!("No-digit-at-all"), WEAK),
        ("password", json!("No special 1"), WEAK),
        (
            "password",
            json!("Aa1!".repeat(257)),
            "password must have at most 1024 characters",
        ),
        ("name", Value::Null, "name is required"),
        (
            "name",
            json!("x".repeat(256)),
            "name must have at most 255 characters",
        ),
        (
            "name",
            json!("Ada\r\nBcc: all"),
            "name must not contain control characters",
        ),
        ("org_name", json!("\t"), "org_name is required"),
        (
            "org_name",
            json!("x".repeat(256)),
            "org_name must have at most 255 characters",
        ),
        ("data_region", json!("mars"), "unknown data_region"),
    ];
    for (field, value, message) in cases {
        let body = registration_with(field, value);
        let refused = caller.post("/v1/auth/register", body).await;
        refused.expect_error(400, message);
    }
    let wrong_type = registration_with("name", json!(7));
    let refused = caller.post("/v1/auth/register", wrong_type).await;
    refused.expect_status(400);
    let refused = caller.post("/v1/auth/register", json!({})).await;
    refused.expect_error(400, "email, password and name are required");
}

#[tokio::test]
async fn the_sign_in_rate_counts_addresses() {
    let app = App::start_with(&[("RATE_SIGN_IN", "2"), ("TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    let caller = app.anonymous();
    let from = async |address: &str| {
        let request = caller.request(reqwest::Method::POST, "/v1/auth/register");
        let request = request.header("x-forwarded-for", address).json(&json!({}));
        caller.send(request).await
    };

    let first = from("198.51.100.1").await;
    first.expect_error(400, "email, password and name are required");
    assert_eq!(first.header("x-ratelimit-limit"), "2");
    assert_eq!(first.header("x-ratelimit-remaining"), "1");
    from("198.51.100.1").await.expect_status(400);
    let refused = from("198.51.100.1").await;
    refused.expect_error(429, "rate limit exceeded");
    assert_eq!(refused.header("retry-after"), "30");
    assert_eq!(refused.header("x-ratelimit-remaining"), "0");
    from("198.51.100.2").await.expect_status(400);

    app.clock.advance(std::time::Duration::from_secs(30));
    from("198.51.100.1").await.expect_status(400);
}

#[tokio::test]
async fn an_organization_lives_where_it_was_told_to() {
    let app = App::start_with(&[("DATA_REGIONS", "eu,ap")]).await;
    let caller = app.anonymous();
    for (email, region, stored) in [
        ("a@example.com", Value::Null, "eu"),
        ("b@example.com", json!("ap"), "ap"),
    ] {
        let mut body = registration_with("email", json!(email));
        body["data_region"] = region;
        let answer = caller.post("/v1/auth/register", body).await;
        let found: String =
            sqlx::query_scalar("SELECT data_region FROM organizations WHERE id = $1::uuid")
                .bind(answer.expect_status(201).text("/organization/id"))
                .fetch_one(app.pool())
                .await
                .unwrap();
        assert_eq!(found, stored);
    }
    let us = registration_with("data_region", json!("us"));
    let refused = caller.post("/v1/auth/register", us).await;
    refused.expect_error(400, "unknown data_region");
}
