//! One of everything that paths name.

use std::collections::BTreeMap;

use harness::access::Row;
use harness::{App, User};
use serde_json::json;

/// An id of nothing.
pub const UNKNOWN: &str = "01890000-0000-7000-8000-000000000000";

/// The ids and keys of one organization's things, by the name that paths have for them.
#[derive(Clone)]
pub struct Things(BTreeMap<&'static str, String>);

impl Things {
    /// Makes one of each in the organization of `owner`, which is on Enterprise from then on.
    pub async fn of(app: &App, owner: &User) -> Self {
        app.set_plan(owner, "enterprise").await;
        owner.prove_address(app.pool()).await;
        let project = owner.default_project().await;
        let made = async |path: String, body| {
            let answer = owner.post(&path, body).await;
            answer.expect_status(201).clone()
        };
        let flag = json!({"key": "a-flag", "name": "A flag", "flag_type": "boolean"});
        let flag = made(format!("/v1/projects/{}/flags", project.id), flag).await;
        let segment = json!({"key": "a-segment", "name": "A segment", "rules": []});
        made(format!("/v1/projects/{}/segments", project.id), segment).await;
        let path = format!("/v1/projects/{}/references", project.id);
        let scan = json!({"repository": "acme/shop", "references": []});
        let repository = owner.put(&path, scan).await.expect_status(200).text("/id");
        let path = format!("/v1/environments/{}/api-keys", project.dev);
        let key = made(path, json!({"name": "a key"})).await;
        let approval =
            json!({"flag_id": flag.text("/id"), "env_id": project.dev, "change_type": "enable"});
        let approval = made("/v1/approvals".to_owned(), approval).await;
        let set =
            json!({"name": "A set", "changes": {"flags": [{"key": "a-flag", "name": "A flag"}]}});
        let set = made(format!("/v1/projects/{}/change-sets", project.id), set).await;
        let member = json!({"email": "viewer@things.test", "role": "viewer"});
        let member = made("/v1/members/invite".to_owned(), member).await;
        let holder = json!({"kind": "member", "id": member.text("/id")});
        let grant =
            json!({"name": "A grant", "env_id": project.dev, "holder": holder, "kill": true});
        let grant = made(format!("/v1/projects/{}/grants", project.id), grant).await;
        let role = json!({"name": "A role", "permissions": []});
        let role = made("/v1/roles".to_owned(), role).await;
        let webhook = json!({"name": "A webhook", "url": "https://192.0.2.1"});
        let webhook = made("/v1/webhooks".to_owned(), webhook).await;
        let delivery = sqlx::query_scalar::<_, String>(
            "INSERT INTO webhook_deliveries (id, webhook_id, org_id, event_type, response_status, success, delivered_at)
             VALUES (gen_random_uuid(), $1::uuid, $2::uuid, 'flag.created', 500, false, now())
             RETURNING id::text",
        )
        .bind(webhook.text("/id"))
        .bind(&owner.org_id)
        .fetch_one(app.pool())
        .await
        .expect("a delivery");
        let beside = owner.sign_in_again().await;
        // The one that was used last.
        let sessions = beside.get("/v1/auth/sessions").await;
        let token = made("/v1/scim/tokens".to_owned(), json!({})).await;
        let access_token = made("/v1/me/tokens".to_owned(), json!({"name": "mine"})).await;
        let provider =
            json!({"name": "Okta", "issuer": "https://192.0.2.1", "client_id": "halyard"});
        let provider = made("/v1/organization/sign-in/providers".to_owned(), provider).await;
        let domain = json!({"domain": format!("{}.test", owner.org_id)});
        let domain = made("/v1/organization/sign-in/domains".to_owned(), domain).await;
        // No name server is to be asked.
        sqlx::query("UPDATE sign_in_domains SET proven_at = now() WHERE id = $1::uuid")
            .bind(domain.text("/id"))
            .execute(app.pool())
            .await
            .expect("a domain");
        let account = json!({"name": "ci", "role": "developer"});
        let account = made("/v1/service-accounts".to_owned(), account).await;
        let migration = sqlx::query_scalar::<_, String>(
            "INSERT INTO migrations (id, org_id, project_id, provider, status, started_by, flags_total, started_at, ended_at)
             VALUES (gen_random_uuid(), $1::uuid, $2::uuid, 'provider_a', 'completed', $3::uuid, 0, now(), now())
             RETURNING id::text",
        )
        .bind(&owner.org_id)
        .bind(&project.id)
        .bind(&owner.id)
        .fetch_one(app.pool())
        .await
        .expect("an import");
        Self(BTreeMap::from([
            ("id", migration),
            ("projectID", project.id),
            ("envID", project.dev),
            ("flagKey", "a-flag".to_owned()),
            ("version", "1".to_owned()),
            ("segmentKey", "a-segment".to_owned()),
            ("keyID", key.text("/id")),
            ("approvalID", approval.text("/id")),
            ("changeSetID", set.text("/id")),
            ("grantID", grant.text("/id")),
            // What was asked is forgotten after an hour.
            ("questionID", UNKNOWN.to_owned()),
            ("memberID", member.text("/id")),
            ("roleID", role.text("/id")),
            ("webhookID", webhook.text("/id")),
            ("deliveryID", delivery),
            ("sessionID", sessions.text("/data/0/id")),
            // Edges belong to no organization.
            ("edgeName", "of-no-region".to_owned()),
            ("repositoryID", repository),
            ("providerID", provider.text("/id")),
            ("domainID", domain.text("/id")),
            ("tokenID", token.text("/id")),
            ("accessTokenID", access_token.text("/id")),
            ("serviceAccountID", account.text("/id")),
        ]))
    }

    /// The same things as if they were of another project.
    pub fn in_project(mut self, id: String) -> Self {
        self.0.insert("projectID", id);
        self
    }

    /// The path of a row, about these things.
    pub fn path(&self, row: &Row) -> String {
        // A request is withdrawn by its requestor alone, whatever the role of others.
        if row.path.ends_with("/withdraw") {
            return fill(row.path, |_| UNKNOWN);
        }
        fill(row.path, |name| {
            let found = self.0.get(name);
            found.unwrap_or_else(|| panic!("no {name} among the things"))
        })
    }
}

/// The path of a row, about things whose ids are none.
pub fn nowhere(row: &Row) -> String {
    fill(row.path, |_| "x")
}

/// A path with these values for its parameters.
pub fn fill<'a>(path: &str, value: impl Fn(&str) -> &'a str) -> String {
    let filled = path.split('/').map(|part| {
        match part
            .strip_prefix('{')
            .and_then(|part| part.strip_suffix('}'))
        {
            Some(name) => value(name),
            None => part,
        }
        .to_owned()
    });
    filled.collect::<Vec<_>>().join("/")
}
