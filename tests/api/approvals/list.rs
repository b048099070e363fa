//! The list of approval requests.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Setup, approve, reject};

/// The change types of what a list shows, in its order.
fn change_types(list: &Value) -> Vec<&str> {
    let data = list["data"].as_array().expect("a list");
    data.iter()
        .map(|approval| approval["change_type"].as_str().expect("a text"))
        .collect()
}

#[tokio::test]
async fn the_newest_request_comes_first_and_pages_go_back() {
    let setup = Setup::new().await;
    setup.ask("first", json!({})).await;
    setup.ask("second", json!({})).await;
    setup.app.clock.advance(Duration::from_secs(1));
    setup.ask("third", json!({})).await;

    let list = setup.owner.get("/v1/approvals").await;
    assert_eq!(change_types(&list.body), ["third", "second", "first"]);
    let unfiltered = setup.owner.get("/v1/approvals?status=").await;
    unfiltered.expect(200, list.body.clone());
    let second = list.body["data"][1].clone();
    let viewer = setup.app.member(&setup.owner, "viewer").await;
    viewer.get("/v1/approvals?limit=1&offset=1").await.expect(
        200,
        json!({"data": [second], "total": 3, "limit": 1, "offset": 1, "has_more": true}),
    );
    let cut = viewer.get("/v1/approvals?limit=101&offset=-1").await;
    assert_eq!(
        (&cut.body["limit"], &cut.body["offset"]),
        (&json!(100), &json!(0))
    );
}

#[tokio::test]
async fn the_list_is_filtered_by_status() {
    let setup = Setup::new().await;
    setup.ask("waits", json!({})).await;
    let applied = setup.ask("enable", json!({})).await;
    approve(&setup.owner, &applied).await.expect_status(200);
    let rejected = setup.ask("refused", json!({})).await;
    reject(&setup.owner, &rejected).await.expect_status(200);

    for (status, expected) in [
        ("pending", vec!["waits"]),
        // Applied in the transaction of its approval.
        ("approved", vec![]),
        ("rejected", vec!["refused"]),
        ("applied", vec!["enable"]),
    ] {
        let path = format!("/v1/approvals?status={status}&limit=1");
        let list = setup.developer.get(&path).await;
        assert_eq!(change_types(&list.body), expected);
        assert_eq!(list.body["total"], expected.len());
        assert_eq!(list.body["has_more"], false);
    }
}

#[tokio::test]
async fn a_status_that_does_not_exist_is_400() {
    let setup = Setup::new().await;
    for status in ["open", "Pending", "pending,applied"] {
        setup
            .owner
            .get(&format!("/v1/approvals?status={status}"))
            .await
            .expect_error(
                400,
                "status must be one of pending, approved, rejected, applied",
            );
    }
}

#[tokio::test]
async fn another_organization_sees_none_of_it() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", json!({})).await;
    let stranger = setup.app.signup("globex").await;
    stranger.get("/v1/approvals").await.expect(
        200,
        json!({"data": [], "total": 0, "limit": 50, "offset": 0, "has_more": false}),
    );
    let unknown = "approval request not found";
    stranger.get(&approval).await.expect_error(404, unknown);
    approve(&stranger, &approval)
        .await
        .expect_error(404, unknown);
    reject(&stranger, &approval)
        .await
        .expect_error(404, unknown);
    setup
        .owner
        .get("/v1/approvals/nothing")
        .await
        .expect_error(404, "not found");
}

#[tokio::test]
async fn a_page_of_large_payloads_ends_early_and_the_next_one_goes_on() {
    let setup = Setup::new().await;
    setup.ask("first", json!({})).await;
    sqlx::query(
        "INSERT INTO approvals
             (id, org_id, project_id, flag_id, env_id, change_type, payload, status, requestor_id, created_at, updated_at)
         SELECT gen_random_uuid(), org_id, project_id, flag_id, env_id, 'large ' || number,
                jsonb_build_object('default_value', repeat('x', 1024 * 1024)), status, requestor_id,
                created_at + number * interval '1 s', updated_at
         FROM approvals, generate_series(1, 11) AS number",
    )
    .execute(setup.app.pool())
    .await
    .unwrap();
    let page = setup.owner.get("/v1/approvals").await;
    page.expect_status(200);
    let shown: Vec<_> = (4..=11)
        .rev()
        .map(|number| format!("large {number}"))
        .collect();
    assert_eq!(change_types(&page.body), shown);
    assert_eq!(
        (&page.body["total"], &page.body["has_more"]),
        (&json!(12), &json!(true))
    );
    let next = setup.owner.get("/v1/approvals?offset=8").await;
    assert_eq!(
        change_types(&next.body),
        ["large 3", "large 2", "large 1", "first"]
    );
    assert_eq!(next.body["has_more"], false);
}
