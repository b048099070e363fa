//! What an import cannot take over: the analysis knows it beforehand, and nothing is opened by it.

use harness::source::state;
use serde_json::{Value, json};

use super::{OFF, Scene, errors};

fn sorted(items: &[Value]) -> Vec<Value> {
    let mut items = items.to_vec();
    items.sort_by_key(Value::to_string);
    items
}

#[tokio::test]
async fn a_state_that_loses_a_restriction_is_not_switched_on() {
    let scene = Scene::set(&["production", "test"]).await;
    scene.source.segment("production", "paying", &["ada"]);
    let mut open = state();
    // Whoever does not pay gets `false`, which no rule here can say.
    open["rules"] = json!([{
        "clauses": [{"attribute": "", "op": "segmentMatch", "values": ["paying"], "negate": true}],
        "variation": 1,
    }]);
    let environments = json!({"production": open, "test": state()});
    scene
        .source
        .flag("paid", json!({"environments": environments}));
    let (analyzed, imported) = (scene.analyze().await, scene.import().await);
    assert_eq!(
        errors(&imported),
        [
            (
                "paid",
                "production, rule 1: left out: it asks who is not in a segment"
            ),
            ("paid", OFF),
        ]
        .map(|(name, error)| (name.to_owned(), error.to_owned()))
    );
    assert_eq!(analyzed.body["details"]["items"], json!(imported.items));
    assert_eq!(scene.state("paid", "production").await["enabled"], false);
    assert_eq!(scene.state("paid", "test").await["enabled"], true);
}

#[tokio::test]
async fn an_environment_that_exists_is_reused_and_others_count_against_the_plan() {
    let scene = Scene::set(&["production", "qa", "test"]).await;
    let path = format!("/v1/projects/{}/environments", scene.target);
    let ours = json!({"name": "Ours", "slug": "test", "color": "#123456"});
    scene.owner.create(&path, ours).await;
    scene.app.set_plan(&scene.owner, "free").await;
    scene.source.flag("plain", json!({}));
    let (analyzed, imported) = (scene.analyze().await, scene.import().await);
    // The analysis knew it.
    assert_eq!(
        sorted(analyzed.body["details"]["items"].as_array().unwrap()),
        sorted(&imported.items)
    );
    let environments = scene.list("environments").await;
    let names: Vec<_> = environments.iter().map(|env| &env["name"]).collect();
    let limit = environments.len();
    assert_eq!(names[0], "Ours");
    assert!(limit < 3, "{names:?}");
    assert_eq!(
        errors(&imported),
        [
            ("qa", "plan limit reached: environments"),
            ("plain", "qa: left out, because the environment is"),
        ]
        .map(|(name, error)| (name.to_owned(), error.to_owned()))
    );
    assert_eq!(scene.state("plain", "test").await["enabled"], true);
    assert_eq!(imported.status["environments_imported"], 2);
}

#[tokio::test]
async fn a_project_that_is_full_takes_what_it_can_and_says_what_it_cannot() {
    let scene = Scene::set(&["production"]).await;
    scene
        .app
        .execute(
            "UPDATE projects SET flag_count = 19998 WHERE id = $1::uuid",
            &[&scene.target],
        )
        .await;
    for number in 0..5 {
        scene.source.flag(&format!("flag-{number}"), json!({}));
    }
    let (analyzed, imported) = (scene.analyze().await, scene.import().await);
    assert_eq!(
        sorted(analyzed.body["details"]["items"].as_array().unwrap()),
        sorted(&imported.items)
    );
    assert_eq!(imported.status["status"], "completed");
    assert_eq!(imported.status["flags_imported"], 2);
    let full = "a project has at most 20000 flags";
    assert_eq!(
        errors(&imported),
        [2, 3, 4].map(|number| (format!("flag-{number}"), full.to_owned()))
    );
    assert_eq!(scene.list("flags").await.len(), 2);
}
