//! What the endpoints answer.

use serde_json::json;

use super::Scene;

#[tokio::test]
async fn the_providers_are_listed_in_their_order() {
    let scene = Scene::set(&[]).await;
    let expected = json!({"providers": [
        {"name": "provider_a", "display_name": "LaunchDarkly", "capabilities": ["flags", "environments", "segments"]},
        {"name": "provider_b", "display_name": "Unleash", "capabilities": ["flags", "environments", "segments"]},
        {"name": "provider_c", "display_name": "Flagsmith",
         "capabilities": ["flags", "environments", "segments", "identities"]},
    ]});
    let listed = scene.owner.post("/v1/migration/providers", json!({})).await;
    listed.expect(200, expected.clone());
    let request = reqwest::Method::POST;
    let request = scene.owner.request(request, "/v1/migration/providers");
    scene.owner.send(request).await.expect(200, expected);
}

#[tokio::test]
async fn a_source_that_can_be_read_is_connected() {
    let scene = Scene::set(&["production"]).await;
    let connected = scene
        .owner
        .post("/v1/migration/connect", scene.body())
        .await;
    connected.expect(
        200,
        json!({"status": "connected", "provider": "provider_a"}),
    );
}

#[tokio::test]
async fn an_analysis_tells_each_item_and_imports_nothing() {
    let scene = Scene::set(&["production", "test"]).await;
    scene.source.flag("plain", json!({}));
    scene.source.flag("with blanks", json!({}));
    scene.source.segment("production", "beta", &["ada"]);
    let analyzed = scene.analyze().await;
    analyzed.expect(
        200,
        json!({
            "status": "analyzed",
            "summary": {
                "total_flags": 2, "total_environments": 2, "total_segments": 1, "source_system": "provider_a",
            },
            "details": {
                "boolean_flags": 2, "string_flags": 0, "number_flags": 0, "json_flags": 0,
                "environments": ["production", "test"],
                "verdicts": {"exact": 4, "approximated": 0, "skipped": 1},
                "items": [
                    {"kind": "environment", "source": "production", "key": "production", "verdict": "exact", "reasons": []},
                    {"kind": "environment", "source": "test", "key": "test", "verdict": "exact", "reasons": []},
                    {"kind": "segment", "source": "beta", "key": "beta", "verdict": "exact", "reasons": []},
                    {"kind": "flag", "source": "plain", "key": "plain", "verdict": "exact", "reasons": []},
                    {"kind": "flag", "source": "with blanks", "key": null, "verdict": "skipped", "reasons": [
                        "key must start with a letter or digit and have at most 255 letters, digits, '.', '_', '~' or '-'",
                    ]},
                ],
            },
        }),
    );
    for things in ["flags", "segments", "environments"] {
        assert!(scene.list(things).await.is_empty(), "{things}");
    }
}

#[tokio::test]
async fn an_import_begins_and_its_status_tells_how_it_ended() {
    let scene = Scene::set(&["production", "test"]).await;
    scene.source.flag(
        "plain",
        json!({"tags": ["a"], "description": "A switch", "name": "Plain"}),
    );
    scene.source.flag("with blanks", json!({}));
    scene.source.segment("production", "beta", &["ada"]);
    let started = scene
        .owner
        .post("/v1/migration/execute", scene.body())
        .await;
    started.expect(
        200,
        json!({"status": "started", "migration_id": "[uuid]", "total_flags": 2, "total_environments": 2}),
    );
    let id = started.text("/migration_id");
    let imported = harness::migration::ended(&scene.owner, id.clone()).await;
    assert_eq!(
        imported.status,
        json!({
            "status": "completed", "migration_id": id, "flags_imported": 1, "flags_total": 2,
            "environments_imported": 2, "segments_imported": 1,
            "errors": [{
                "flag": "with blanks",
                "error": "key must start with a letter or digit and have at most 255 letters, digits, '.', '_', '~' or '-'",
            }],
        })
    );

    let environments = scene.list("environments").await;
    let shown: Vec<_> = environments
        .iter()
        .map(|env| {
            (
                env["name"].clone(),
                env["slug"].clone(),
                env["color"].clone(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (
                json!("The production"),
                json!("production"),
                json!("#417505")
            ),
            (json!("The test"), json!("test"), json!("#417505")),
        ]
    );
    let path = format!("/v1/projects/{}/flags/plain", scene.target);
    let flag = scene.owner.get(&path).await;
    assert_eq!(
        (
            &flag.body["name"],
            &flag.body["description"],
            &flag.body["tags"],
            &flag.body["created_at"]
        ),
        (
            &json!("Plain"),
            &json!("A switch"),
            &json!(["a"]),
            &json!("2023-09-05T09:18:48.781Z")
        )
    );
    for slug in ["production", "test"] {
        assert_eq!(scene.state("plain", slug).await["enabled"], true, "{slug}");
    }
}

#[tokio::test]
async fn imports_are_listed_the_newest_first() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    let first = scene.import().await;
    let second = scene.import().await;
    let summary = |id: &str, flags| {
        json!({
            "migration_id": id, "provider": "provider_a", "target_project_id": scene.target, "status": "completed",
            "flags_imported": flags, "flags_total": 1, "started_at": "[time]", "ended_at": "[time]",
        })
    };
    let listed = scene.owner.get("/v1/migration").await;
    listed.expect(
        200,
        json!({
            "data": [summary(&second.id, 0), summary(&first.id, 1)],
            "total": 2, "limit": 50, "offset": 0, "has_more": false,
        }),
    );
    let path = format!("/v1/migration?target_project_id={}&limit=1", scene.target);
    let listed = scene.owner.get(&path).await;
    assert_eq!(
        (&listed.body["total"], &listed.body["has_more"]),
        (&json!(2), &json!(true))
    );
    let other = scene.owner.default_project().await.id;
    let path = format!("/v1/migration?target_project_id={other}");
    assert_eq!(scene.owner.get(&path).await.body["total"], 0);
}
