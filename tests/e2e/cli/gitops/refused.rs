//! Files that are not applied: what is wrong is told by file and line.

use std::fs;

use serde_json::{Value, json};

use super::{Files, edit, furnish};
use crate::{
    cli::{Home, token},
    scene::{FLAG, Scene},
};

#[tokio::test]
async fn what_the_service_alone_refuses_is_told_by_its_line() {
    let scene = Scene::start().await;
    let home = Home::logged_in(&scene, &token(&scene.owner, json!({})).await);
    let files = Files::new(&home, "default", "flags");
    let environment = format!("/v1/projects/{}/environments/{}", scene.project, scene.env);
    let protected = json!({"protected": true});
    scene.owner.change(&environment, protected).await;
    files.run("pull", &[]).expect(0);
    let flag = files.dir.join(format!("flags/{FLAG}.yaml"));
    edit(&flag, "default_value: v0", "default_value: v1");
    edit(&flag, "name: Greeting", "name: Greeting\narchived: true");

    let refused = files.run("apply", &["--yes"]);
    let text = fs::read_to_string(&flag).unwrap();
    let line = 1 + text.lines().position(|line| line == "  dev:").unwrap();
    let told = format!(
        "{}:{line}:3: the environment is protected, and an archived flag has no requests for approval\n",
        flag.display()
    );
    assert!(
        refused.expect(3).stderr.contains(&told),
        "{}",
        refused.stderr
    );
    let there = home.run(&["flag", "get", FLAG, "--project", "default", "-o", "json"]);
    let there: Value = serde_json::from_str(&there.expect(0).stdout).unwrap();
    assert_eq!(
        [&there["name"], &there["archived_at"]],
        [&json!("Greeting"), &json!(null)]
    );
}

#[tokio::test]
async fn wrong_files_are_told_by_their_lines_and_nothing_is_sent() {
    let scene = Scene::start().await;
    furnish(&scene).await;
    let home = Home::logged_in(&scene, &token(&scene.owner, json!({})).await);
    let files = Files::new(&home, "default", "flags");
    files.run("pull", &[]).expect(0);
    let flag = files.dir.join(format!("flags/{FLAG}.yaml"));
    let text = fs::read_to_string(&flag).unwrap();
    edit(
        &flag,
        "percentage_rollout: 2500",
        "percentage_rollout: 25000",
    );
    edit(&flag, "flag_type", "flag_typ");
    let wrong = files.run("apply", &["--yes", "-v"]);
    wrong.expect(1);
    let line = |number| format!("{}:{number}:", flag.display());
    assert!(wrong.stderr.contains(&line(2)), "{}", wrong.stderr);
    assert!(!wrong.stderr.contains("/content "), "{}", wrong.stderr);

    // A type cannot be changed, which is known by the project alone.
    fs::write(&flag, text.replace("flag_type: string", "flag_type: ab")).unwrap();
    let wrong = files.run("plan", &[]);
    assert!(
        wrong
            .expect(1)
            .stderr
            .contains("flag_type cannot be changed: it is string"),
        "{}",
        wrong.stderr
    );
    assert!(wrong.stderr.starts_with(&line(2)), "{}", wrong.stderr);

    // Files that cannot be read are not written over by mistake.
    fs::write(&flag, "rules: [").unwrap();
    files.run("pull", &[]).expect(1);
    assert_eq!(fs::read_to_string(&flag).unwrap(), "rules: [");
    files.run("pull", &["--force"]).expect(0);
    assert_eq!(fs::read_to_string(&flag).unwrap(), text);
}
