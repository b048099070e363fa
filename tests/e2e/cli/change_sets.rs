//! Change sets from files to edges and back.

use std::fs;

use serde_json::json;
use sqlx::PgPool;

use super::{Home, token};
use crate::scene::{FLAG, Scene};

#[tokio::test]
async fn what_files_say_is_drafted_approved_applied_and_undone() {
    let scene = Scene::start().await;
    let home = Home::logged_in(&scene, &token(&scene.owner, json!({})).await);
    let flags = home.path().join("flags");
    let dir = flags.to_str().unwrap();
    let in_project = ["--project", "default"];
    let run = |arguments: &[&str]| home.run(&[&["change-set"], arguments, &in_project].concat());
    let create = ["create", "New greeting", "--dir", dir];
    let environment = format!("/v1/projects/{}/environments/{}", scene.project, scene.env);
    let protected = json!({"protected": true});
    scene.owner.change(&environment, protected).await;
    home.run(&[&["pull", "--dir", dir], &in_project[..]].concat())
        .expect(0);
    let nothing = run(&create);
    let none = "halyardctl: no change set was made: the files change nothing\n";
    assert_eq!(nothing.expect(1).stderr, none);

    let file = flags.join(format!("flags/{FLAG}.yaml"));
    let text = fs::read_to_string(&file).unwrap();
    let changed = text.replace("default_value: v0", "default_value: v1");
    fs::write(&file, changed).unwrap();
    let drafted = run(&create);
    let told = &drafted.expect(0).stderr;
    let id = told.split(['(', ')']).nth(1).expect(told).to_owned();
    assert_eq!(*told, format!("change set New greeting ({id}) is draft\n"));
    assert!(
        drafted.stdout.contains("~ flag greeting"),
        "{}",
        drafted.stdout
    );

    let diff = run(&["diff", &id]);
    assert!(
        diff.expect(0).stdout.contains("greeting  dev"),
        "{}",
        diff.stdout
    );
    let needed = "approvals needed: 1; protected: dev\ncompared with version ";
    assert!(diff.stderr.contains(needed), "{}", diff.stderr);
    let early = run(&["apply", &id]);
    let advice = format!("; run `halyardctl change-set request {id}`\n");
    assert!(
        early.expect(3).stderr.ends_with(&advice),
        "{}",
        early.stderr
    );
    let requested = run(&["request", &id]);
    let pending = format!("change set New greeting ({id}) is pending: 0 of 1 approvals\n");
    assert_eq!(requested.expect(0).stderr, pending);
    let listed = run(&["list", "--status", "pending"]);
    assert!(listed.expect(0).stdout.contains(&id), "{}", listed.stdout);
    run(&["approve", &id]).expect(3);

    let pool = PgPool::connect(scene.stack.database().url()).await.unwrap();
    let admin = scene.owner.member(&pool, "admin").await;
    let theirs = Home::logged_in(&scene, &token(&admin, json!({})).await);
    let approve = ["change-set", "approve", &id, "--note", "fine"];
    let approved = theirs.run(&[&approve[..], &in_project].concat());
    let ready = format!("change set New greeting ({id}) is approved\n");
    assert_eq!(approved.expect(0).stderr, ready);
    let applied = run(&["apply", &id, "--wait", "edges"]);
    let version = format!("change set New greeting ({id}) is applied as version ");
    assert!(
        applied.expect(0).stderr.starts_with(&version),
        "{}",
        applied.stderr
    );
    assert_eq!(scene.value().await, "v1");

    let undone = run(&["undo", &id, "-o", "json"]);
    let back: serde_json::Value = serde_json::from_str(&undone.expect(0).stdout).unwrap();
    assert_eq!(
        (&back["status"], &back["undoes"]),
        (&json!("draft"), &json!(id))
    );
    let back = back["id"].as_str().unwrap();
    run(&["request", back]).expect(0);
    let reject = ["change-set", "reject", back, "--note", "it works"];
    theirs.run(&[&reject[..], &in_project].concat()).expect(0);
    let reopened = run(&["reopen", back]);
    assert!(
        reopened.expect(0).stderr.ends_with(" is draft\n"),
        "{}",
        reopened.stderr
    );
    run(&["delete", back, "--yes"]).expect(0);
    let gone = run(&["get", back]);
    let listed = "404: change set not found; `halyardctl change-set list` shows those there are";
    assert!(gone.expect(3).stderr.contains(listed), "{}", gone.stderr);
    let unread = run(&["get", &id]);
    assert!(
        unread.expect(0).stdout.contains("applied"),
        "{}",
        unread.stdout
    );
}
