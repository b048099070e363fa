//! References to flags in code: what a scan sends, what is known afterwards, and the bounds.

mod refused;

use harness::user::DefaultProject;
use harness::{App, User};
use serde_json::{Value, json};

struct Scene {
    app: App,
    owner: User,
    project: DefaultProject,
    path: String,
}

async fn start() -> Scene {
    let (app, owner, project) = App::with_project().await;
    let flag = json!({"key": "dark-mode", "name": "Dark mode"});
    let path = format!("/v1/projects/{}", project.id);
    owner.create(&format!("{path}/flags"), flag).await;
    Scene {
        app,
        owner,
        path: format!("{path}/references"),
        project,
    }
}

fn reference(key: &str, path: &str, line: i64) -> Value {
    json!({"key": key, "path": path, "line": line})
}

fn scan(repository: &str, references: &[Value]) -> Value {
    json!({"repository": repository, "references": references})
}

impl Scene {
    async fn scanned(&self, body: Value) -> Value {
        let answer = self.owner.put(&self.path, body).await;
        answer.expect_status(200).body.clone()
    }

    /// Where a flag is named, as `repository path:line`.
    async fn places(&self, key: &str) -> Vec<String> {
        let path = format!("/v1/projects/{}/flags/{key}/references", self.project.id);
        let answer = self.owner.get(&path).await;
        let data = answer.expect_status(200).body["data"].as_array().unwrap();
        let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
        data.iter()
            .map(|one| {
                let (repository, path) = (text(one, "repository"), text(one, "path"));
                format!("{repository} {path}:{}", one["line"])
            })
            .collect()
    }
}

#[tokio::test]
async fn a_scan_tells_where_flags_are_named() {
    let scene = start().await;
    let mut aliased = reference("dark-mode", "src/[id]/page.tsx", 12);
    aliased["alias"] = json!("isDarkMode");
    let answer = scene
        .owner
        .put(
            &scene.path,
            json!({
                "repository": "acme/shop", "branch": "main", "commit": "4ad1f0c9",
                "link": "https://git.example/acme/shop/blob/{commit}/{path}#L{line}",
                "references": [aliased, reference("dark-mode", "a.rs", 3), reference("old-flag", "a.rs", 9)],
            }),
        )
        .await;
    let repository = json!({
        "id": "[uuid]", "repository": "acme/shop", "branch": "main", "commit": "4ad1f0c9",
        "link": "https://git.example/acme/shop/blob/{commit}/{path}#L{line}",
        "reference_count": 3, "flag_count": 2, "scanned_at": "2026-05-04T12:00:00Z",
        "scanned_by": {"id": "[uuid]", "name": "Owner"},
    });
    let mut scanned = repository.clone();
    scanned["unknown_keys"] = json!(["old-flag"]);
    answer.expect(200, scanned);
    let listed = scene.owner.get(&scene.path).await;
    listed.expect(200, json!({"data": [repository]}));

    let path = format!(
        "/v1/projects/{}/flags/dark-mode/references",
        scene.project.id
    );
    let place = |path: &str, line: i64, alias: Value, url: &str| {
        json!({
            "repository_id": "[uuid]", "repository": "acme/shop", "branch": "main", "commit": "4ad1f0c9",
            "path": path, "line": line, "alias": alias, "url": url, "scanned_at": "2026-05-04T12:00:00Z",
        })
    };
    scene.owner.get(&path).await.expect(
        200,
        json!({
            "data": [
                place("a.rs", 3, Value::Null, "https://git.example/acme/shop/blob/4ad1f0c9/a.rs#L3"),
                place(
                    "src/[id]/page.tsx", 12, json!("isDarkMode"),
                    "https://git.example/acme/shop/blob/4ad1f0c9/src/%5Bid%5D/page.tsx#L12",
                ),
            ],
            "total": 2, "limit": 50, "offset": 0, "has_more": false,
        }),
    );
}

#[tokio::test]
async fn a_scan_replaces_the_one_before_it_and_no_other_repository() {
    let scene = start().await;
    let of_app = scan("acme/app", &[reference("dark-mode", "main.go", 1)]);
    scene.scanned(of_app).await;
    let first = [
        reference("dark-mode", "a.rs", 3),
        reference("dark-mode", "b.rs", 4),
    ];
    let first = scene.scanned(scan("acme/shop", &first)).await;
    let second = [
        reference("dark-mode", "b.rs", 4),
        reference("dark-mode", "b.rs", 5),
    ];
    let second = scene.scanned(scan("acme/shop", &second)).await;
    assert_eq!(first["id"], second["id"]);
    assert_eq!(
        scene.places("dark-mode").await,
        ["acme/app main.go:1", "acme/shop b.rs:4", "acme/shop b.rs:5"]
    );
    scene.scanned(scan("acme/shop", &[])).await;
    assert_eq!(scene.places("dark-mode").await, ["acme/app main.go:1"]);
}

#[tokio::test]
async fn a_repository_is_forgotten_with_its_references() {
    let scene = start().await;
    let found = [reference("dark-mode", "a.rs", 3)];
    let scanned = scene.scanned(scan("acme/shop", &found)).await;
    let path = format!("{}/{}", scene.path, scanned["id"].as_str().unwrap());
    scene.owner.delete(&path).await.expect_status(204);
    assert_eq!(scene.places("dark-mode").await, [""; 0]);
    scene
        .owner
        .get(&scene.path)
        .await
        .expect(200, json!({"data": []}));
    scene
        .owner
        .delete(&path)
        .await
        .expect(404, json!({"error": "repository not found"}));
}

#[tokio::test]
async fn references_outlive_their_flag() {
    let scene = start().await;
    let found = [reference("dark-mode", "a.rs", 3)];
    scene.scanned(scan("acme/shop", &found)).await;
    let flag = format!("/v1/projects/{}/flags/dark-mode", scene.project.id);
    scene.owner.remove(&flag).await;
    let again = scene.scanned(scan("acme/shop", &found)).await;
    assert_eq!(again["unknown_keys"], json!(["dark-mode"]));
    let flag = json!({"key": "dark-mode", "name": "Again"});
    let flags = format!("/v1/projects/{}/flags", scene.project.id);
    scene.owner.create(&flags, flag).await;
    assert_eq!(scene.places("dark-mode").await, ["acme/shop a.rs:3"]);
}

#[tokio::test]
async fn another_project_has_repositories_of_its_own() {
    let scene = start().await;
    let found = [reference("dark-mode", "a.rs", 3)];
    let scanned = scene.scanned(scan("acme/shop", &found)).await;
    let other = json!({"name": "Other"});
    let other = scene.owner.create("/v1/projects", other).await;
    let others = format!("/v1/projects/{}/references", other.text("/id"));
    scene
        .owner
        .get(&others)
        .await
        .expect(200, json!({"data": []}));
    let path = format!("{others}/{}", scanned["id"].as_str().unwrap());
    scene
        .owner
        .delete(&path)
        .await
        .expect(404, json!({"error": "repository not found"}));
    let answer = scene.owner.put(&others, scan("acme/shop", &found)).await;
    answer.expect_status(200);
    assert_ne!(answer.body["id"], scanned["id"]);
    let globex = scene.app.signup("globex").await;
    globex.get(&scene.path).await.expect_status(404);
    globex
        .put(&scene.path, scan("acme/shop", &[]))
        .await
        .expect_status(404);
    assert_eq!(scene.places("dark-mode").await, ["acme/shop a.rs:3"]);
}

#[tokio::test]
async fn two_scans_at_once_leave_one_of_them_whole() {
    let scene = start().await;
    let scans = ["a.rs", "b.rs"].map(|path| {
        let found: Vec<_> = (1..=500)
            .map(|line| reference("dark-mode", path, line))
            .collect();
        scan("acme/shop", &found)
    });
    let [one, other] = scans;
    tokio::join!(scene.scanned(one), scene.scanned(other));
    let places = scene.places("dark-mode").await;
    let first = places[0].split(':').next().unwrap().to_owned();
    let path = format!(
        "/v1/projects/{}/flags/dark-mode/references",
        scene.project.id
    );
    let answer = scene.owner.get(&path).await;
    assert_eq!(answer.body["total"], 500);
    assert!(
        places.iter().all(|place| place.starts_with(&first)),
        "{places:?}"
    );
}

#[tokio::test]
async fn stale_flags_tell_how_often_code_names_them() {
    let scene = start().await;
    let flag = json!({"key": "banner", "name": "Banner"});
    let flags = format!("/v1/projects/{}/flags", scene.project.id);
    scene.owner.create(&flags, flag).await;
    scene
        .app
        .clock
        .advance(std::time::Duration::from_secs(31 * 86_400));
    let owner = scene.owner.sign_in_again().await;
    let stale = format!("/v1/projects/{}/stale-flags", scene.project.id);
    let counts = async || {
        let answer = owner.get(&stale).await;
        let data = answer.expect_status(200).body["data"]
            .as_array()
            .unwrap()
            .clone();
        data.iter()
            .map(|flag| json!([flag["key"], flag["reference_count"]]))
            .collect::<Value>()
    };
    assert_eq!(
        counts().await,
        json!([["banner", null], ["dark-mode", null]]),
        "nothing was scanned"
    );
    let found = [
        reference("dark-mode", "a.rs", 3),
        reference("dark-mode", "b.rs", 4),
    ];
    owner
        .put(&scene.path, scan("acme/shop", &found))
        .await
        .expect_status(200);
    assert_eq!(counts().await, json!([["banner", 0], ["dark-mode", 2]]));
}
