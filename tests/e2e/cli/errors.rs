//! What is told when something is wrong, and that no secret is in it.

use std::net::TcpListener;

use serde_json::{Value, json};

use super::{Home, token};
use crate::scene::{FLAG, Scene};

#[tokio::test]
async fn errors_say_what_to_do() {
    let scene = Scene::start().await;
    let owner = token(&scene.owner, json!({})).await;
    let home = Home::new(&scene.stack.url);
    home.run(&["whoami"]).expect_error(
        64,
        "run `halyardctl login --url ADDRESS` first, or set HALYARD_URL",
    );
    home.log_in("halp_wrong").expect_error(
        3,
        "401: invalid or expired token; copy the whole token, which begins with halp_",
    );
    assert!(!home.path().join("halyard").exists());
    home.log_in(&owner).expect(0);

    home.run(&["flag", "list", "--project", "nope"])
        .expect_error(3, "404: no project named nope; there are: default");
    let project = ["--project", "default"];
    let run = |arguments: &[&str]| home.run(&[arguments, &project].concat());
    run(&["flag", "kill", FLAG, "--env", "nope"]).expect_error(
        3,
        "404: no environment named nope; there are: dev, staging, production",
    );
    run(&["flag", "get", "nope"]).expect_error(
        3,
        "404: flag not found; `halyardctl flag list` shows those there are",
    );
    home.run(&["flag", "list"]).expect_error(
        64,
        "say which project with --project or HALYARD_PROJECT; there are: default",
    );
    run(&["flag", "delete", FLAG]).expect_error(
        64,
        "deleting flag greeting cannot be taken back: say --yes where nobody can be asked",
    );
    run(&["flag", "list", "--colour"]).expect(64);
    let taken = run(&["flag", "disable", FLAG, "--env", "dev", "--if-match", "1"]);
    assert!(taken.expect(3).stderr.contains("412: "), "{}", taken.stderr);
    assert!(
        taken.stderr.ends_with("read it again\n"),
        "{}",
        taken.stderr
    );

    let reader = token(&scene.owner, json!({"read_only": true})).await;
    let settings = [("HALYARD_TOKEN", reader.as_str())];
    let refused = [
        "flag",
        "enable",
        FLAG,
        "--env",
        "dev",
        "--project",
        "default",
    ];
    let refused = home.run_with(&refused, &settings, "");
    assert!(
        refused.expect(3).stderr.starts_with("halyardctl: 403: "),
        "{}",
        refused.stderr
    );
    assert!(
        refused.stderr.contains("`halyardctl whoami` shows"),
        "{}",
        refused.stderr
    );

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let ended = home.run_with(&["whoami"], &[("HALYARD_URL", &nobody)], "");
    let beginning = format!("halyardctl: {nobody} cannot be reached: ");
    assert!(
        ended.expect(1).stderr.starts_with(&beginning),
        "{}",
        ended.stderr
    );
}

#[tokio::test]
async fn requests_are_told_without_a_secret() {
    let scene = Scene::start().await;
    let token = token(&scene.owner, json!({})).await;
    let home = Home::logged_in(&scene, &token);
    let mut told = String::new();
    for command in [
        &["whoami", "-v"][..],
        &["flag", "get", "nope", "--project", "default", "-v"],
        &[
            "api",
            "GET",
            "/v1/audit?token=hidden",
            "-f",
            "api_key=hidden",
            "-v",
        ],
        &["context", "list", "-v"],
    ] {
        told += &home.run(command).stderr;
    }
    let import = [
        "import",
        "analyze",
        "--from",
        "flagsmith",
        "--project",
        "default",
        "-v",
    ];
    let import = home.run_with(&import, &[("HALYARD_IMPORT_KEY", "hidden")], "");
    assert_ne!(import.code, 0, "{}", import.stdout);
    told += &import.stderr;
    assert!(!told.contains(&token) && !told.contains("hidden"), "{told}");
    let url = &scene.stack.url;
    let line = regex::Regex::new(&format!("(?m)^GET {url}/v1/me 200 \\S+ \\d+ ms$")).unwrap();
    assert!(line.is_match(&told), "{told}");
    assert!(told.contains("?token=…&api_key=… "), "{told}");
}

#[tokio::test]
async fn any_request_can_be_sent() {
    let scene = Scene::start().await;
    let token = token(&scene.owner, json!({})).await;
    let home = Home::logged_in(&scene, &token);
    let path = "/v1/projects/default/segments";
    let body = r#"{"key": "a", "rules": []}"#;
    let fields = [
        "api", "POST", path, "--input", "-", "-f", "name=A", "-F", "rules=[]",
    ];
    let made = home.run_with(&fields, &[], body);
    let made: Value = serde_json::from_str(&made.expect(0).stdout).unwrap();
    assert_eq!((&made["key"], &made["name"]), (&json!("a"), &json!("A")));
    let found = home.json(&["api", "GET", path, "-f", "limit=1"]);
    assert_eq!(found["limit"], 1);
    home.run(&["api", "GET", "https://elsewhere.test/"])
        .expect(64);
    home.run(&["api", "GET", "//elsewhere.test/"]).expect(64);
}
