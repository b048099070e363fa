//! From logging in to killing a flag, as a program sees it.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};

use super::{Home, contexts, token};
use crate::scene::Scene;

#[tokio::test]
async fn a_flag_lives_from_its_creation_to_its_deletion() {
    let mut scene = Scene::start().await;
    let token = token(&scene.owner, json!({})).await;
    let home = Home::logged_in(&scene, &token);
    let created = home.json(&["project", "create", "Shop", "--slug", "shop"]);
    assert_eq!(created["slug"], "shop");
    let shop = |arguments: &[&str]| home.json(&[arguments, &["--project", "shop"]].concat());
    let prod = |arguments: &[&str]| shop(&[arguments, &["--env", "production"]].concat());
    let quiet = |arguments: &[&str]| {
        let ended = home.run(&[arguments, &["--project", "shop"]].concat());
        ended.expect(0);
        assert_eq!(ended.stdout, "");
        ended.stderr
    };

    shop(&["env", "create", "Production", "--slug", "production"]);
    shop(&["env", "create", "Staging", "--slug", "staging"]);
    let rule = r#"[{"attribute": "country", "operator": "in", "values": ["NL"]}]"#;
    shop(&["segment", "create", "dutch", "--rules", rule]);
    let flag = shop(&[
        "flag",
        "create",
        "banner",
        "--type",
        "string",
        "--default",
        "\"none\"",
    ]);
    assert_eq!(
        (&flag["key"], &flag["default_value"]),
        (&json!("banner"), &json!("none"))
    );
    shop(&["flag", "update", "banner", "--tag", "web", "--tag", "shop"]);
    assert_eq!(
        shop(&["flag", "get", "banner"])["tags"],
        json!(["web", "shop"])
    );

    let rules = r#"[{"segment_keys": ["dutch"], "percentage": 10000, "value": "hallo"}]"#;
    let file = home.path().join("rules.json");
    fs::write(&file, rules).unwrap();
    let rules = format!("@{}", file.display());
    let update = [
        "flag",
        "update",
        "banner",
        "--default",
        "\"hello\"",
        "--rules",
        &rules,
    ];
    prod(&update);
    let enabled = prod(&[
        "flag",
        "enable",
        "banner",
        "--wait",
        "edges",
        "--comment",
        "go",
    ]);
    assert_eq!(enabled["enabled"], true);
    let explained = |country: &str| {
        let attribute = format!("country={country}");
        prod(&[
            "flag", "explain", "banner", "--user", "ada", "-a", &attribute,
        ])
    };
    assert_eq!(explained("NL")["result"]["value"], "hallo");
    assert_eq!(explained("BE")["result"]["value"], "hello");

    // With a new key the edge serves what was set.
    let key = prod(&["key", "create", "backend"]);
    let sdk = scene.edge.with_key(key["key"].as_str().unwrap());
    let question =
        json!({"flag_key": "banner", "context": {"key": "ada", "attributes": {"country": "NL"}}});
    let answer = sdk.act("/v1/evaluate", question.clone()).await;
    assert_eq!(answer.body["value"], "hallo");
    let keys = prod(&["key", "list"]);
    assert_eq!(keys["data"][0]["key"], Value::Null);

    let history = prod(&["flag", "history", "banner"]);
    assert_eq!(history["data"][0]["comment"], "go");
    let before = history["data"][1]["version"].to_string();
    let back = [
        "flag", "rollback", "banner", "--to", &before, "--wait", "edges",
    ];
    assert_eq!(prod(&back)["enabled"], false);
    let there = [
        "flag",
        "promote",
        "banner",
        "--from",
        "production",
        "--to",
        "staging",
    ];
    let planned = shop(&[&there[..], &["--dry-run"]].concat());
    assert_eq!(planned["dry_run"], true);
    shop(&there);
    prod(&["flag", "enable", "banner"]);
    let told = quiet(&[
        "flag",
        "kill",
        "banner",
        "--env",
        "production",
        "--wait",
        "edges",
        "--comment",
        "oops",
    ]);
    assert!(
        told.starts_with("killed flag banner in production\nserved by: "),
        "{told}"
    );
    let answer = sdk.act("/v1/evaluate", question).await;
    assert_eq!(answer.body["reason"], "DISABLED");

    let audit = home.json(&["audit", "--project", "shop", "--action", "flag.killed"]);
    assert_eq!(audit["data"][0]["resource_name"], "banner");
    assert_eq!(audit["data"][0]["metadata"]["comment"], "oops");
    assert!(home.json(&["edges", "waves"])["total"].as_u64().unwrap() > 0);
    assert_eq!(home.json(&["edges"])["data"].as_array().unwrap().len(), 2);

    assert_eq!(
        quiet(&["flag", "archive", "banner"]),
        "archived flag banner\n"
    );
    assert_eq!(shop(&["flag", "list"])["total"], 0);
    assert_eq!(shop(&["flag", "list", "--archived"])["total"], 1);
    quiet(&["flag", "restore", "banner"]);
    quiet(&["flag", "archive", "banner"]);
    quiet(&["flag", "delete", "banner", "--yes"]);
    quiet(&["segment", "delete", "dutch", "--yes"]);
    home.run(&["key", "revoke", key["id"].as_str().unwrap(), "--yes"])
        .expect(0);
    quiet(&["env", "delete", "staging", "--yes"]);
    home.run(&["project", "delete", "shop", "--yes"]).expect(0);
    scene.edge.process.kill();
}

#[tokio::test]
async fn a_context_keeps_its_token_to_itself_and_to_its_service() {
    let scene = Scene::start().await;
    let token = token(&scene.owner, json!({})).await;
    let home = Home::logged_in(&scene, &token);
    let file = home.path().join("halyard/contexts.toml");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    assert!(contexts(&home).contains(&token));
    assert!(
        !home
            .run(&["context", "list", "-o", "json"])
            .stdout
            .contains(&token)
    );
    assert_eq!(home.json(&["whoami"])["organization"]["name"], "acme");

    // To another address the token does not go.
    let elsewhere = scene.edge.url();
    let me = ["whoami", "-v"];
    let settings = [("HALYARD_URL", elsewhere.as_str())];
    let ended = home.run_with(&me, &settings, "");
    assert!(ended.code != 0, "{}", ended.stdout);
    let settings = [
        ("HALYARD_URL", scene.stack.url.as_str()),
        ("HALYARD_TOKEN", "halp_wrong"),
    ];
    let ended = home.run_with(&["whoami"], &settings, "");
    assert!(
        ended
            .expect(3)
            .stderr
            .contains("the token in HALYARD_TOKEN")
    );

    home.run(&["logout"]).expect(0);
    assert!(!contexts(&home).contains(&token));
    let ended = home.run(&["whoami"]);
    assert!(
        ended.expect(3).stderr.ends_with("run `halyardctl login`\n"),
        "{}",
        ended.stderr
    );
}

#[tokio::test]
async fn a_stream_tells_of_changes() {
    let scene = Scene::start().await;
    let token = token(&scene.owner, json!({})).await;
    let home = Home::logged_in(&scene, &token);
    let follow = std::thread::spawn({
        let settings = [
            ("HALYARD_URL", scene.stack.url.clone()),
            ("HALYARD_TOKEN", token),
        ];
        move || {
            let settings = settings
                .each_ref()
                .map(|(name, value)| (*name, value.as_str()));
            let stream = ["stream", "-o", "json", "--count", "2"];
            home.run_with(&stream, &settings, "")
        }
    });
    // Whenever it began, there is a change after that.
    let mut number = 0;
    while !follow.is_finished() {
        number += 1;
        scene.serve(&format!("v{number}")).await;
    }
    let ended = follow.join().unwrap();
    ended.expect(0);
    let events: Vec<Value> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(events.len(), 2, "{}", ended.stdout);
    assert_eq!(events[0]["event"], "connected");
    assert!(events[1]["data"].is_object(), "{}", events[1]);
}
