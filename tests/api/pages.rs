//! Pages of things that may be large.

use harness::App;
use serde_json::json;

/// Ten segments of a mebibyte each, in a project of this organization.
async fn store_large_segments(app: &App, org_id: &str, project_id: &str) {
    app.execute(
        r#"INSERT INTO segments
               (id, org_id, project_id, key, name, description, match_type, rules, changed_version, compiled_bytes, created_at,
                updated_at)
           SELECT gen_random_uuid(), $1::uuid, $2::uuid, 'segment-' || number, 'S', '', 'all',
                  jsonb_build_array(jsonb_build_object(
                      'attribute', 'a', 'operator', 'in', 'values', jsonb_build_array(repeat('x', 1024 * 1024)))),
                  1, 0, now() + number * interval '1 s', now()
           FROM generate_series(1, 10) AS number"#,
        &[org_id, project_id],
    )
    .await;
}

#[tokio::test]
async fn a_large_answer_counts_as_several_requests() {
    let (app, owner, project) = App::with_project().await;
    store_large_segments(&app, &owner.org_id, &project.id).await;
    let left = |answer: &harness::Response| -> u32 {
        let left = answer.expect_status(200).header("x-ratelimit-remaining");
        left.parse().unwrap()
    };
    let before = left(&owner.get("/v1/projects").await);
    let path = format!("/v1/projects/{}/segments", project.id);
    let large = owner.get(&path).await;
    assert_eq!(left(&large), before - 1);
    // Two mebibytes are 32 requests of 64 KiB.
    assert_eq!(left(&owner.get("/v1/projects").await), before - 34);
}

#[tokio::test]
async fn a_large_body_counts_as_several_requests() {
    let (_app, owner) = App::with_owner().await;
    let left = |answer: &harness::Response| -> u32 {
        let left = answer.header("x-ratelimit-remaining");
        left.parse().unwrap()
    };
    let before = left(&owner.get("/v1/projects").await);
    let large = json!({"name": 1, "unknown": "x".repeat(200 * 1024)});
    let refused = owner.post("/v1/projects", large).await;
    refused.expect_error(400, "name must be a string");
    assert_eq!(left(&refused), before - 1);
    assert_eq!(left(&owner.get("/v1/projects").await), before - 5);
}

#[tokio::test]
async fn a_page_of_large_segments_ends_early_and_the_next_one_goes_on() {
    let (app, owner, project) = App::with_project().await;
    store_large_segments(&app, &owner.org_id, &project.id).await;
    let path = format!("/v1/projects/{}/segments", project.id);
    let keys = |page: &harness::Response| -> Vec<String> {
        let segments = page.expect_status(200).body["data"]
            .as_array()
            .unwrap()
            .iter();
        segments
            .map(|segment| segment["key"].as_str().unwrap().to_owned())
            .collect()
    };
    let named = |numbers: std::ops::RangeInclusive<i32>| -> Vec<String> {
        numbers.map(|number| format!("segment-{number}")).collect()
    };
    let page = owner.get(&path).await;
    assert_eq!(keys(&page), named(1..=2));
    assert_eq!(
        (&page.body["total"], &page.body["has_more"]),
        (&json!(10), &json!(true))
    );
    let next = owner.get(&format!("{path}?offset=8")).await;
    assert_eq!(keys(&next), named(9..=10));
    assert_eq!(next.body["has_more"], false);
}
