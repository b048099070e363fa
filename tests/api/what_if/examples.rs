//! Contexts whose answers a draft changes: on request alone, for those who may see them.

use std::time::Duration;

use harness::{Setup, User};
use protocol::{
    what_if::{Example, Finding},
    wire::codec::decode,
};
use publish::LocalMessage;
use serde_json::{Value, json};

use super::questions::{Scene, bytes, finding, off, with};

const KEY: &str = "what_if.examples";

/// With contexts of users of this edge.
fn with_examples(question: &str, edge: u8, count: usize) -> Finding {
    let examples = (0..count).map(|number| Example {
        flag_key: "checkout".to_owned(),
        key: format!("user-{edge}-{number}"),
        attributes_json: r#"{"plan":"pro"}"#.to_owned(),
        from: "true".to_owned(),
        to: "false".to_owned(),
    });
    Finding {
        examples: examples.collect(),
        ..finding(question, edge)
    }
}

/// The keys of the examples that somebody is shown.
async fn shown(scene: &Scene, user: &User, id: &str) -> Vec<String> {
    let answer = user.get(&format!("{}/{id}", scene.path())).await;
    answer.expect_status(200);
    let examples = answer.body["examples"].as_array().unwrap();
    let keys = examples.iter().map(|one| one["key"].as_str().unwrap());
    keys.map(str::to_owned).collect()
}

/// The entries of the audit log about examples.
async fn audited(setup: &Setup) -> Vec<Value> {
    let path = "/v1/audit?action=environment.examples_shown";
    let entries = setup.owner.get(path).await;
    entries.body["data"].as_array().unwrap().clone()
}

/// What is stored of findings.
async fn stored(setup: &Setup) -> usize {
    let rows: Vec<Vec<u8>> = sqlx::query_scalar("SELECT finding FROM what_if_findings")
        .fetch_all(setup.app.pool())
        .await
        .unwrap();
    let findings = rows.iter().map(|row| decode::<Finding>(row).unwrap());
    findings.map(|finding| finding.examples.len()).sum()
}

#[tokio::test]
async fn examples_are_shown_to_those_who_may_see_them_and_audited() {
    let scene = Scene::start().await;
    let setup = &scene.setup;
    let (app, owner) = (&setup.app, &setup.owner);
    let mut link = app.publisher.connect_local(|| (None, Vec::new()));
    let asked = scene.ask(with("examples", json!(5))).await;
    asked.expect_status(201);
    let id = asked.text("/id");
    let question = loop {
        if let LocalMessage::Question(signed) = link.next(true).await {
            break signed;
        }
    };
    assert_eq!(question.question.id, bytes(&id));
    assert_eq!(question.question.examples, 5);
    let [entry] = audited(setup).await.try_into().unwrap();
    assert_eq!(entry["actor_id"], json!(owner.id));
    assert_eq!(entry["resource_id"], json!(setup.project.dev));
    assert_eq!(entry["metadata"], json!({"question_id": id, "examples": 5}));

    // One edge sends more than was asked for.
    scene.find(with_examples(&id, 1, 20)).await;
    scene.find(with_examples(&id, 2, 2)).await;
    assert_eq!(stored(setup).await, 7);
    let known = scene.known(&id).await;
    let (yes, no) = (
        json!({"value": true, "digest": null}),
        json!({"value": false, "digest": null}),
    );
    let one = json!({"flag_key": "checkout", "key": "user-1-0", "attributes": {"plan": "pro"}, "from": yes, "to": no});
    let mut examples = known["examples"].as_array().unwrap().clone();
    examples.sort_by_key(|one| one["key"].to_string());
    assert_eq!((examples.len(), &examples[0]), (5, &one));
    let of_the_other = examples
        .iter()
        .filter(|one| one["key"].to_string().contains("user-2"));
    assert_eq!(of_the_other.count(), 2, "of each edge");

    app.set_plan(owner, "enterprise").await;
    for (role, count) in [("viewer", 0), ("developer", 0), ("admin", 5)] {
        let member = app.member(owner, role).await;
        assert_eq!(shown(&scene, &member, &id).await.len(), count, "{role}");
        let reads = ["flags.read", "segments.read", "environments.read"];
        app.hold_to(owner, &member, &reads).await;
        assert_eq!(shown(&scene, &member, &id).await.len(), 0, "{role}");
    }
    assert_eq!(audited(setup).await.len(), 1);
}

#[tokio::test]
async fn examples_are_refused_to_those_who_may_not_see_them() {
    let scene = Scene::start().await;
    let Setup { app, owner, .. } = &scene.setup;
    app.set_plan(owner, "enterprise").await;
    let reads = ["flags.read", "segments.read", "environments.read"];
    let body = with("examples", json!(1));
    for (role, may) in [("developer", false), ("admin", true)] {
        let member = app.member(owner, role).await;
        app.hold_to(owner, &member, &reads).await;
        let refused = member.post(&scene.path(), body.clone()).await;
        refused.expect_error(403, "insufficient permissions");
        let keys = [&reads[..], &[KEY]].concat();
        app.hold_to(owner, &member, &keys).await;
        let asked = member.post(&scene.path(), body.clone()).await;
        let status = if may { 201 } else { 403 };
        asked.expect_status(status);
    }
    for wrong in [json!(-1), json!(21)] {
        let refused = scene.ask(with("examples", wrong)).await;
        refused.expect_error(400, "examples must be an integer from 0 to 20");
    }
    // Of the one that was asked.
    assert_eq!(audited(&scene.setup).await.len(), 1);
}

#[tokio::test]
async fn without_a_request_there_are_no_examples() {
    let scene = Scene::start().await;
    let id = scene.ask(off()).await.text("/id");
    assert!(audited(&scene.setup).await.is_empty());
    scene.find(with_examples(&id, 1, 20)).await;
    assert_eq!(scene.known(&id).await["answers"], 4_000);
    assert!(shown(&scene, &scene.setup.owner, &id).await.is_empty());
    assert_eq!(stored(&scene.setup).await, 0);
}

#[tokio::test]
async fn examples_go_when_sampling_is_switched_off_or_changed() {
    let scene = Scene::start().await;
    let setup = &scene.setup;
    let sampling = super::sampling::path(&setup.project.id, "dev");
    for other in [
        json!({"enabled": true, "attributes": ["plan", "country"]}),
        json!({"enabled": true, "attributes": ["plan", "country"], "keys": "plain"}),
        json!({"enabled": false}),
    ] {
        let id = scene.ask(with("examples", json!(20))).await.text("/id");
        scene.find(with_examples(&id, 1, 3)).await;
        assert_eq!(shown(&scene, &setup.owner, &id).await.len(), 3);
        setup.owner.change(&sampling, other).await;
        assert_eq!(stored(setup).await, 0);
        // An edge that had it on its way.
        scene.find(with_examples(&id, 2, 3)).await;
        assert!(shown(&scene, &setup.owner, &id).await.is_empty());
        assert_eq!(stored(setup).await, 0);
        setup.app.clock.advance(Duration::from_secs(10));
    }
    let on = json!({"enabled": true, "attributes": ["plan"]});
    setup.owner.change(&sampling, on).await;
    assert_eq!(stored(setup).await, 0);
}
