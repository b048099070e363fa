//! Questions about drafts, and what edges find.

use std::time::Duration;

use fanout::{Fingerprint, Regions, Reporter, Source as _};
use harness::{Response, Setup, eventually};
use protocol::{
    ids::EnvId,
    what_if::{Finding, Group, Keys, Transition},
};
use publish::LocalMessage;
use serde_json::{Value, json};

use crate::publish::replica::Replica;

pub(super) struct Scene {
    pub(super) setup: Setup,
    /// Holds the environment, and never answers.
    _edge: Replica,
}

impl Scene {
    /// With a flag that serves `true` in `dev`, whose requests are sampled.
    pub(super) async fn start() -> Self {
        let setup = Setup::new().await;
        let flag = json!({"key": "checkout", "name": "Checkout"});
        setup.owner.create(&setup.flags(), flag).await;
        let state = format!("{}/checkout/environments/dev", setup.flags());
        let on = json!({"enabled": true, "default_value": true});
        setup.owner.change(&state, on).await;
        let kept = json!({"enabled": true, "attributes": ["plan"]});
        let sampling = super::sampling::path(&setup.project.id, "dev");
        setup.owner.change(&sampling, kept).await;
        let edge = Replica::follow(&setup.app.publisher);
        eventually("the edge holds the environment", || async {
            let held = edge.environment(&setup.project.dev)?;
            (!held.flags.is_empty()).then_some(())
        })
        .await;
        Self { setup, _edge: edge }
    }

    pub(super) fn path(&self) -> String {
        let project = &self.setup.project.id;
        format!("/v1/projects/{project}/environments/dev/what-if")
    }

    pub(super) async fn ask(&self, body: Value) -> Response {
        self.setup.owner.post(&self.path(), body).await
    }

    pub(super) async fn known(&self, id: &str) -> Value {
        let path = format!("{}/{id}", self.path());
        self.setup.owner.get(&path).await.body
    }

    /// Has an edge tell what it found.
    pub(super) async fn find(&self, finding: Finding) {
        let link = self
            .setup
            .app
            .publisher
            .connect_local(|| (None, Vec::new()));
        link.found(finding).await;
    }
}

/// Switches the flag off.
pub(super) fn off() -> Value {
    let flag = json!({"key": "checkout", "states": {"dev": {"enabled": false}}});
    json!({"changes": {"flags": [flag]}, "wait_seconds": 0})
}

pub(super) fn with(name: &str, value: Value) -> Value {
    let mut body = off();
    body[name] = value;
    body
}

pub(super) fn bytes(id: &str) -> [u8; 16] {
    uuid::Uuid::try_parse(id).unwrap().into_bytes()
}

/// Of an edge that kept one in four.
pub(super) fn finding(question: &str, edge: u8) -> Finding {
    Finding {
        question: bytes(question),
        boot: [edge; 16],
        since_ms: 1_764_334_800_000 + i64::from(edge),
        samples: 1_000,
        answers: 4_000,
        changed: 400,
        var_answers: 12_000,
        var_changed: 1_200,
        covariance: 1_200,
        weight_squares: 16_000,
        transitions: vec![Transition {
            flag_key: "checkout".to_owned(),
            from: "true".to_owned(),
            to: "false".to_owned(),
            answers: 400,
        }],
        groups: vec![Group {
            value: (edge == 1).then(|| "\"pro\"".to_owned()),
            answers: 4_000,
            changed: 400,
        }],
        ..Finding::default()
    }
}

#[tokio::test]
async fn what_edges_find_is_added_up_each_edge_once() {
    let scene = Scene::start().await;
    let asked = scene.ask(with("by", json!("plan"))).await;
    asked.expect_status(201);
    assert_eq!(asked.body["is_open"], true);
    assert_eq!(asked.body["share"], Value::Null);
    assert!(asked.body["edges"]["asked"].as_u64() >= Some(1));
    let id = asked.text("/id");
    for edge in [1, 2, 1] {
        scene.find(finding(&id, edge)).await;
    }
    // Nobody asked this.
    scene.find(finding(&scene.setup.project.id, 3)).await;

    let mut known = scene.known(&id).await;
    assert!(known["edges"]["answered"].as_u64() >= Some(2));
    let interval = known["interval"].take();
    let (low, high) = (
        interval["low"].as_f64().unwrap(),
        interval["high"].as_f64().unwrap(),
    );
    // 2,000 of 8,000: a hundredth either side, with 200 changes seen.
    assert!(
        (0.08..0.09).contains(&low) && (0.11..0.12).contains(&high),
        "{interval}"
    );
    assert_eq!(interval["confidence"], 0.99);
    let (yes, no) = (
        json!({"value": true, "digest": null}),
        json!({"value": false, "digest": null}),
    );
    let expected = json!({
        "id": id, "env_id": scene.setup.project.dev, "asked_at": asked.body["asked_at"], "is_open": known["is_open"],
        "edges": known["edges"], "since": "2025-11-28T13:00:00.001Z", "samples": 2_000, "answers": 8_000, "changed": 800,
        "share": 0.1, "interval": null,
        "transitions": [{"flag_key": "checkout", "from": yes, "to": no, "answers": 800}],
        "examples": [], "groups": [
            {"value": null, "answers": 4_000, "changed": 400},
            {"value": {"value": "pro", "digest": null}, "answers": 4_000, "changed": 400},
        ],
        "not_sampled": [], "names_keys": false,
    });
    assert_eq!(known, expected);
}

#[tokio::test]
async fn edges_are_told_what_is_sampled_and_what_is_asked_with_a_signature() {
    let scene = Scene::start().await;
    let dev = EnvId::from(uuid::Uuid::try_parse(&scene.setup.project.dev).unwrap());
    let mut link = scene
        .setup
        .app
        .publisher
        .connect_local(|| (None, Vec::new()));
    let id = scene.ask(with("by", json!("plan"))).await.text("/id");
    let (mut sampled, mut asked) = (None, None);
    while sampled.is_none() || asked.is_none() {
        match link.next(true).await {
            LocalMessage::Sampled(all) => {
                sampled = all.iter().find(|one| one.env_id == dev).cloned();
            }
            LocalMessage::Question(signed) => asked = Some(signed),
            _ => {}
        }
    }
    let (sampled, asked) = (sampled.unwrap(), asked.unwrap());
    assert_eq!(
        (sampled.attributes.as_slice(), sampled.keys),
        (&["plan".to_owned()][..], Keys::Hashed)
    );
    let question = &asked.question;
    assert_eq!((question.id, &question.sampled), (bytes(&id), &sampled));
    assert_eq!(
        (question.by.as_deref(), question.examples),
        (Some("plan"), 0)
    );
    let [flag] = question.draft.flags.as_slice() else {
        panic!("{:?}", question.draft);
    };
    assert_eq!(flag.key, "checkout");
    assert!(!flag.state.as_ref().unwrap().enabled);
    assert!(asked.signature.is_some());
    let off = super::sampling::path(&scene.setup.project.id, "dev");
    scene
        .setup
        .owner
        .change(&off, json!({"enabled": false}))
        .await;
    loop {
        if let LocalMessage::Sampled(all) = link.next(true).await
            && all.is_empty()
        {
            break;
        }
    }
}

#[tokio::test]
async fn a_change_set_is_asked_about_as_it_is_stored() {
    let scene = Scene::start().await;
    let sets = format!("/v1/projects/{}/change-sets", scene.setup.project.id);
    let draft = json!({"name": "Off", "changes": off()["changes"]});
    let set = scene.setup.owner.create(&sets, draft).await;
    let asked = scene
        .ask(json!({"change_set_id": set.body["id"], "wait_seconds": 0}))
        .await;
    asked.expect_status(201);
}

#[tokio::test]
async fn what_decides_answers_and_is_not_kept_is_named() {
    let scene = Scene::start().await;
    let rule = |attribute: &str, values: Value| json!({"conditions": [{"attribute": attribute, "operator": "eq", "values": values}], "value": false});
    let rules = json!([
        rule("plan", json!(["pro"])),
        rule("country", json!(["DE"])),
        rule("key", json!(["user-1"]))
    ]);
    let flag = json!({"key": "checkout", "states": {"dev": {"rules": rules}}});
    let asked = scene
        .ask(json!({"changes": {"flags": [flag]}, "wait_seconds": 0}))
        .await;
    asked.expect_status(201);
    assert_eq!(asked.body["not_sampled"], json!(["country"]));
    assert_eq!(asked.body["names_keys"], true);
}

#[tokio::test]
async fn what_is_found_late_or_in_another_region_is_dropped() {
    let scene = Scene::start().await;
    let id = scene.ask(off()).await.text("/id");
    scene.find(finding(&id, 1)).await;
    // An edge may be slow.
    scene.setup.app.clock.advance(Duration::from_secs(59));
    scene.find(finding(&id, 2)).await;
    assert_eq!(scene.known(&id).await["answers"], 8_000);
    scene.setup.app.clock.advance(Duration::from_secs(1));
    scene.find(finding(&id, 3)).await;
    assert_eq!(scene.known(&id).await["answers"], 8_000);

    let id = scene.ask(off()).await.text("/id");
    for (region, answers) in [("eu", 0), ("us", 4_000)] {
        let reporter = Reporter {
            name: "edge".to_owned(),
            certificate: Fingerprint::default(),
            regions: Regions::Only(region.into()),
        };
        let publisher = &scene.setup.app.publisher;
        publisher.found(&reporter, finding(&id, 1)).await;
        assert_eq!(scene.known(&id).await["answers"], answers);
    }
}
