//! An import from another platform, whose credential is told to nobody.

use harness::Source;
use serde_json::{Value, json};

use super::{Home, token};
use crate::scene::Scene;

// The platform answers while this thread waits for the program.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flags_of_another_platform_are_analyzed_and_imported() {
    let scene = Scene::start_at(&[("RATE_MIGRATION", "0")]).await;
    let token = token(&scene.owner, json!({})).await;
    let home = Home::logged_in(&scene, &token);
    let platform = Source::start(&["dev"]);
    platform.flag("there-1", json!({}));
    platform.flag("there-2", json!({}));
    let body = platform.body("default");
    let credential = body["api_key"].as_str().unwrap();
    let source = [
        "--from",
        "launchdarkly",
        "--base-url",
        body["base_url"].as_str().unwrap(),
        "--source-project",
        body["project_key"].as_str().unwrap(),
        "--project",
        "default",
        "-v",
    ];
    let run = |step: &[&str]| {
        let ended = home.run_with(&[step, &source].concat(), &[], credential);
        ended.expect(0);
        assert!(!ended.stderr.contains(credential), "{}", ended.stderr);
        ended.stdout
    };

    let analysis: Value = serde_json::from_str(&run(&["import", "analyze", "-o", "json"])).unwrap();
    assert_eq!(analysis["summary"]["total_flags"], 2);
    let planned = run(&["import", "execute", "--dry-run"]);
    assert!(planned.contains("there-1"), "{planned}");
    let imported: Value = serde_json::from_str(&run(&["import", "execute", "-o", "json"])).unwrap();
    assert_eq!(imported["status"], "completed");
    assert_eq!(imported["flags_imported"], 2);
    let id = imported["migration_id"].as_str().unwrap();
    let report = home.json(&["import", "report", id]);
    assert!(report["total"].as_u64().unwrap() >= 2, "{report}");
    let flag = ["flag", "get", "there-2", "--project", "default"];
    assert_eq!(home.json(&flag)["key"], "there-2");

    let wrong = [
        "import",
        "analyze",
        "--from",
        "launchdarkly",
        "--project",
        "nope",
    ];
    let ended = home.run_with(&wrong, &[], credential);
    ended.expect_error(3, "404: no project named nope; there are: default");
}
