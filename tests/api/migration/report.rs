//! What is kept of an import.

use serde_json::json;

use super::Scene;

#[tokio::test]
async fn a_report_has_every_item_page_by_page() {
    let scene = Scene::set(&["production"]).await;
    for number in 0..5 {
        scene.source.flag(&format!("flag-{number}"), json!({}));
    }
    scene.source.flag("with blanks", json!({}));
    let imported = scene.import().await;
    let path = format!("/v1/migration/{}/report", imported.id);
    let item = |number: i32| {
        let key = format!("flag-{number}");
        json!({"kind": "flag", "source": key, "key": key, "verdict": "exact", "reasons": []})
    };
    let counts = json!({"exact": 6, "approximated": 0, "skipped": 1});
    let page = scene.owner.get(&format!("{path}?limit=3")).await;
    page.expect(
        200,
        json!({
            "migration_id": imported.id, "counts": counts,
            "data": [
                {"kind": "flag", "source": "with blanks", "key": null, "verdict": "skipped", "reasons": [
                    "key must start with a letter or digit and have at most 255 letters, digits, '.', '_', '~' or '-'",
                ]},
                {"kind": "environment", "source": "production", "key": "production", "verdict": "exact", "reasons": []},
                item(0),
            ],
            "total": 7, "limit": 3, "offset": 0, "has_more": true,
        }),
    );
    let page = scene.owner.get(&format!("{path}?limit=3&offset=5")).await;
    page.expect(
        200,
        json!({
            "migration_id": imported.id, "counts": counts, "data": [item(3), item(4)],
            "total": 7, "limit": 3, "offset": 5, "has_more": false,
        }),
    );
}

#[tokio::test]
async fn a_report_shows_the_items_of_one_verdict() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    scene.source.flag("with blanks", json!({}));
    let imported = scene.import().await;
    let path = format!("/v1/migration/{}/report", imported.id);
    let page = scene
        .owner
        .get(&format!("{path}?verdict=exact&limit=1"))
        .await;
    page.expect(
        200,
        json!({
            "migration_id": imported.id, "counts": {"exact": 2, "approximated": 0, "skipped": 1},
            "data": [
                {"kind": "environment", "source": "production", "key": "production", "verdict": "exact", "reasons": []},
            ],
            "total": 2, "limit": 1, "offset": 0, "has_more": true,
        }),
    );
    let refused = scene.owner.get(&format!("{path}?verdict=fine")).await;
    let words = "verdict must be exact, approximated or skipped";
    refused.expect(400, json!({"error": words}));
}

#[tokio::test]
async fn a_report_outlives_its_project() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    let imported = scene.import().await;
    let path = format!("/v1/projects/{}", scene.target);
    scene.owner.remove(&path).await;
    let page = scene
        .owner
        .get(&format!("/v1/migration/{}/report", imported.id))
        .await;
    assert_eq!(
        page.body["counts"],
        json!({"exact": 2, "approximated": 0, "skipped": 0})
    );
}

#[tokio::test]
async fn the_reports_of_the_last_twenty_imports_are_kept() {
    let scene = Scene::set(&["production"]).await;
    let first = scene.import().await;
    for _ in 0..19 {
        scene.import().await;
    }
    let answer = scene
        .owner
        .get(&format!("/v1/migration/status/{}", first.id))
        .await;
    answer.expect_status(200);
    scene.import().await;
    let refused = scene
        .owner
        .get(&format!("/v1/migration/status/{}", first.id))
        .await;
    refused.expect_status(404);
    assert_eq!(scene.owner.get("/v1/migration").await.body["total"], 20);
}

#[tokio::test]
async fn a_status_shows_a_thousand_errors_and_the_report_all() {
    let scene = Scene::set(&["production"]).await;
    for number in 0..1_005 {
        scene
            .source
            .flag(&format!("with blanks {number}"), json!({}));
    }
    let imported = scene.import().await;
    assert_eq!(imported.status["errors"].as_array().unwrap().len(), 1_000);
    assert_eq!(imported.items.len(), 1_006);
}
