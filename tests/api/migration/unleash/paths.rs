//! Sources that know only some of Unleash's paths, and how many requests a large one is asked.

use harness::migration::{Imported, import};
use harness::unleash::ADMIN;
use harness::{App, LikeUnleash, User};
use serde_json::{Value, json};

/// An organization with an empty project.
async fn target() -> (App, User, String) {
    let (app, owner) = App::with_owner_and(&[("RATE_MIGRATION", "0")]).await;
    let project = owner.post("/v1/projects", json!({"name": "Shop"})).await;
    let id = project.text("/id");
    (app, owner, id)
}

fn body(source: &LikeUnleash, target: &str) -> Value {
    json!({
        "provider": "provider_b", "api_key": ADMIN, "base_url": source.url(), "project_key": "shop",
        "target_project_id": target,
    })
}

/// What there is in every environment of the flag `beta`.
fn states() -> Value {
    json!([{
        "name": "production", "enabled": true,
        "strategies": [{"name": "userWithId", "parameters": {"userIds": "ada"}, "segments": [3]}],
    }])
}

/// What every Unleash has.
fn common(path: &str) -> Option<Value> {
    Some(match path {
        "/projects" => json!({"projects": [{"id": "default"}, {"id": "shop"}]}),
        "/environments" => {
            json!({"environments": [{"name": "production", "type": "production", "enabled": true}]})
        }
        "/segments" => json!({"segments": [
            {"id": 3, "name": "germans", "constraints": [{"contextName": "country", "operator": "IN", "values": ["DE"]}]},
            {"id": 4, "name": "of another project", "project": "default", "constraints": []},
        ]}),
        _ => return None,
    })
}

async fn expect_the_beta(owner: &User, target: &str, imported: &Imported) {
    assert_eq!(imported.status["status"], "completed");
    assert_eq!(
        imported.exact_flags().into_iter().collect::<Vec<_>>(),
        ["beta"]
    );
    let environments = owner
        .get(&format!("/v1/projects/{target}/environments"))
        .await;
    let id = environments.text("/data/0/id");
    let path = format!("/v1/projects/{target}/flags/beta/environments/{id}");
    let state = owner.get(&path).await;
    assert_eq!(state.body["enabled"], true);
    let rule = &state.body["rules"][0];
    assert_eq!(rule["segment_keys"], json!(["provider_b-segment-3"]));
    assert_eq!(
        rule["conditions"],
        json!([{"attribute": "key", "operator": "in", "values": ["ada"]}])
    );
    let flag = owner
        .get(&format!("/v1/projects/{target}/flags/beta"))
        .await;
    assert_eq!(flag.body["tags"], json!(["fast"]));
}

#[tokio::test]
async fn a_list_of_flags_that_tells_their_strategies_is_enough() {
    let (_app, owner, target) = target().await;
    let source = LikeUnleash::start(|path, _| match path {
        "/projects/shop/features" => Some(json!({"features": [
            {"name": "beta", "type": "release", "tags": [{"type": "simple", "value": "fast"}], "environments": states()},
            {"name": "old", "type": "release", "archived": true},
        ]})),
        _ => common(path),
    });
    let body = body(&source, &target);
    owner.act("/v1/migration/connect", body.clone()).await;
    let analyzed = owner.act("/v1/migration/analyze", body.clone()).await;
    let summary = json!({"total_flags": 1, "total_environments": 1, "total_segments": 1, "source_system": "provider_b"});
    assert_eq!(analyzed.body["summary"], summary);
    assert_eq!(analyzed.body["details"]["release_toggles"], 1);
    assert_eq!(
        analyzed.body["details"]["environments"],
        json!(["production"])
    );
    let imported = import(&owner, &body).await;
    expect_the_beta(&owner, &target, &imported).await;
    assert_eq!(imported.said_of("old"), ["it is archived"]);
}

#[tokio::test]
async fn flags_are_asked_for_one_by_one_where_their_list_tells_no_strategies() {
    let (_app, owner, target) = target().await;
    let source = LikeUnleash::start(|path, _| match path {
        "/projects/shop/features" => {
            let tags = json!([{"type": "simple", "value": "fast"}]);
            let environments = json!([{"name": "production", "enabled": true}]);
            let beta = json!({"name": "beta", "type": "release", "tags": tags, "environments": environments});
            Some(json!({"features": [beta, {"name": "gone", "type": "release"}]}))
        }
        "/projects/shop/features/beta" => {
            Some(json!({"name": "beta", "type": "release", "environments": states()}))
        }
        _ => common(path),
    });
    let imported = import(&owner, &body(&source, &target)).await;
    expect_the_beta(&owner, &target, &imported).await;
}

#[tokio::test]
async fn tags_are_searched_for_where_exports_have_none() {
    let (_app, owner, target) = target().await;
    let source = LikeUnleash::start(|path, body| match path {
        "/projects/shop/features" => {
            Some(json!({"features": [{"name": "beta", "type": "release"}]}))
        }
        "/features-batch/export"
            if body["environment"] == "production" && body["project"] == "shop" =>
        {
            let strategy = json!({
                "name": "userWithId", "featureName": "beta", "parameters": {"userIds": "ada"}, "segments": [3],
            });
            let state = json!({"featureName": "beta", "name": "beta", "environment": "production", "enabled": true});
            Some(json!({"featureStrategies": [strategy], "featureEnvironments": [state]}))
        }
        "/search/features?project=IS:shop&limit=100&offset=0" => {
            let tags = json!([{"type": "simple", "value": "fast"}]);
            Some(json!({"features": [{"name": "beta", "tags": tags}], "total": 1}))
        }
        _ => common(path),
    });
    let imported = import(&owner, &body(&source, &target)).await;
    expect_the_beta(&owner, &target, &imported).await;
}

#[tokio::test]
async fn a_project_that_the_source_does_not_have_is_refused() {
    let (_app, owner, target) = target().await;
    let source = LikeUnleash::start(|path, _| common(path));
    let mut body = body(&source, &target);
    body["project_key"] = json!("another");
    for path in ["connect", "analyze", "execute"] {
        let path = format!("/v1/migration/{path}");
        let refused = owner.post(&path, body.clone()).await;
        refused.expect_error(400, "project_key does not name a project of the source");
    }
    assert_eq!(owner.get("/v1/migration").await.body["total"], 0);
    let segments = owner.get(&format!("/v1/projects/{target}/segments")).await;
    assert_eq!(segments.body["total"], 0);
}

#[tokio::test]
async fn an_answer_that_is_not_what_unleash_says_is_502() {
    let (_app, owner, target) = target().await;
    let expect_malformed = async |source: &LikeUnleash, paths: &[&str]| {
        for path in paths {
            let path = format!("/v1/migration/{path}");
            let refused = owner.post(&path, body(source, &target)).await;
            refused.expect_error(502, "the answer of the source cannot be read");
        }
    };
    for anything in [
        json!({}),
        json!(null),
        json!("text"),
        json!([]),
        json!({"projects": 5}),
    ] {
        let source = LikeUnleash::start(move |_, _| Some(anything.clone()));
        expect_malformed(&source, &["connect", "analyze", "execute"]).await;
    }
    // One list that is missing is none that is empty.
    for (missing, executes) in [
        ("/projects/shop/features", true),
        ("/environments", true),
        ("/segments", false),
    ] {
        for list in [
            json!({}),
            json!({"features": null, "environments": null, "segments": null}),
        ] {
            let source = LikeUnleash::start(move |path, _| match path {
                _ if path == missing => Some(list.clone()),
                "/projects/shop/features" => Some(json!({"features": []})),
                _ => common(path),
            });
            let paths: &[&str] = if executes {
                &["analyze", "execute"]
            } else {
                &["analyze"]
            };
            expect_malformed(&source, paths).await;
        }
    }
}

#[tokio::test]
async fn a_flag_that_is_listed_and_not_given_has_a_line() {
    let (_app, owner, target) = target().await;
    let source = LikeUnleash::start(|path, _| match path {
        "/projects/shop/features" => {
            let named =
                ["beta", "gone", "refused"].map(|name| json!({"name": name, "type": "release"}));
            Some(json!({"features": named}))
        }
        "/projects/shop/features/beta" => {
            Some(json!({"name": "beta", "type": "release", "environments": states()}))
        }
        _ => common(path),
    });
    source.refuse("/projects/shop/features/refused", 403);
    let imported = import(&owner, &body(&source, &target)).await;
    assert_eq!(imported.status["status"], "completed");
    assert_eq!(
        (
            &imported.status["flags_total"],
            &imported.status["flags_imported"]
        ),
        (&json!(3), &json!(1))
    );
    let not_given = "the source lists it and does not give it";
    let refused = "the source lists it and does not give it: the source answered 403";
    assert_eq!(
        imported.status["errors"],
        json!([{"flag": "gone", "error": not_given}, {"flag": "refused", "error": refused}])
    );
    let analyzed = owner
        .post("/v1/migration/analyze", body(&source, &target))
        .await;
    assert_eq!(analyzed.body["summary"]["total_flags"], 3);
    assert_eq!(analyzed.body["details"]["verdicts"]["skipped"], 2);
}

#[tokio::test]
async fn a_large_project_is_read_with_few_requests() {
    const FLAGS: usize = 2_000;
    const ENVIRONMENTS: usize = 5;
    let (_app, owner, target) = target().await;
    let source = LikeUnleash::start(|path, body| match path {
        "/projects/shop/overview" => Some(json!({"name": "Shop"})),
        "/segments" => Some(json!({"segments": []})),
        "/environments/project/shop" => {
            let environments = (0..ENVIRONMENTS)
                .map(|number| json!({"name": format!("env-{number}"), "visible": true}));
            let hidden = json!({"name": "hidden", "visible": false});
            Some(json!({"environments": environments.chain([hidden]).collect::<Value>()}))
        }
        "/projects/shop/features" => {
            let features =
                (0..FLAGS).map(|number| json!({"name": format!("flag-{number}"), "type": "ops"}));
            Some(json!({"version": 2, "features": features.collect::<Value>()}))
        }
        "/features-batch/export" => {
            let strategies = (0..FLAGS).map(|number| {
                let constraint = json!({"contextName": "country", "operator": "NOT_IN", "values": ["DE", "AT"]});
                json!({"name": "default", "featureName": format!("flag-{number}"), "constraints": [constraint]})
            });
            let states = (0..FLAGS).map(|number| {
                json!({"featureName": format!("flag-{number}"), "environment": body["environment"], "enabled": true})
            });
            Some(json!({
                "featureStrategies": strategies.collect::<Value>(), "featureEnvironments": states.collect::<Value>(),
                "featureTags": [],
            }))
        }
        _ => None,
    });
    let analyzed = owner
        .act("/v1/migration/analyze", body(&source, &target))
        .await;
    assert_eq!(analyzed.body["summary"]["total_flags"], FLAGS);
    assert_eq!(analyzed.body["details"]["ops_toggles"], FLAGS);
    assert_eq!(analyzed.body["summary"]["total_environments"], ENVIRONMENTS);
    let exact = FLAGS + ENVIRONMENTS;
    assert_eq!(
        analyzed.body["details"]["verdicts"],
        json!({"exact": exact, "approximated": 0, "skipped": 0})
    );
    // The project, its environments, segments and flags, and an export for each environment.
    assert_eq!(source.asked().len(), 4 + ENVIRONMENTS);
}

#[tokio::test]
async fn the_order_of_strategies_is_asked_for_where_it_decides_what_is_served() {
    let (_app, owner, target) = target().await;
    let strategy = |id: &str, order: Value, served: &str| {
        let payload = json!({"type": "string", "value": served});
        let variants = json!([{"name": "v", "weight": 1000, "payload": payload}]);
        json!({"id": id, "name": "default", "featureName": "beta", "sortOrder": order, "variants": variants})
    };
    let exported = json!([
        strategy("a", Value::Null, "second"),
        strategy("b", Value::Null, "first")
    ]);
    let described = json!([
        strategy("a", json!(1), "second"),
        strategy("b", json!(0), "first")
    ]);
    let source = LikeUnleash::start(move |path, _| match path {
        "/projects/shop/features" => Some(json!({"features": [{"name": "beta"}]})),
        "/features-batch/export" => {
            let state =
                json!({"featureName": "beta", "environment": "production", "enabled": true});
            Some(
                json!({"featureStrategies": exported, "featureEnvironments": [state], "featureTags": []}),
            )
        }
        "/projects/shop/features/beta" => {
            let state = json!({"name": "production", "enabled": true, "strategies": described});
            Some(json!({"name": "beta", "environments": [state]}))
        }
        _ => common(path),
    });
    let imported = import(&owner, &body(&source, &target)).await;
    assert_eq!(imported.exact_flags().len(), 1);
    let environments = owner
        .get(&format!("/v1/projects/{target}/environments"))
        .await;
    let id = environments.text("/data/0/id");
    let path = format!("/v1/projects/{target}/flags/beta/environments/{id}");
    let state = owner.get(&path).await;
    assert_eq!(
        (&state.body["rules"], &state.body["variants"]),
        (
            &json!([]),
            &json!([{"key": "v", "value": "first", "weight": 10_000}])
        )
    );
}
