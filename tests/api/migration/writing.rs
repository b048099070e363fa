//! What an import writes, and as whom.

use harness::source::state;
use harness::{App, Receiver, Source};
use serde_json::{Value, json};

use super::{OFF, Scene, errors};

async fn version(scene: &Scene) -> i64 {
    scene
        .app
        .value(
            "SELECT version FROM projects WHERE id = $1::uuid",
            &[&scene.target],
        )
        .await
}

#[tokio::test]
async fn everything_is_told_to_edges_as_one_change() {
    let scene = Scene::set(&["production", "test"]).await;
    for number in 0..250 {
        scene.source.flag(&format!("flag-{number}"), json!({}));
    }
    scene.source.segment("test", "beta", &["ada"]);
    let before = version(&scene).await;
    let imported = scene.import().await;
    assert_eq!(imported.status["flags_imported"], 250);
    assert_eq!(version(&scene).await, before + 1);
    let versions: Vec<i64> =
        sqlx::query_scalar("SELECT DISTINCT version FROM environments WHERE project_id = $1::uuid")
            .bind(&scene.target)
            .fetch_all(scene.app.pool())
            .await
            .unwrap();
    assert_eq!(versions, [before + 1]);
}

#[tokio::test]
async fn what_is_imported_has_a_history_from_its_first_version() {
    let scene = Scene::set(&["production", "test"]).await;
    scene.source.flag("plain", json!({}));
    scene.import().await;
    let path = format!("/v1/projects/{}/flags/plain", scene.target);
    let history = scene.owner.get(&format!("{path}/history")).await;
    history.expect_status(200);
    let mut versions = history.body["data"].as_array().unwrap().clone();
    versions.reverse();
    let told: Vec<_> = versions
        .iter()
        .map(|item| (item["version"].as_i64().unwrap(), &item["action"]))
        .collect();
    let (created, updated) = (json!("flag.created"), json!("flag.state_updated"));
    assert_eq!(told, [(1, &created), (2, &updated), (3, &updated)]);
    for item in &versions {
        assert_eq!(item["actor"]["id"], json!(scene.owner.id));
    }
    // The newest of each environment is what is there.
    for item in &versions[1..] {
        let env_id = item["env_id"].as_str().unwrap();
        let version = &item["version"];
        let looked = format!("{path}/history/{version}?env_id={env_id}");
        let then = scene.owner.get(&looked).await;
        then.expect_status(200);
        let now = scene
            .owner
            .get(&format!("{path}/environments/{env_id}"))
            .await;
        assert_eq!(then.body["state"]["enabled"], now.body["enabled"]);
        assert_eq!(then.body["state"]["rules"], now.body["rules"]);
    }
}

#[tokio::test]
async fn the_trail_names_the_import_and_whoever_started_it() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    scene.source.segment("production", "beta", &["ada"]);
    let imported = scene.import().await;
    let trail = scene.owner.get("/v1/audit?limit=100").await;
    let entries = trail.body["data"].as_array().unwrap();
    let of_import: Vec<_> = entries
        .iter()
        .filter(|entry| entry["metadata"]["migration_id"] == json!(imported.id))
        .collect();
    let actions: Vec<_> = of_import
        .iter()
        .rev()
        .map(|entry| &entry["action"])
        .collect();
    assert_eq!(
        actions,
        [
            "environment.created",
            "segment.created",
            "flag.created",
            "flag.state_updated",
            "migration.completed",
        ]
    );
    for entry in of_import {
        assert_eq!(
            (
                &entry["actor_type"],
                &entry["actor_id"],
                &entry["project_id"],
                &entry["ip_address"]
            ),
            (
                &json!("user"),
                &json!(scene.owner.id),
                &json!(scene.target),
                &Value::Null
            )
        );
    }
    let started = entries
        .iter()
        .find(|entry| entry["action"] == "migration.started");
    let started = started.unwrap();
    assert_eq!(started["resource_id"], json!(imported.id));
    assert_eq!(
        started["metadata"],
        json!({"provider": "provider_a", "source": scene.source.url()})
    );
    let completed = entries
        .iter()
        .find(|entry| entry["action"] == "migration.completed");
    assert_eq!(
        completed.unwrap()["metadata"],
        json!({
            "migration_id": imported.id, "provider": "provider_a", "flags_imported": 1, "flags_total": 1,
            "environments_imported": 1, "segments_imported": 1, "failure": null,
        })
    );
}

#[tokio::test]
async fn a_flag_with_a_number_that_cannot_be_stored_is_left_out_with_an_entry() {
    let scene = Scene::set(&["production"]).await;
    let numbers = |off: f64| json!({"kind": "multivariate", "variations": [{"_id": "1", "value": 1}, {"_id": "2", "value": off}]});
    scene.source.flag("everyday", numbers(1.5));
    scene.source.flag("endless", numbers(f64::MAX));
    let imported = scene.import().await;
    assert_eq!(
        errors(&imported),
        [(
            "endless".to_owned(),
            "a value contains a number that cannot be stored".to_owned()
        )]
    );
    assert_eq!(imported.status["flags_imported"], 1);
    assert_eq!(scene.list("flags").await[0]["default_value"], 1.5);
}

#[tokio::test]
async fn webhooks_hear_of_each_flag() {
    let settings = [
        ("RATE_MIGRATION", "0"),
        ("WEBHOOK_ALLOWED_CIDRS", "127.0.0.0/8"),
    ];
    let scene = Scene::set_with(&["production"], &settings).await;
    let receiver = Receiver::start();
    scene.owner.prove_address(scene.app.pool()).await;
    let body = json!({"name": "Chat", "url": receiver.url("/hooks"), "events": ["flag.*"]});
    scene.owner.create("/v1/webhooks", body).await;
    scene.source.flag("plain", json!({}));
    scene.import().await;
    let told = harness::eventually("the webhook is told", async || {
        scene
            .app
            .clock
            .advance(time::Duration::seconds(2).try_into().unwrap());
        let told = receiver.received();
        (told.len() == 2).then_some(told)
    })
    .await;
    let types: Vec<_> = told
        .iter()
        .map(|told| told.json()["type"].clone())
        .collect();
    assert_eq!(types, ["flag.created", "flag.updated"]);
}

#[tokio::test]
async fn a_second_analysis_finds_nothing_to_import_and_a_second_import_changes_nothing() {
    let scene = Scene::set(&["production", "test"]).await;
    let mut off = state();
    off["on"] = json!(false);
    scene.source.flag("plain", json!({}));
    scene.source.flag(
        "requires",
        json!({"environments": {"production": state(), "test": off}}),
    );
    scene.source.flag(
        "text",
        json!({
            "kind": "multivariate",
            "variations": [{"_id": "1", "value": "one"}, {"_id": "2", "value": "two"}],
        }),
    );
    scene
        .source
        .segment("production", "beta", &["ada", "grace"]);
    scene.import().await;
    let before = version(&scene).await;

    let analyzed = scene.analyze().await;
    assert_eq!(
        analyzed.body["details"]["verdicts"],
        json!({"exact": 6, "approximated": 0, "skipped": 0})
    );
    let there = "the key exists already, with the same meaning: there is nothing to import";
    let second = scene.import().await;
    assert_eq!(
        errors(&second),
        ["beta", "plain", "requires", "text"].map(|key| (key.to_owned(), there.to_owned()))
    );
    assert_eq!(
        (
            &second.status["flags_imported"],
            &second.status["segments_imported"],
            &second.status["environments_imported"]
        ),
        (&json!(0), &json!(0), &json!(2))
    );
    assert_eq!(version(&scene).await, before);
}

#[tokio::test]
async fn what_exists_with_another_meaning_stays_and_whatever_needs_it_says_so() {
    let scene = Scene::set(&["production"]).await;
    let flags = format!("/v1/projects/{}/flags", scene.target);
    let segments = format!("/v1/projects/{}/segments", scene.target);
    let other = json!({"key": "base", "name": "Ours", "flag_type": "string"});
    scene.owner.create(&flags, other).await;
    let other = json!({"key": "beta", "name": "Ours", "rules": []});
    scene.owner.create(&segments, other).await;

    scene.source.segment("production", "beta", &["ada"]);
    scene.source.flag("base", json!({}));
    let mut requiring = state();
    requiring["prerequisites"] = json!([{"key": "base", "variation": 0}]);
    scene.source.flag(
        "requiring",
        json!({"environments": {"production": requiring}}),
    );
    let mut further = state();
    further["prerequisites"] = json!([{"key": "requiring", "variation": 0}]);
    scene
        .source
        .flag("further", json!({"environments": {"production": further}}));
    let mut using = state();
    using["rules"] = json!([{
        "_id": "r", "variation": 1,
        "clauses": [{"attribute": "", "op": "segmentMatch", "values": ["beta"], "negate": false}],
    }]);
    scene
        .source
        .flag("using", json!({"environments": {"production": using}}));

    let imported = scene.import().await;
    let there = "the key exists already, with another meaning: it stays as it is";
    let mut said = errors(&imported);
    said.sort();
    assert_eq!(
        said,
        [
            ("base", there),
            ("beta", there),
            (
                "further",
                "warning: it requires the flag requiring, which is not imported exactly"
            ),
            ("requiring", OFF),
            (
                "requiring",
                "warning: it requires the flag base, which exists already with another meaning"
            ),
            ("using", OFF),
            (
                "using",
                "warning: it uses the segment beta, which exists already with another meaning"
            ),
        ]
        .map(|(name, error)| (name.to_owned(), error.to_owned()))
    );
    let base = scene.owner.get(&format!("{flags}/base")).await;
    assert_eq!(
        (&base.body["name"], &base.body["flag_type"]),
        (&json!("Ours"), &json!("string"))
    );
}

#[tokio::test]
async fn an_archived_flag_stays_archived_and_is_reported() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("base", json!({}));
    scene.import().await;
    let base = format!("/v1/projects/{}/flags/base", scene.target);
    let archive = format!("{base}/archive");
    let archived = scene.owner.post(&archive, Value::Null).await;
    archived.expect_status(204);
    let before = scene.owner.get(&base).await.body;
    let mut requiring = state();
    requiring["prerequisites"] = json!([{"key": "base", "variation": 0}]);
    scene.source.flag(
        "requiring",
        json!({"environments": {"production": requiring}}),
    );

    let imported = scene.import().await;
    let mut said = errors(&imported);
    said.sort();
    assert_eq!(
        said,
        [
            (
                "base",
                "the key exists already, of an archived flag: it stays as it is"
            ),
            ("requiring", OFF),
            (
                "requiring",
                "warning: it requires the flag base, which exists already and is archived"
            ),
        ]
        .map(|(name, error)| (name.to_owned(), error.to_owned()))
    );
    scene.owner.get(&base).await.expect(200, before);
}

#[tokio::test]
async fn an_import_into_one_project_leaves_every_other_as_it_is() {
    let scene = Scene::set(&["production", "dev"]).await;
    let stranger = scene.app.signup("stranger").await;
    let fingerprint = async |app: &App| -> String {
        app.value(
            "SELECT string_agg(environments::text, ',' ORDER BY id) FROM environments WHERE project_id <> $1::uuid",
            &[&scene.target],
        )
        .await
    };
    let before = fingerprint(&scene.app).await;
    scene.source.flag("plain", json!({}));
    scene.import().await;
    assert_eq!(fingerprint(&scene.app).await, before);
    assert_eq!(stranger.get("/v1/migration").await.body["total"], 0);
    let other = Source::start(&["production"]);
    let refused = stranger
        .post("/v1/migration/execute", other.body(&scene.target))
        .await;
    refused.expect_error(404, "project not found");
}

#[tokio::test]
async fn an_import_writes_no_state_into_a_protected_environment() {
    let scene = Scene::set(&["production", "test"]).await;
    let environments = format!("/v1/projects/{}/environments", scene.target);
    let body = json!({"name": "Production", "protected": true});
    scene.owner.create(&environments, body).await;
    scene.source.flag("plain", json!({}));
    let told = "production: left out, because the environment is protected";
    let analyzed = scene.analyze().await;
    assert!(
        analyzed.body.to_string().contains(told),
        "{:#}",
        analyzed.body
    );
    let imported = scene.import().await;
    assert_eq!(errors(&imported), [("plain".to_owned(), told.to_owned())]);
    assert_eq!(
        scene.state("plain", "production").await,
        json!({"enabled": false})
    );
    assert_eq!(scene.state("plain", "test").await["enabled"], true);
}
