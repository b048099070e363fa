//! Environments of the source under slugs that the request chooses.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Scene;
use harness::migration::import;

fn mapped(scene: &Scene, environments: Value) -> Value {
    let mut body = scene.body();
    body["environments"] = environments;
    body
}

#[tokio::test]
async fn an_environment_of_the_source_becomes_one_that_is_there() {
    let scene = Scene::set(&["development", "production"]).await;
    let path = format!("/v1/projects/{}/environments", scene.target);
    let made = scene
        .owner
        .create(&path, json!({"name": "Dev", "slug": "dev"}))
        .await;
    scene.source.flag("plain", json!({}));
    let body = mapped(&scene, json!({"development": "dev"}));

    let analyzed = scene
        .owner
        .post("/v1/migration/analyze", body.clone())
        .await;
    analyzed.expect_status(200);
    let details = &analyzed.body["details"];
    assert_eq!(
        details["environments"],
        json!(["development", "production"])
    );
    assert_eq!(
        details["mapped_environments"],
        json!({"development": "dev"})
    );
    assert_eq!(
        details["items"].as_array().unwrap()[..2],
        [
            json!({"kind": "environment", "source": "development", "key": "dev", "verdict": "exact", "reasons": []}),
            json!({"kind": "environment", "source": "production", "key": "production", "verdict": "exact", "reasons": []}),
        ]
    );

    let imported = import(&scene.owner, &body).await;
    assert_eq!(imported.status["status"], "completed");
    let environments = scene.list("environments").await;
    let by_slug: BTreeMap<_, _> = environments
        .iter()
        .map(|one| (one["slug"].as_str().unwrap(), one["id"].clone()))
        .collect();
    assert_eq!(by_slug.keys().collect::<Vec<_>>(), [&"dev", &"production"]);
    assert_eq!(by_slug["dev"], made.body["id"]);
    assert_eq!(scene.state("plain", "dev").await["enabled"], true);

    let again = import(&scene.owner, &body).await;
    assert_eq!(again.status["flags_imported"], 0);
    let same = "the key exists already, with the same meaning: there is nothing to import";
    assert_eq!(
        again.status["errors"],
        json!([{"flag": "plain", "error": same}])
    );
}

#[tokio::test]
async fn an_environment_that_is_not_there_is_created_under_the_chosen_slug() {
    let scene = Scene::set(&["development"]).await;
    scene.source.flag("plain", json!({}));
    let body = mapped(&scene, json!({"development": "sandbox_1"}));
    import(&scene.owner, &body).await;
    let environments = scene.list("environments").await;
    assert_eq!(environments.len(), 1);
    assert_eq!(
        (&environments[0]["slug"], &environments[0]["name"]),
        (&json!("sandbox_1"), &json!("The development"))
    );
    assert_eq!(scene.state("plain", "sandbox_1").await["enabled"], true);
}

#[tokio::test]
async fn choices_that_do_not_fit_the_source_are_400() {
    let scene = Scene::set(&["dev", "development"]).await;
    for (environments, message) in [
        (
            json!({"develop": "dev"}),
            "environments: the source has no \"develop\"",
        ),
        (
            json!({"development": "dev"}),
            "environments: \"development\" and \"dev\" would both become dev",
        ),
    ] {
        for path in ["analyze", "execute"] {
            let body = mapped(&scene, environments.clone());
            let path = format!("/v1/migration/{path}");
            let refused = scene.owner.post(&path, body).await;
            refused.expect_error(400, message);
        }
    }
    let listed = scene.owner.get("/v1/migration").await;
    assert_eq!(listed.body["total"], 0);
}

#[tokio::test]
async fn choices_that_break_a_rule_are_400_before_the_source_is_asked() {
    let scene = Scene::set(&["development"]).await;
    let many: BTreeMap<_, _> = (0..=200)
        .map(|n| (format!("e{n}"), format!("e{n}")))
        .collect();
    for (environments, message) in [
        (
            json!({"development": "Dev"}),
            "environments.development: slug must start with a lower-case letter or digit and have at most 100 of these, '_' or '-'",
        ),
        (
            json!({"a": "dev", "b": "dev"}),
            "environments: \"a\" and \"b\" would both become dev",
        ),
        (
            json!({"x".repeat(256): "dev"}),
            "environments must have names of at most 255 characters",
        ),
        (json!(many), "environments must have at most 200 members"),
    ] {
        for path in ["analyze", "execute"] {
            let body = mapped(&scene, environments.clone());
            let path = format!("/v1/migration/{path}");
            let refused = scene.owner.post(&path, body).await;
            refused.expect_error(400, message);
        }
    }
    for (provider, buckets, message) in [
        ("provider_a", "unleash", "buckets must be one of keep, own"),
        (
            "provider_c",
            "keep",
            "buckets can be kept of provider_a and provider_b alone",
        ),
    ] {
        let mut body = scene.body();
        body["provider"] = json!(provider);
        body["buckets"] = json!(buckets);
        let refused = scene.owner.post("/v1/migration/analyze", body).await;
        refused.expect_error(400, message);
    }
    for environments in [json!(["dev"]), json!({"development": 5}), json!("dev")] {
        let body = mapped(&scene, environments);
        let refused = scene.owner.post("/v1/migration/analyze", body).await;
        assert_eq!(refused.status, 400);
    }
    assert!(scene.source.asked().is_empty());
}
