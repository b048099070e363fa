//! The audit trail: reading it here and in `filters`, what it is made of in `completeness`.

mod actions;
mod actors;
mod annotations;
mod bounds;
mod changes;
mod comments;
mod completeness;
mod csv;
mod filters;
mod partitions;
mod periods;
mod retention;
mod search;
mod walk;

use domain::orgs::model::Plan;
use harness::{App, User};
use serde_json::{Value, json};

/// Creates a project; gives its id.
async fn project(user: &User, name: &str) -> String {
    let answer = user.create("/v1/projects", json!({"name": name})).await;
    answer.text("/id")
}

/// The field of every entry on a page.
async fn column(user: &User, query: &str, field: &str) -> Vec<Value> {
    let page = user.get(&format!("/v1/audit?{query}")).await;
    page.expect_status(200);
    let entries = page.body["data"].as_array().expect("a list");
    entries.iter().map(|entry| entry[field].clone()).collect()
}

#[tokio::test]
async fn an_entry_tells_who_changed_what_from_where() {
    let (_app, owner) = App::with_owner().await;
    let created = owner.post("/v1/projects", json!({"name": "Shop"})).await;
    let total = owner.get("/v1/audit").await.body["total"].clone();
    owner.get("/v1/audit?limit=1").await.expect(
        200,
        json!({
            "data": [{
                "id": "[uuid]",
                "actor_id": owner.id,
                "actor_type": "user",
                "actor_name": "Owner",
                "actor_email": "owner@acme.test",
                "action": "project.created",
                "resource_type": "project",
                "resource_id": created.body["id"],
                "resource_name": "shop",
                "created_at": "[time]",
                "project_id": created.body["id"],
                "before_state": null,
                "after_state": created.body,
                "metadata": null,
                "ip_address": "127.0.0.1",
            }],
            "total": total,
            "limit": 1,
            "offset": 0,
            "has_more": true,
        }),
    );
}

#[tokio::test]
async fn what_an_operator_changes_has_no_actor_and_no_address() {
    let (app, owner) = App::with_owner().await;
    let org = app.set_plan_as_operator(&owner, Plan::Enterprise).await;
    assert_eq!(org.plan, Plan::Enterprise);
    let page = owner.get("/v1/audit?action=billing.plan_changed").await;
    page.expect(
        200,
        json!({
            "data": [{
                "id": "[uuid]",
                "actor_id": null,
                "actor_type": "system",
                "actor_name": null,
                "actor_email": null,
                "action": "billing.plan_changed",
                "resource_type": "billing",
                "resource_id": owner.org_id,
                "resource_name": null,
                "created_at": "[time]",
                "project_id": null,
                "before_state": {"plan": "trial"},
                "after_state": {"plan": "enterprise"},
                "metadata": {"by": "operator"},
                "ip_address": null,
            }],
            "total": 1,
            "limit": 50,
            "offset": 0,
            "has_more": false,
        }),
    );
}

#[tokio::test]
async fn the_newest_is_first_also_within_one_instant() {
    let (app, owner) = App::with_owner().await;
    let mut ids = Vec::new();
    for name in ["one", "two", "three"] {
        ids.push(json!(project(&owner, name).await));
    }
    app.clock.advance(std::time::Duration::from_secs(1));
    ids.push(json!(project(&owner, "four").await));
    ids.reverse();
    assert_eq!(column(&owner, "limit=4", "resource_id").await, ids);
}

#[tokio::test]
async fn pages_follow_one_another_without_gap_or_repetition() {
    let (_app, owner) = App::with_owner().await;
    for number in 0..7 {
        project(&owner, &format!("p{number}")).await;
    }
    let whole = column(&owner, "limit=100", "id").await;
    let mut joined = Vec::new();
    for offset in (0..whole.len()).step_by(3) {
        joined.extend(column(&owner, &format!("limit=3&offset={offset}"), "id").await);
    }
    assert_eq!(joined, whole);
    let (total, offset) = (whole.len(), whole.len() + 1);
    owner
        .get(&format!("/v1/audit?offset={offset}"))
        .await
        .expect(
            200,
            json!({"data": [], "total": total, "limit": 50, "offset": offset, "has_more": false}),
        );
}

#[tokio::test]
async fn a_page_that_makes_no_sense_is_the_first() {
    let (_app, owner) = App::with_owner().await;
    let page = owner.get("/v1/audit?limit=ten&offset=-1").await;
    page.expect_status(200);
    assert_eq!(
        (&page.body["limit"], &page.body["offset"]),
        (&json!(50), &json!(0))
    );
    let page = owner.get("/v1/audit?limit=1000").await;
    assert_eq!(page.body["limit"], 100);
}

#[tokio::test]
async fn every_role_reads_the_trail_of_its_own_organization_alone() {
    let app = App::start().await;
    let (acme, other) = (app.signup("acme").await, app.signup("other").await);
    let made = json!(project(&acme, "Shop").await);
    for role in ["admin", "developer", "viewer"] {
        let member = app.member(&acme, role).await;
        assert!(column(&member, "", "resource_id").await.contains(&made));
    }
    assert!(!column(&other, "", "resource_id").await.contains(&made));
    assert!(
        !column(&other, "", "actor_id")
            .await
            .contains(&json!(acme.id))
    );
}
