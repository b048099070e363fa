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
async fn the_list_is_filtered_by_project_and_flag() {
    let setup = Setup::new().await;
    let flags = format!("/v1/projects/{}/flags", setup.project.id);
    let flag = json!({"key": "g", "name": "G"});
    let other_flag = setup.owner.create(&flags, flag).await.text("/id");
    setup.ask("of f", json!({})).await;
    let rejected = setup.ask("of f, decided", json!({})).await;
    reject(&setup.owner, &rejected).await.expect_status(200);
    let mut asked = setup.asking("of g", &json!({}));
    asked["flag_id"] = json!(other_flag);
    setup.developer.create("/v1/approvals", asked).await;
    let other = setup
        .owner
        .post("/v1/projects", json!({"name": "Other"}))
        .await
        .text("/id");
    setup.owner.remove(&format!("{flags}/g")).await;

    let (project, unknown) = (&setup.project.id, "01890000-0000-7000-8000-000000000000");
    for (query, expected) in [
        (
            format!("project_id={project}"),
            vec!["of g", "of f, decided", "of f"],
        ),
        (
            format!("project_id={project}&flag_key=f"),
            vec!["of f, decided", "of f"],
        ),
        (
            format!("project_id={project}&flag_key=f&status=pending"),
            vec!["of f"],
        ),
        // The flag is deleted.
        (format!("project_id={project}&flag_key=g"), vec!["of g"]),
        (format!("project_id={project}&flag_key=nowhere"), vec![]),
        (format!("project_id={project}&flag_key=no%20key"), vec![]),
        (format!("project_id={other}"), vec![]),
        (format!("project_id={other}&flag_key=f"), vec![]),
        (format!("project_id={unknown}"), vec![]),
        ("project_id=nothing".to_owned(), vec![]),
        (
            "project_id=&flag_key=".to_owned(),
            vec!["of g", "of f, decided", "of f"],
        ),
    ] {
        let list = setup.owner.get(&format!("/v1/approvals?{query}")).await;
        list.expect_status(200);
        assert_eq!(change_types(&list.body), expected, "{query}");
        assert_eq!(list.body["total"], expected.len(), "{query}");
    }
    let stranger = setup.app.signup("globex").await;
    let foreign = format!("/v1/approvals?project_id={project}&flag_key=f");
    assert_eq!(stranger.get(&foreign).await.body["total"], 0);
}

#[tokio::test]
async fn a_flag_key_without_a_project_is_400() {
    let setup = Setup::new().await;
    let refused = setup.owner.get("/v1/approvals?flag_key=f").await;
    refused.expect_error(400, "flag_key needs project_id");
}

#[tokio::test]
async fn a_status_that_does_not_exist_is_400() {
    let setup = Setup::new().await;
    for status in ["open", "Pending", "pending,applied"] {
        let refused = setup
            .owner
            .get(&format!("/v1/approvals?status={status}"))
            .await;
        refused.expect_error(
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
    setup.owner.get("/v1/approvals/nothing").await.expect_error(
        404,
        "not found: approvalID must be an id (a UUID), not a slug, a key or a name",
    );
}

#[tokio::test]
async fn a_page_of_large_payloads_ends_early_and_the_next_one_goes_on() {
    let setup = Setup::new().await;
    setup.ask("first", json!({})).await;
    setup.app.execute(
        "INSERT INTO approvals
             (id, org_id, project_id, flag_id, env_id, change_type, payload, payload_bytes, status, requestor_id, created_at,
              updated_at)
         SELECT gen_random_uuid(), org_id, project_id, flag_id, env_id, 'large ' || number,
                jsonb_build_object('default_value', repeat('x', 1024 * 1024)), 1024 * 1024, status, requestor_id,
                created_at + number * interval '1 s', updated_at
         FROM approvals, generate_series(1, 11) AS number",
        &[],
    )
    .await;
    let page = setup.owner.get("/v1/approvals").await;
    page.expect_status(200);
    assert_eq!(change_types(&page.body), ["large 11", "large 10"]);
    assert_eq!(
        (&page.body["total"], &page.body["has_more"]),
        (&json!(12), &json!(true))
    );
    let next = setup.owner.get("/v1/approvals?offset=10").await;
    assert_eq!(change_types(&next.body), ["large 1", "first"]);
    assert_eq!(next.body["has_more"], false);
}

#[tokio::test]
async fn a_page_is_measured_without_reading_payloads() {
    let setup = Setup::new().await;
    let payload = json!({"rules": [{"description": "x".repeat(100)}]});
    for change_type in ["first", "second", "third"] {
        setup.ask(change_type, payload.clone()).await;
    }
    let measured: Vec<i32> = sqlx::query_scalar("SELECT payload_bytes FROM approvals")
        .fetch_all(setup.app.pool())
        .await
        .unwrap();
    let bytes = i32::try_from(payload.to_string().len());
    assert_eq!(measured, [bytes.unwrap(); 3]);
    // It goes by what is stored, whatever the payload is.
    setup
        .app
        .execute("UPDATE approvals SET payload_bytes = 3 * 512 * 1024", &[])
        .await;
    let page = setup.owner.get("/v1/approvals").await;
    assert_eq!(change_types(&page.body), ["third", "second"]);
    assert_eq!(page.body["has_more"], true);
}

#[tokio::test]
async fn requests_are_counted_up_to_ten_thousand_and_pages_go_on_beyond() {
    let setup = Setup::new().await;
    setup.ask("newest", json!({})).await;
    setup.app.execute(
        "INSERT INTO approvals
             (id, org_id, project_id, flag_id, env_id, change_type, payload, payload_bytes, status, requestor_id,
              reviewer_id, reviewed_at, created_at, updated_at)
         SELECT gen_random_uuid(), org_id, project_id, flag_id, env_id, number::text, '{}', 2, 'rejected', requestor_id,
                requestor_id, created_at, created_at - number * interval '1 s', updated_at
         FROM approvals, generate_series(1, 10500) AS number",
        &[],
    )
    .await;
    for (query, total, has_more) in [
        ("", 10_000, true),
        ("offset=10100", 10_151, true),
        ("offset=10451", 10_501, false),
        ("offset=20000", 10_000, false),
        ("status=pending", 1, false),
    ] {
        let page = setup.owner.get(&format!("/v1/approvals?{query}")).await;
        assert_eq!(page.body["total"], total, "{query}");
        assert_eq!(page.body["has_more"], has_more, "{query}");
    }
}

#[tokio::test]
async fn the_list_is_filtered_by_the_requestor() {
    let setup = Setup::new().await;
    setup.ask("theirs", json!({})).await;
    let asked = setup.asking("own", &Value::Null);
    setup.owner.create("/v1/approvals", asked).await;
    for (requestor, expected) in [
        (setup.developer.id.clone(), vec!["theirs"]),
        (setup.owner.id.to_uppercase(), vec!["own"]),
        (format!("{}&status=applied", setup.owner.id), vec![]),
        (
            format!("{}&project_id={}", setup.owner.id, setup.project.id),
            vec!["own"],
        ),
        (String::new(), vec!["own", "theirs"]),
        ("nonsense".to_owned(), vec![]),
    ] {
        let path = format!("/v1/approvals?requestor_id={requestor}");
        let list = setup.developer.get(&path).await;
        assert_eq!(change_types(&list.body), expected, "{requestor}");
        assert_eq!(list.body["total"], expected.len());
    }
}
