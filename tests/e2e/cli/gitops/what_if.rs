//! What a plan would have changed of real traffic.

use harness::eventually;
use serde_json::{Value, json};

use super::{Files, edit};
use crate::{
    cli::{Home, token},
    scene::{FLAG, Scene, question},
};

/// Waits until every edge answers questions.
async fn is_sampled(scene: &Scene) {
    let path = format!("/v1/projects/{}/environments/dev/what-if", scene.project);
    let flag = json!({"key": FLAG, "states": {"dev": {"enabled": false}}});
    let body = json!({"changes": {"flags": [flag]}, "wait_seconds": 5});
    eventually("all edges sample", || async {
        let asked = scene.owner.post(&path, body.clone()).await;
        let edges = &asked.body["edges"];
        (asked.status == 201 && edges["answered"] == edges["asked"]).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_plan_says_what_it_would_have_changed_of_answers() {
    let scene = Scene::start().await;
    let home = Home::logged_in(&scene, &token(&scene.owner, json!({})).await);
    let files = Files::new(&home, "default", "flags");
    files.run("pull", &[]).expect(0);
    let nothing = files.run("plan", &["--what-if"]);
    assert_eq!(nothing.expect(0).stdout, "nothing to change\n");

    let flag = files.dir.join(format!("flags/{FLAG}.yaml"));
    edit(&flag, "name: Greeting", "name: Hello");
    let renamed = files.run("plan", &["--what-if"]);
    let counts = "0 to create, 1 to change, 0 to remove\n";
    assert!(
        renamed.expect(2).stdout.ends_with(counts),
        "no answer has a name"
    );

    edit(&flag, "default_value: v0", "default_value: v1");
    let told = files.run("plan", &["--what-if"]);
    let off = "dev: not estimated, since edges keep no samples of its requests; to switch that on:\n  halyardctl ";
    let (_, hint) = told.expect(2).stdout.split_once(off).expect(&told.stdout);
    // It does what it says.
    let command: Vec<_> = hint.lines().next().unwrap().split(' ').collect();
    home.run(&command).expect(0);
    is_sampled(&scene).await;
    let sdk = scene.sdk();
    for _ in 0..30 {
        sdk.act("/v1/evaluate", question()).await;
    }
    let told = files.run("plan", &["--what-if"]);
    let (plan, estimate) = told.expect(2).stdout.split_once(" to remove\n").unwrap();
    assert!(plan.contains("~ flag greeting"), "{plan}");
    let sentence = "dev: over the last 1 min this would have changed 100 % of answers (";
    assert!(estimate.starts_with(sentence), "{estimate}");
    let transition = " to 100 %)\n  greeting: \"v0\" → \"v1\", 30 answers\n";
    assert!(estimate.ends_with(transition), "{estimate}");

    let plan = files.run("plan", &["--what-if", "-o", "json"]);
    let plan: Value = serde_json::from_str(&plan.expect(2).stdout).unwrap();
    let [estimate] = plan["what_if"].as_array().unwrap().as_slice() else {
        panic!("of one environment: {plan}");
    };
    assert_eq!(estimate["environment"], "dev");
    assert_eq!(estimate["estimate"]["changed"], 30);
    let plan = files.json("plan", 2);
    assert_eq!(plan["what_if"], Value::Null, "it was not asked for");
}

#[tokio::test]
async fn a_plan_is_shown_also_to_those_who_may_not_ask() {
    let scene = Scene::start().await;
    let sampling = format!("/v1/projects/{}/environments/dev/sampling", scene.project);
    scene
        .owner
        .change(&sampling, json!({"enabled": true}))
        .await;
    let home = Home::logged_in(
        &scene,
        &token(&scene.owner, json!({"role": "viewer"})).await,
    );
    let files = Files::new(&home, "default", "flags");
    files.run("pull", &[]).expect(0);
    let flag = files.dir.join(format!("flags/{FLAG}.yaml"));
    edit(&flag, "default_value: v0", "default_value: v1");
    let told = files.run("plan", &["--what-if"]);
    let refused = "0 to create, 1 to change, 0 to remove\ndev: not estimated: 403: ";
    assert!(told.expect(2).stdout.contains(refused), "{}", told.stdout);
    let plan = files.run("plan", &["--what-if", "-o", "json"]);
    let plan: Value = serde_json::from_str(&plan.expect(2).stdout).unwrap();
    let one = &plan["what_if"][0];
    assert_eq!(one["estimate"], Value::Null);
    assert!(
        one["reason"].as_str().unwrap().starts_with("403: "),
        "{one}"
    );
}
