//! A permanent deletion leaves nothing behind, in any table, and touches nothing of anybody else.

use std::collections::{BTreeMap, BTreeSet};

use harness::{App, Authenticator, User, eventually};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::{LONG_TOKENS, begin_purge, exists, free, lifecycle, soft_delete};

/// Every table, but for what replicas tell each other and for the migrations.
async fn tables(app: &App) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT table_name::text
         FROM information_schema.tables
         WHERE table_schema = 'public' AND table_name NOT LIKE 'replica%' AND table_name NOT LIKE '\\_%'
         ORDER BY 1",
    )
    .fetch_all(app.pool())
    .await
    .unwrap()
}

async fn counts(app: &App) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for table in tables(app).await {
        let text = format!("SELECT COUNT(*) FROM {table}");
        let count = sqlx::query_scalar(AssertSqlSafe(text));
        let count = count.fetch_one(app.pool()).await.unwrap();
        counts.insert(table, count);
    }
    counts
}

/// The tables with an `org_id`.
async fn tables_of_organizations(app: &App) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT table_name::text FROM information_schema.columns
         WHERE table_schema = 'public' AND column_name = 'org_id'
         ORDER BY 1",
    )
    .fetch_all(app.pool())
    .await
    .unwrap()
}

/// The tables that refer to organizations or to accounts, or to tables that do.
async fn tables_below(app: &App) -> BTreeSet<String> {
    let found: Vec<String> = sqlx::query_scalar(
        "WITH RECURSIVE below AS (
             SELECT oid FROM pg_class WHERE oid IN ('organizations'::regclass, 'users'::regclass)
             UNION
             SELECT conrelid FROM pg_constraint JOIN below ON confrelid = below.oid WHERE contype = 'f'
         )
         SELECT relname::text FROM pg_class JOIN below USING (oid)",
    )
    .fetch_all(app.pool())
    .await
    .unwrap();
    found.into_iter().collect()
}

/// A digest of the organization's rows in each table that has an `org_id`.
async fn contents(app: &App, user: &User) -> BTreeMap<String, Option<String>> {
    let mut contents = BTreeMap::new();
    for table in tables_of_organizations(app).await {
        let text = format!(
            "SELECT md5(string_agg(t::text, E'\\n' ORDER BY t::text)) FROM {table} AS t WHERE org_id = $1::uuid"
        );
        let digest = sqlx::query_scalar(AssertSqlSafe(text)).bind(&user.org_id);
        let digest = digest.fetch_one(app.pool()).await.unwrap();
        contents.insert(table, digest);
    }
    contents
}

async fn execute(app: &App, text: &str, owner: &User) {
    let text = text
        .replace("{org}", &format!("'{}'", owner.org_id))
        .replace("{user}", &format!("'{}'", owner.id))
        .replace("{email}", &format!("'{}'", owner.email));
    sqlx::raw_sql(AssertSqlSafe(text))
        .execute(app.pool())
        .await
        .unwrap();
}

/// Fills every table that an organization and its owner may have rows in. The organization is on Enterprise.
async fn fill(app: &App, owner: &User) {
    fill_through_the_api(app, owner).await;
    // What takes a gateway, or a person who makes mistakes.
    execute(app, OF_GATEWAYS_AND_MISTAKES, owner).await;
}

async fn fill_through_the_api(app: &App, owner: &User) {
    let project = owner.default_project().await;
    let made = async |path: &str, body: Value| {
        let answer = owner.post(path, body).await;
        assert!(answer.status < 300, "{path}: {:#}", answer.body);
        answer
    };
    let flags = format!("/v1/projects/{}/flags", project.id);
    let segments = format!("/v1/projects/{}/segments", project.id);
    for key in ["checkout", "gone"] {
        made(&flags, json!({"key": key, "name": key})).await;
        let segment = json!({"key": key, "name": key, "rules": []});
        made(&segments, segment).await;
    }
    made("/v1/me/tokens", json!({"name": "deploy"})).await;
    let provider = json!({"name": "Login", "issuer": "https://192.0.2.1", "client_id": "halyard"});
    made("/v1/organization/sign-in/providers", provider).await;
    let domain = json!({"domain": "acme.test"});
    made("/v1/organization/sign-in/domains", domain).await;
    made(
        "/v1/service-accounts",
        json!({"name": "ci", "role": "viewer"}),
    )
    .await;
    let state = format!("{flags}/checkout/environments/{}", project.dev);
    owner.change(&state, json!({"enabled": true})).await;
    let references = format!("/v1/projects/{}/references", project.id);
    let reference = json!({"key": "checkout", "path": "a.rs", "line": 1});
    let scan = json!({"repository": "acme/shop", "references": [reference]});
    owner.change(&references, scan).await;
    let keys = format!("/v1/environments/{}/api-keys", project.dev);
    let key = made(&keys, json!({"name": "rehearsed"})).await.text("/id");
    let rehearsals = format!(
        "/v1/projects/{}/environments/{}/rehearsals",
        project.id, project.dev
    );
    made(&rehearsals, json!({"api_key_id": key, "seconds": 1})).await;
    let sampling = format!(
        "/v1/projects/{}/environments/{}/sampling",
        project.id, project.dev
    );
    owner.change(&sampling, json!({"enabled": true})).await;
    // Tombstones.
    owner.remove(&format!("{flags}/gone")).await;
    owner.remove(&format!("{segments}/gone")).await;
    let flag = owner.get(&format!("{flags}/checkout")).await.text("/id");
    let approval = json!({"flag_id": flag, "env_id": project.dev, "change_type": "enable"});
    let approval = made("/v1/approvals", approval).await.text("/id");
    let comments = format!("/v1/approvals/{approval}/comments");
    made(&comments, json!({"text": "Until Monday?"})).await;
    let sets = format!("/v1/projects/{}/change-sets", project.id);
    let changes = json!({"flags": [{"key": "checkout", "name": "Check-out"}]});
    made(&sets, json!({"name": "Launch", "changes": changes})).await;

    let developer = app.member(owner, "developer").await;
    app.hold_to(owner, &developer, &["flags.read"]).await;
    let developer = owner.member_id_of(&developer.email).await;
    let grant = json!({"name": "Rollouts", "env_id": project.dev, "max_raise": 1000, "holder": {"kind": "member", "id": developer}});
    made(&format!("/v1/projects/{}/grants", project.id), grant).await;
    let permissions = format!("/v1/members/{developer}/permissions");
    let permission = json!({"permissions": [{"env_id": project.dev, "can_toggle": true, "can_edit_rules": false}]});
    let answer = owner.put(&permissions, permission).await;
    assert!(answer.status < 300, "{:#}", answer.body);
    provisioned(app, owner, &project.dev).await;
    let step = json!({"tour_completed": true});
    owner.patch("/v1/onboarding", step).await.expect_status(200);
    made("/v1/auth/one-time-token", Value::Null).await;
    let enrolment = made("/v1/auth/mfa/enable", Value::Null).await;
    let phone = Authenticator::new(&enrolment.text("/secret"));
    let code = json!({"code": phone.code(app.clock.now())});
    made("/v1/auth/mfa/verify", code).await;

    // What SDKs ask.
    let sdk = app.anonymous().with_key(&owner.api_key(&project.dev).await);
    let body = json!({"flag_key": "checkout", "context": {"key": "user-1"}});
    sdk.act("/v1/evaluate", body).await;
    until_counted(app, owner).await;
}

const OF_GATEWAYS_AND_MISTAKES: &str = "
    INSERT INTO impressions (org_id, received_ms, env_id, flag_key, variant_key, user_key)
    VALUES ({org}, 1, gen_random_uuid(), 'checkout', 'a', 'user-1');
    INSERT INTO told_defaults
    SELECT org_id, id, '2026-01-01', 'checkout', 'shop', 'true', 1, 0, now() FROM environments WHERE org_id = {org} LIMIT 1;
    WITH made AS (
        INSERT INTO what_if_questions (id, org_id, env_id, asked_at, version, draft, not_sampled, names_keys, edges, is_open)
        SELECT gen_random_uuid(), org_id, id, now() + interval '50 years', 1, '', '{}', false, 1, false
        FROM environments WHERE org_id = {org} LIMIT 1
        RETURNING id
    )
    INSERT INTO what_if_findings (question_id, org_id, boot, finding)
    SELECT id, {org}, gen_random_uuid(), '' FROM made;
    WITH made AS (
        INSERT INTO subscriptions
            (id, org_id, gateway, status, entitlement, cancel_at_period_end, started_at, created_at, updated_at)
        VALUES (gen_random_uuid(), {org}, 'gateway_form', 'canceled', 'over', false, now(), now(), now())
        RETURNING id
    )
    INSERT INTO subscription_events (id, gateway, subscription_id, kind, happened_at, received_at)
    SELECT gen_random_uuid(), 'gateway_form', id, 'canceled', now(), now() FROM made;
    INSERT INTO checkouts (id, org_id, user_id, gateway, txnid, amount_minor, email, return_path, created_at)
    VALUES (gen_random_uuid(), {org}, {user}, 'gateway_form', 'of ' || {org}, 100, {email}, '/', now());
    WITH made AS (
        INSERT INTO migrations (id, org_id, project_id, provider, status, started_by, flags_total, started_at, ended_at)
        VALUES (gen_random_uuid(), {org}, gen_random_uuid(), 'provider_a', 'completed', {user}, 1, now(), now())
        RETURNING id
    )
    INSERT INTO migration_items (migration_id, position, org_id, kind, source, verdict, reasons)
    SELECT id, 0, {org}, 'flag', 's', 'skipped', '{r}' FROM made;
    INSERT INTO sign_in_attempts (state_hash, org_id, provider_id, key_hash, created_at, expires_at)
    SELECT uuid_send(id), org_id, id, '', now(), now() + interval '50 years' FROM sign_in_providers WHERE org_id = {org};
    INSERT INTO sign_in_identities (provider_id, subject, org_id, user_id, created_at, last_used_at)
    SELECT id, 'ada', org_id, {user}, now(), now() FROM sign_in_providers WHERE org_id = {org};
    INSERT INTO approval_mails (member_id, about, org_id, due_at)
    SELECT id, 'requests', org_id, now() FROM members WHERE org_id = {org} AND user_id = {user};
    INSERT INTO grant_uses (grant_id, org_id, used_at, points)
    SELECT id, org_id, now(), 100 FROM grants WHERE org_id = {org};
    INSERT INTO webhook_heads (org_id, last_position) VALUES ({org}, 2);
    INSERT INTO webhook_events (org_id, position, event_type, happened_at) VALUES ({org}, 2, 'flag.created', now());
    INSERT INTO webhook_contents (org_id, position, event_type, happened_at, actor_type, subject, truncated, bytes)
    VALUES ({org}, 2, 'flag.created', now(), 'system', '{}', false, 100);
    WITH made AS (
        INSERT INTO webhooks (id, org_id, name, url, events, enabled, listens_after, created_at, updated_at)
        VALUES (gen_random_uuid(), {org}, 'n', 'https://192.0.2.1', '{}', true, 0, now(), now())
        RETURNING id
    ), lane AS (
        INSERT INTO webhook_lanes (webhook_id, org_id, pending, due_at)
        SELECT id, {org}, 1, now() + interval '50 years' FROM made
        RETURNING webhook_id
    ), queued AS (
        INSERT INTO webhook_queue (webhook_id, position, delivery_id, event_type, happened_at)
        SELECT webhook_id, 1, gen_random_uuid(), 'flag.created', now() FROM lane
    )
    INSERT INTO webhook_deliveries (id, webhook_id, org_id, event_type, response_status, success, delivered_at)
    SELECT gen_random_uuid(), webhook_id, {org}, 'flag.created', 200, true, now() FROM lane;";

/// Lets nothing but the deletion of an organization take events out of the outbox of webhooks.
async fn keep_outboxes(app: &App) {
    sqlx::raw_sql(
        "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
         CREATE TRIGGER keep BEFORE DELETE ON webhook_events
         FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION keep()",
    )
    .execute(app.pool())
    .await
    .unwrap();
}

/// Somebody whom an identity provider made a member, who was held to permissions and is suspended; and somebody whom it removed.
async fn provisioned(app: &App, owner: &User, env_id: &str) {
    let provider = app.identity_provider(owner).await;
    let domain = owner.email.replace('@', ".");
    let [suspended, removed] = ["suspended", "removed"].map(|name| format!("{name}@{domain}"));
    let id = provider.provision(&suspended).await;
    let member = owner.member_id_of(&suspended).await;
    let permission =
        json!({"permissions": [{"env_id": env_id, "can_toggle": false, "can_edit_rules": false}]});
    let path = format!("/v1/members/{member}/permissions");
    owner.change(&path, permission).await;
    provider.set_active(&id, false).await.expect_status(200);
    let id = provider.provision(&removed).await;
    let path = format!("{}/{id}", harness::scim::USERS);
    provider.remove(&path).await;
}

async fn until_counted(app: &App, owner: &User) {
    eventually("the evaluation is counted", async || {
        let counted: bool = app.value(
            "SELECT EXISTS (SELECT FROM evaluation_counters WHERE org_id = $1::uuid)
                 AND EXISTS (SELECT FROM api_keys WHERE org_id = $1::uuid AND last_used_at IS NOT NULL)",
            &[&owner.org_id],
        )
        .await;
        counted.then_some(())
    })
    .await;
}

/// What is kept under the address of somebody, and not under an id.
async fn fill_address(app: &App, owner: &User) {
    execute(
        app,
        "INSERT INTO sent_codes (email, sent_at, last_sent_at) VALUES ({email}, '{}', now())
             ON CONFLICT DO NOTHING;
         INSERT INTO login_failures (email, failed_at, last_failed_at) VALUES ({email}, '{}', now())
             ON CONFLICT DO NOTHING;
         INSERT INTO pending_signups
             (email, name, org_name, data_region, password_hash, code_hash, code_sent_at, code_expires_at)
         VALUES ({email}, 'n', 'o', 'us', 'h', '', now(), now());
         INSERT INTO password_resets (email, code_hash, expires_at) VALUES ({email}, '', now());
         INSERT INTO email_verifications (token_hash, user_id, email, created_at, expires_at)
         VALUES ('\\x00', {user}, {email}, now(), now());
         INSERT INTO address_mails (address, counted, times, last_time) VALUES ({email}, 'verified', '{}', now())
             ON CONFLICT DO NOTHING;
         INSERT INTO mails (id, recipient, kind, sealed_content, created_at, due_at, expires_at, org_id)
         VALUES (gen_random_uuid(), {email}, 'welcome', '', now(), now() + interval '50 years', now() + interval '60 years', {org});",
        owner,
    )
    .await;
}

#[tokio::test]
async fn a_permanent_deletion_leaves_no_row_in_any_table() {
    let app = App::start_with(&LONG_TOKENS).await;
    keep_outboxes(&app).await;
    // Somebody else, with something in every table too.
    let other = app.signup("globex").await;
    app.set_plan(&other, "enterprise").await;
    fill(&app, &other).await;
    app.mails().await;
    let (before, of_other) = (counts(&app).await, contents(&app, &other).await);

    let owner = free(&app, "acme").await;
    app.set_plan(&owner, "enterprise").await;
    fill(&app, &owner).await;
    app.set_plan(&owner, "free").await;
    soft_delete(&app).await;
    begin_purge(&app).await;
    fill_address(&app, &owner).await;

    let of_owner = contents(&app, &owner).await;
    let empty: Vec<_> = of_owner.iter().filter(|(_, rows)| rows.is_none()).collect();
    assert!(
        empty.is_empty(),
        "fill these before the deletion: {empty:?}"
    );
    let filled = counts(&app).await;
    let below = tables_below(&app).await;
    let unfilled: Vec<_> = below
        .iter()
        .filter(|table| filled[*table] <= before[*table])
        .collect();
    assert!(unfilled.is_empty(), "and these: {unfilled:?}");

    lifecycle(&app).purge_organizations().await.unwrap();
    assert!(!exists(&app, &owner).await);
    let mut after = counts(&app).await;
    // Edges that are away learn of the environments by these.
    let tombstones = after["removed_environments"] - before["removed_environments"];
    assert_eq!(tombstones, 3);
    after.insert(
        "removed_environments".to_owned(),
        before["removed_environments"],
    );
    assert_eq!(after, before);
    assert_eq!(contents(&app, &other).await, of_other);
    other.get("/v1/projects").await.expect_status(200);

    // They are deleted once they are old enough.
    app.clock.advance(400 * super::DAY);
    app.depose_the_leader().await;
    eventually("the tombstones are gone", async || {
        let count = counts(&app).await["removed_environments"];
        (count == before["removed_environments"]).then_some(())
    })
    .await;
}
