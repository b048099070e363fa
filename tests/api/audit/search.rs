//! Searching the audit trail by words.

use std::time::{Duration, Instant};

use harness::{App, User};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::column;

struct Setup {
    app: App,
    owner: User,
    developer: User,
    flags: String,
}

impl Setup {
    async fn new() -> Self {
        let (app, owner) = App::with_owner().await;
        let developer = app.member(&owner, "developer").await;
        let flags = format!("/v1/projects/{}/flags", owner.default_project().await.id);
        for (key, name) in [("new-checkout", "New checkout"), ("dark-mode", "Night")] {
            developer
                .create(&flags, json!({"key": key, "name": name}))
                .await;
        }
        Self {
            app,
            owner,
            developer,
            flags,
        }
    }

    async fn actions(&self, q: &str) -> Vec<Value> {
        column(&self.owner, &format!("q={q}"), "action").await
    }
}

#[tokio::test]
async fn words_find_actions_actors_and_things_in_any_case() {
    let setup = Setup::new().await;
    let dark = format!("{}/dark-mode", setup.flags);
    setup
        .owner
        .change(&dark, json!({"name": "Night mode"}))
        .await;
    for (q, expected) in [
        ("NEW-check", vec!["flag.created"]),
        ("night", vec!["flag.updated", "flag.created"]),
        ("flag.updated", vec!["flag.updated"]),
        ("owner+dark", vec!["flag.updated"]),
        ("dark+created", vec!["flag.created"]),
        ("dark+checkout", vec![]),
        ("nothing", vec![]),
        ("%25", vec![]),
    ] {
        assert_eq!(setup.actions(q).await, expected, "{q}");
    }
    let by_address = setup.actions(&setup.developer.email).await;
    assert!(
        by_address.contains(&json!("flag.created")),
        "{by_address:?}"
    );
    let id = setup.owner.get(&dark).await.text("/id");
    assert_eq!(
        setup.actions(&id.to_uppercase()).await,
        ["flag.updated", "flag.created"]
    );
    let both = column(&setup.owner, "q=dark&action=flag.updated", "resource_name").await;
    assert_eq!(both, ["dark-mode"]);
    assert_eq!(
        setup.actions("").await,
        column(&setup.owner, "", "action").await
    );
}

#[tokio::test]
async fn deleted_things_and_requests_about_a_flag_are_found_by_its_key() {
    let setup = Setup::new().await;
    let dark = format!("{}/dark-mode", setup.flags);
    let env = setup.owner.default_project().await.dev;
    let body = json!({"flag_id": setup.owner.get(&dark).await.text("/id"), "env_id": env, "change_type": "enable"});
    setup.developer.create("/v1/approvals", body).await;
    assert_eq!(
        setup.actions("dark-mode").await,
        ["approval.created", "flag.created"]
    );
    let names = column(&setup.owner, "q=dark-mode", "resource_name").await;
    assert_eq!(names, ["dark-mode", "dark-mode"]);
    setup.owner.remove(&dark).await;
    let found = setup.actions("dark-mode").await;
    assert_eq!(found, ["flag.deleted", "approval.created", "flag.created"]);
    let names = column(&setup.owner, "q=dark-mode", "resource_name").await;
    assert_eq!(names, ["dark-mode", "dark-mode", "dark-mode"]);
}

#[tokio::test]
async fn a_former_member_is_found_by_name_and_not_by_address() {
    let setup = Setup::new().await;
    let member = setup.owner.member_id_of(&setup.developer.email).await;
    setup.owner.remove(&format!("/v1/members/{member}")).await;
    let by_name = setup.actions("developer+flag").await;
    assert_eq!(by_name, ["flag.created", "flag.created"]);
    let by_address = setup
        .actions(&format!("{}+flag", setup.developer.email))
        .await;
    assert_eq!(by_address, [""; 0]);
}

#[tokio::test]
async fn another_organization_is_not_searched() {
    let setup = Setup::new().await;
    let stranger = setup.app.signup("globex").await;
    for q in [
        "new-checkout",
        "developer",
        "flag.created",
        &setup.developer.id,
    ] {
        assert_eq!(
            column(&stranger, &format!("q={q}"), "id").await,
            [""; 0],
            "{q}"
        );
    }
}

#[tokio::test]
async fn a_search_with_too_many_or_too_long_words_is_400() {
    let setup = Setup::new().await;
    let refused = setup.owner.get("/v1/audit?q=a+b+c+d+e+f").await;
    refused.expect_error(400, "q must have at most 5 words");
    let long = "x".repeat(201);
    let refused = setup.owner.get(&format!("/v1/audit?q={long}")).await;
    refused.expect_error(400, "q must be at most 200 characters");
}

/// Very many entries of one organization: by 100 actors, about 5,000 things, most of them changes of states.
async fn many(app: &App, owner: &User) {
    let statement = format!(
        "INSERT INTO audit_entries
             (id, org_id, actor_id, actor_type, action, resource_type, resource_id, after_state, created_at)
         SELECT gen_random_uuid(), '{}', ('00000000-0000-4000-8000-' || lpad((n % 100)::text, 12, '0'))::uuid, 'user',
                CASE WHEN n % 20 = 0 THEN 'flag.killed' ELSE 'flag.state_updated' END, 'flag',
                '10000000-0000-4000-8000-' || lpad((n % 5000)::text, 12, '0'), '{{\"enabled\": true}}',
                now() - (200000 - n) * interval '1 s'
         FROM generate_series(1, 200000) AS n",
        owner.org_id
    );
    for statement in [statement.as_str(), "ANALYZE audit_entries"] {
        sqlx::query(AssertSqlSafe(statement.to_owned()))
            .execute(app.pool())
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn among_very_many_entries_words_are_found_and_pages_go_on_in_bounded_time() {
    let setup = Setup::new().await;
    many(&setup.app, &setup.owner).await;
    let timed = async |query: &str| {
        let start = Instant::now();
        let page = setup.owner.get(&format!("/v1/audit?{query}")).await;
        let took = start.elapsed();
        page.expect_status(200);
        assert!(took < Duration::from_secs(8), "{query}: {took:?}");
        page.body
    };
    assert_eq!(timed("q=new-checkout").await["total"], 1);
    assert_eq!(timed("q=killed").await["total"], 10_000);
    // Everything is looked at: no kill is by this actor.
    let none = timed("q=killed+00000000-0000-4000-8000-000000000041").await;
    assert_eq!(none["total"], 0);
    let mut before = timed("limit=100").await["data"][99]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for _ in 0..3 {
        let page = timed(&format!("limit=100&before={before}")).await;
        before = page["data"][99]["id"].as_str().unwrap().to_owned();
    }
}
