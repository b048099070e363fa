//! Comments on requests.

use serde_json::{Value, json};

use super::{Setup, approve};
use crate::trail;

#[tokio::test]
async fn comments_are_listed_with_their_authors_the_oldest_first() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    let path = format!("{approval}/comments");
    let viewer = setup.app.member(&setup.owner, "viewer").await;
    let empty = json!({"data": [], "total": 0, "limit": 50, "offset": 0, "has_more": false});
    viewer.get(&path).await.expect(200, empty);
    let comment = |author: &str, name: &str, text: &str| {
        json!({
            "id": "[uuid]", "approval_id": approval.rsplit('/').next().unwrap(), "author_id": author, "author_name": name,
            "text": text, "created_at": "[time]",
        })
    };
    let asked = comment(&setup.owner.id, "Owner", "Why now?\nIt is Friday.");
    let body = json!({"text": "Why now?\nIt is Friday."});
    let written = setup.owner.post(&path, body).await;
    written.expect(201, asked.clone());
    let entry = json!({
        "action": "approval.commented", "actor_type": "user", "actor_id": setup.owner.id, "resource_type": "approval",
        "resource_id": written.body["approval_id"], "project_id": setup.project.id, "before_state": null,
        "after_state": written.body, "metadata": {"env_id": setup.project.dev},
    });
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);

    // Decided or not.
    approve(&setup.owner, &approval).await.expect_status(200);
    setup
        .developer
        .create(&path, json!({"text": "Ticket 5"}))
        .await;
    let answered = comment(&setup.developer.id, "developer", "Ticket 5");
    viewer.get(&path).await.expect(
        200,
        json!({"data": [asked, answered], "total": 2, "limit": 50, "offset": 0, "has_more": false}),
    );
    let page = viewer.get(&format!("{path}?limit=1&offset=1")).await;
    assert_eq!(page.body["data"][0]["text"], "Ticket 5");
}

#[tokio::test]
async fn a_comment_without_text_or_with_too_much_is_400() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    let path = format!("{approval}/comments");
    for (text, message) in [
        (json!(null), "text is required"),
        (json!(" "), "text is required"),
        (
            json!("ü".repeat(2_001)),
            "text must have at most 2000 characters",
        ),
        (json!(7), "text must be a string"),
        (
            json!("a\u{202e}b"),
            "text must not contain control characters and characters that change the direction of text",
        ),
        (
            json!("a\u{7}b"),
            "text must not contain control characters and characters that change the direction of text",
        ),
    ] {
        let refused = setup.owner.post(&path, json!({"text": text})).await;
        refused.expect_error(400, message);
    }
    setup
        .owner
        .create(&path, json!({"text": "ü".repeat(2_000)}))
        .await;
}

#[tokio::test]
async fn a_viewer_who_comments_is_403_and_another_organization_is_404() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    let path = format!("{approval}/comments");
    let viewer = setup.app.member(&setup.owner, "viewer").await;
    let refused = viewer.post(&path, json!({"text": "Hello"})).await;
    refused.expect_error(403, "insufficient permissions");
    let stranger = setup.app.signup("globex").await;
    for refused in [
        stranger.post(&path, json!({"text": "Hello"})).await,
        stranger.get(&path).await,
    ] {
        refused.expect_error(404, "approval request not found");
    }
}

#[tokio::test]
async fn the_101st_comment_on_a_request_is_409_also_when_two_come_at_once() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    let path = format!("{approval}/comments");
    setup
        .app
        .execute(
            "INSERT INTO approval_comments (id, org_id, approval_id, author_id, text, created_at)
             SELECT gen_random_uuid(), org_id, id, requestor_id, 'x', created_at FROM approvals, generate_series(1, 99)",
            &[],
        )
        .await;
    let comment = || setup.owner.post(&path, json!({"text": "Last"}));
    let (one, other) = tokio::join!(comment(), comment());
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    comment().await.expect_error(
        409,
        "the approval request has 100 comments, which is the most it can have",
    );
    assert_eq!(setup.owner.get(&path).await.body["total"], 100);
}

#[tokio::test]
async fn beyond_16_mib_of_comments_in_a_day_they_are_429() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    setup
        .app
        .execute(
            "INSERT INTO approval_comments (id, org_id, approval_id, author_id, text, created_at)
             SELECT gen_random_uuid(), org_id, id, requestor_id, repeat('x', 16 * 1024 * 1024), created_at FROM approvals",
            &[],
        )
        .await;
    let refused = setup
        .owner
        .post(&format!("{approval}/comments"), json!({"text": "More"}))
        .await;
    refused.expect_error(
        429,
        "the comments of the last 24 hours have 16 MiB, which is the most that an organization can store in a day",
    );
}
