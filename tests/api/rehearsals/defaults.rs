//! Defaults that callers tell.

use std::time::Duration;

use base::{db::Db, waker::Waker};
use domain::usage;
use harness::{App, Caller, Response, Setup, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use super::key;

const DAY: Duration = Duration::from_secs(86_400);

struct Scene {
    setup: Setup,
    sdk: Caller,
}

impl Scene {
    /// With a flag that serves `true` in `dev`.
    async fn start() -> Self {
        let setup = Setup::new().await;
        let flag = json!({"key": "checkout", "name": "Checkout"});
        setup.owner.create(&setup.flags(), flag).await;
        let state = format!("{}/checkout/environments/dev", setup.flags());
        let on = json!({"enabled": true, "default_value": true});
        setup.owner.change(&state, on).await;
        let (_, text) = key(&setup.owner, &setup.project.dev).await;
        let sdk = setup.app.anonymous().with_key(&text);
        eventually("the flag is served", || async {
            let answer = ask(&sdk, &[]).await;
            (answer.status == 200 && answer.body["value"] == true).then_some(())
        })
        .await;
        Self { setup, sdk }
    }

    async fn report(&self, query: &str) -> Response {
        let path = format!("/v1/projects/{}/defaults?{query}", self.setup.project.id);
        self.setup.owner.get(&path).await
    }

    /// Waits until so many are reported; each as `[service, default, answers, differing, disagrees]`.
    async fn told(&self, query: &str, count: usize) -> Value {
        eventually("the defaults are stored", || async {
            let report = self.report(query).await;
            let all = report.body["defaults"].as_array()?;
            let told: Value = all
                .iter()
                .map(|one| {
                    json!([
                        one["service"],
                        one["value"],
                        one["answers"],
                        one["differing"],
                        one["disagrees"]
                    ])
                })
                .collect();
            (all.len() == count).then_some(told)
        })
        .await
    }
}

async fn ask(sdk: &Caller, headers: &[(&str, &str)]) -> Response {
    let question = json!({"flag_key": "checkout", "context": {"key": "user-1"}});
    let mut request = sdk.request(Method::POST, "/v1/evaluate").json(&question);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    sdk.send(request).await
}

#[tokio::test]
async fn a_default_in_the_headers_is_compared_with_the_answer() {
    let scene = Scene::start().await;
    let by =
        |value: &'static str, service| [("halyard-default", value), ("halyard-service", service)];
    for _ in 0..3 {
        ask(&scene.sdk, &by("false", "shop"))
            .await
            .expect_status(200);
    }
    ask(&scene.sdk, &by(" true ", "desk"))
        .await
        .expect_status(200);
    let context = json!({"context": {"targetingKey": "user-1"}});
    let ofrep = scene
        .sdk
        .request(Method::POST, "/ofrep/v1/evaluate/flags/checkout");
    let ofrep = ofrep.json(&context).header("halyard-default", "false");
    scene.sdk.send(ofrep).await.expect_status(200);
    // What cannot be read costs nobody an answer.
    for wrong in ["nope", "", &"1".repeat(1_025)] {
        let answer = ask(&scene.sdk, &[("halyard-default", wrong)]).await;
        answer.expect_status(200);
    }
    assert_eq!(
        scene.told("flag_key=checkout&env_id=dev", 3).await,
        json!([
            ["shop", false, 3, 3, true],
            ["", false, 1, 1, true],
            ["desk", true, 1, 0, true]
        ])
    );
    let report = scene.report("").await;
    assert!(report.text("/since").ends_with("T00:00:00Z"));
    report.expect(
        200,
        json!({"since": report.body["since"], "left_out": 0, "defaults": [
            {"flag_key": "checkout", "env_id": scene.setup.project.dev, "service": "shop", "value": false, "value_digest": null,
             "answers": 3, "differing": 3, "disagrees": true, "last_told_at": "[time]"},
            report.body["defaults"][1], report.body["defaults"][2],
        ]}),
    );
    assert_eq!(
        scene.report("env_id=staging").await.body["defaults"],
        json!([])
    );
    assert_eq!(
        scene.report("flag_key=other").await.body["defaults"],
        json!([])
    );
}

#[tokio::test]
async fn a_service_tells_its_defaults_with_counts() {
    let scene = Scene::start().await;
    let tell = |defaults: Value| {
        let body = json!({"service": "shop", "defaults": defaults});
        scene.sdk.post("/v1/defaults", body)
    };
    let long = json!("a".repeat(200));
    let told = tell(json!([
        {"flag_key": "checkout", "default": false, "answers": 10, "differing": 4},
        {"flag_key": "checkout", "default": long, "answers": 2, "differing": 7},
        {"flag_key": "gone", "default": false, "answers": 10, "differing": 4},
    ]));
    told.await.expect_status(204);
    // What differs is no more than there is.
    assert_eq!(
        scene.told("", 2).await,
        json!([["shop", false, 10, 4, true], ["shop", null, 2, 2, true]])
    );
    let digest = scene.report("").await.body["defaults"][1]["value_digest"].clone();
    assert_eq!(digest.as_str().unwrap().len(), 16);

    // Counts of days are summed up, and forgotten in the end.
    let app = &scene.setup.app;
    app.execute("UPDATE told_defaults SET day = day - 2", &[])
        .await;
    tell(json!([{"flag_key": "checkout", "default": false, "answers": 1}]))
        .await
        .expect_status(204);
    eventually("the second day is added", || async {
        (scene.report("").await.body["defaults"][0]["answers"] == 11).then_some(())
    })
    .await;
    assert_eq!(scene.told("days=2", 1).await[0][2], 1);

    let body = |body: Value| scene.sdk.post("/v1/defaults", body);
    let many = vec![json!({"flag_key": "checkout"}); 1_001];
    let service = "service must have at most 64 characters, none of them a control character";
    for (wrong, message) in [
        (json!({}), "defaults is required"),
        (
            json!({"defaults": [{"default": 1}]}),
            "flag_key is required",
        ),
        (
            json!({"defaults": many}),
            "at most 1000 defaults are allowed",
        ),
        (json!({"defaults": [], "service": "a".repeat(65)}), service),
        (json!({"defaults": [], "service": "a\nb"}), service),
    ] {
        body(wrong).await.expect_error(400, message);
    }
    for days in ["0", "32", "x"] {
        let refused = scene.report(&format!("days={days}")).await;
        refused.expect_error(400, "days must be an integer from 1 to 31");
    }
}

#[tokio::test]
async fn an_organization_has_two_thousand_a_day_and_keeps_them_for_31_days() {
    let scene = Scene::start().await;
    let app: &App = &scene.setup.app;
    let tell = |value: &str| {
        let told = json!({"flag_key": "checkout", "default": value, "answers": 1});
        let body = json!({"service": "shop", "defaults": [told]});
        scene.sdk.post("/v1/defaults", body)
    };
    tell("first").await.expect_status(204);
    scene.told("", 1).await;
    app.execute(
        "INSERT INTO told_defaults
         SELECT org_id, env_id, day, flag_key, 'shop ' || n, value, 0, 0, last_told_at
         FROM told_defaults, generate_series(1, 1998) AS n",
        &[],
    )
    .await;
    tell("second").await.expect_status(204);
    eventually("the last that has room is stored", || async {
        (scene.report("").await.body["left_out"] == 1_500).then_some(())
    })
    .await;
    tell("third").await.expect_status(204);
    tell("first").await.expect_status(204);
    eventually("what is known counts", || async {
        (scene.report("").await.body["defaults"].as_array()?.iter())
            .any(|one| one["answers"] == 2)
            .then_some(())
    })
    .await;
    let count: i64 = app.value("SELECT COUNT(*) FROM told_defaults", &[]).await;
    assert_eq!(count, 2_000);

    app.clock.advance(32 * DAY);
    let db = Db::new(app.pool().clone(), Waker::new());
    usage::prune(&db, app.clock.now()).await.unwrap();
    let count: i64 = app.value("SELECT COUNT(*) FROM told_defaults", &[]).await;
    assert_eq!(count, 0);
}
