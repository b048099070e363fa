//! What is no scan, and what would be too much.

use super::*;

impl Scene {
    async fn expect_refused(&self, body: Value, words: &str) {
        let answer = self.owner.put(&self.path, body).await;
        answer.expect(400, json!({"error": words}));
        self.owner
            .get(&self.path)
            .await
            .expect(200, json!({"data": []}));
    }
}

#[tokio::test]
async fn a_scan_without_its_fields_is_400() {
    let scene = start().await;
    for (body, words) in [
        (json!({"references": []}), "repository is required"),
        (json!({"repository": "a"}), "references is required"),
        (
            scan("a", &[json!({"path": "a", "line": 1})]),
            "references[0].key is required",
        ),
        (
            scan("a", &[json!({"key": "a", "line": 1})]),
            "references[0].path is required",
        ),
        (
            scan(
                "a",
                &[reference("a", "a", 1), json!({"key": "a", "path": "a"})],
            ),
            "references[1].line is required",
        ),
    ] {
        scene.expect_refused(body, words).await;
    }
}

#[tokio::test]
async fn a_line_or_a_path_that_can_be_none_is_400() {
    let scene = start().await;
    let line = "references[0].line must be an integer from 1 to 10000000";
    for number in [0, -1, 10_000_001] {
        scene
            .expect_refused(scan("a", &[reference("a", "a", number)]), line)
            .await;
    }
    let path = "references[0].path must be that of a file from the top of its repository, at most 1024 bytes";
    for text in ["/etc/passwd", "../a", "a\nb", &"x".repeat(1_025)] {
        scene
            .expect_refused(scan("a", &[reference("a", text, 1)]), path)
            .await;
    }
    let mut body = reference("a", "a", 1);
    body["alias"] = json!("two\nlines");
    let alias = "references[0].alias must be a line of at most 255 characters";
    scene.expect_refused(scan("a", &[body]), alias).await;
}

#[tokio::test]
async fn a_commit_or_a_link_that_can_be_none_is_400() {
    let scene = start().await;
    for (field, text, words) in [
        ("commit", "main", "commit must be 7 to 64 hex digits"),
        (
            "branch",
            "a\u{2028}b",
            "branch must be a line of at most 255 characters",
        ),
        (
            "link",
            "javascript:alert(1)//{path}",
            "link must be an http or https address with {path}, at most 2048 characters",
        ),
    ] {
        let mut body = scan("a", &[]);
        body[field] = json!(text);
        scene.expect_refused(body, words).await;
    }
}

#[tokio::test]
async fn the_10_001st_reference_is_400() {
    let scene = start().await;
    let lines = |most: i64| {
        let found: Vec<_> = (1..=most)
            .map(|line| reference("dark-mode", "src/pages/checkout/summary.tsx", line))
            .collect();
        scan("acme/shop", &found)
    };
    scene
        .expect_refused(lines(10_001), "references must have at most 10000 items")
        .await;
    let most = scene.scanned(lines(10_000)).await;
    assert_eq!(most["reference_count"], 10_000);
}

#[tokio::test]
async fn the_51st_repository_of_a_project_is_400() {
    let scene = start().await;
    for number in 0..50 {
        scene.scanned(scan(&format!("acme/{number}"), &[])).await;
    }
    let refused = scene.owner.put(&scene.path, scan("acme/50", &[])).await;
    refused.expect(
        400,
        json!({"error": "a project has at most 50 repositories"}),
    );
    scene.scanned(scan("acme/0", &[])).await;
}

#[tokio::test]
async fn a_flag_that_is_not_there_has_no_references_404() {
    let scene = start().await;
    let path = format!("/v1/projects/{}/flags/none/references", scene.project.id);
    scene
        .owner
        .get(&path)
        .await
        .expect(404, json!({"error": "flag not found"}));
}

#[tokio::test]
async fn an_age_of_stale_flags_that_can_be_none_is_400() {
    let scene = start().await;
    for days in ["6", "366", "many", "-1"] {
        let path = format!("/v1/projects/{}/stale-flags?days={days}", scene.project.id);
        let refused = json!({"error": "days must be an integer from 7 to 365"});
        scene.owner.get(&path).await.expect(400, refused);
    }
}
