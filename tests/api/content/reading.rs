//! Reading definitions.

use harness::{App, Setup};
use serde_json::json;

use super::{path, whole, with_content};

#[tokio::test]
async fn definitions_are_shown_as_authored() {
    let Setup {
        app: _app,
        owner,
        project,
    } = with_content().await;
    let page = owner.get(&path(&project.id)).await;
    let version = page.body["version"].clone();
    assert_eq!(page.header("etag"), format!("\"{version}\""));
    let env = |slug: &str, name: &str, color: &str| json!({"slug": slug, "name": name, "color": color, "protected": false, "required_approvals": 1});
    let colors: Vec<_> = page.body["environments"].as_array().unwrap().clone();
    let color = |place: usize| colors[place]["color"].as_str().unwrap();
    let flag = |key: &str, name: &str| {
        json!({
            "key": key, "name": name, "description": "", "flag_type": "boolean", "default_value": false, "tags": [],
            "prerequisites": [], "mutual_exclusion_group": "", "permanent": false, "archived": false, "states": {},
        })
    };
    let state = json!({
        "enabled": true, "default_value": null, "rules": [], "percentage_rollout": null, "variants": [],
        "scheduled_enable_at": null, "scheduled_disable_at": null,
    });
    let mut base = flag("base", "Base");
    base["states"]["dev"] = state.clone();
    let mut gone = flag("gone", "Gone");
    gone["archived"] = json!(true);
    gone["states"]["dev"] = state.clone();
    let mut dev = state.clone();
    dev["default_value"] = json!("dev");
    dev["percentage_rollout"] = json!(2_500);
    dev["rules"] = json!([{
        "id": "r1", "priority": 3, "description": "some", "percentage": 5_000, "value": "new", "match_type": "any",
        "conditions": [{"attribute": "country", "operator": "in", "values": ["DE", "AT"]}], "segment_keys": ["beta"],
    }]);
    let mut production = state.clone();
    production["enabled"] = json!(false);
    production["scheduled_enable_at"] = json!("2030-01-02T03:04:05Z");
    let checkout = json!({
        "key": "checkout", "name": "Checkout", "description": "the new one", "flag_type": "string", "default_value": "old",
        "tags": ["shop"], "prerequisites": ["base"], "mutual_exclusion_group": "g", "permanent": true, "archived": false,
        "states": {"dev": dev, "production": production},
    });
    let mut test = flag("test", "Test");
    test["flag_type"] = json!("ab");
    test["default_value"] = json!({});
    let mut staging = state;
    staging["enabled"] = json!(false);
    staging["variants"] = json!([{"key": "a", "value": {"n": 1}, "weight": 4_000}, {"key": "b", "value": null, "weight": 6_000}]);
    staging["bucketing"] = json!({"algorithm": "unleash", "group_id": "test"});
    test["states"]["staging"] = staging;
    page.expect(
        200,
        json!({
            "version": version,
            "environments": [
                env("dev", "Development", color(0)), env("production", "Production", color(1)), env("staging", "Staging", color(2)),
            ],
            "segments": [
                {"key": "all", "name": "All", "description": "", "match_type": "all", "rules": []},
                {"key": "beta", "name": "Beta", "description": "testers", "match_type": "any",
                 "rules": [{"attribute": "plan", "operator": "eq", "values": ["pro"]}]},
            ],
            "flags": [base, checkout, gone, test],
            "next": null,
        }),
    );
}

#[tokio::test]
async fn pages_of_any_size_have_the_same_in_all() {
    let Setup {
        app: _app,
        owner,
        project,
    } = with_content().await;
    let (all, pages) = whole(&owner, &project.id, 500).await;
    assert_eq!(pages, 1);
    for (limit, expected) in [(1, 6), (2, 3), (3, 2), (5, 2), (6, 1)] {
        let (paged, pages) = whole(&owner, &project.id, limit).await;
        assert_eq!(paged, all, "{limit}");
        assert_eq!(pages, expected, "{limit}");
    }
}

#[tokio::test]
async fn a_page_ends_early_where_it_would_be_long() {
    let Setup {
        app: _app,
        owner,
        project,
    } = Setup::new().await;
    let long = "x".repeat(60 << 10);
    let flags: Vec<_> = (0..80)
        .map(|number| {
            json!({
                "key": format!("f{number:03}"), "name": "F", "flag_type": "string",
                "states": {"dev": {"default_value": long}},
            })
        })
        .collect();
    for flags in flags.chunks(10) {
        owner.act(&path(&project.id), json!({"flags": flags})).await;
    }
    let page = owner.get(&format!("{}?limit=500", path(&project.id))).await;
    let shown = page.body["flags"].as_array().unwrap().len();
    assert!((60..75).contains(&shown), "{shown}");
    let (all, pages) = whole(&owner, &project.id, 500).await;
    assert_eq!((all["flags"].as_array().unwrap().len(), pages), (80, 2));
}

#[tokio::test]
async fn an_after_that_is_no_next_is_400() {
    let Setup {
        app: _app,
        owner,
        project,
    } = Setup::new().await;
    for after in ["x", "62", "beta"] {
        let refused = owner
            .get(&format!("{}?after={after}", path(&project.id)))
            .await;
        refused.expect_error(400, "after must be the next of a page");
    }
    for limit in ["0", "-1", "x", "9999"] {
        let path = format!("{}?limit={limit}", path(&project.id));
        owner.get(&path).await.expect_status(200);
    }
}

#[tokio::test]
async fn what_a_custom_role_may_not_read_is_null() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    app.set_plan(&owner, "enterprise").await;
    let lists = [
        ("environments", "environments.read"),
        ("segments", "segments.read"),
        ("flags", "flags.read"),
    ];
    for (list, key) in lists {
        let member = app.member(&owner, "developer").await;
        app.hold_to(&owner, &member, &[key]).await;
        let page = member.get(&path(&project.id)).await;
        page.expect_status(200);
        for (other, _) in lists {
            let is_shown = other == list;
            assert_eq!(page.body[other].is_array(), is_shown, "{key}: {other}");
            assert_eq!(page.body[other].is_null(), !is_shown, "{key}: {other}");
        }
    }
}

#[tokio::test]
async fn the_definitions_of_another_organization_are_404() {
    let (app, _owner, project) = App::with_project().await;
    let stranger = app.signup("stranger").await;
    let path = path(&project.id);
    let message = "project not found";
    stranger.get(&path).await.expect_error(404, message);
    let written = stranger.post(&path, json!({"flags": []})).await;
    written.expect_error(404, message);
}
