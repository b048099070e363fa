//! What is counted, of one flag, environment or project alone.

use harness::App;
use serde_json::json;

use super::*;

const NOBODY: &str = "00000000-0000-7000-8000-000000000000";

/// An organization with counters and impressions in two environments of one project, and one of another.
struct Filtered {
    scene: Scene,
    other_project: String,
    elsewhere: String,
}

impl Filtered {
    async fn start() -> (App, Self) {
        let (app, scene) = Scene::start().await;
        let made = scene
            .owner
            .create("/v1/projects", json!({"name": "Other"}))
            .await;
        let other_project = made.text("/id");
        let environments = format!("/v1/projects/{other_project}/environments");
        let made = json!({"name": "Elsewhere", "slug": "elsewhere"});
        let made = scene.owner.create(&environments, made).await;
        let elsewhere = made.text("/id");
        for (env_id, flags) in [
            (&scene.dev, &["checkout", "checkout", "banner"][..]),
            (&scene.staging, &["checkout"]),
            (&elsewhere, &["checkout", "banner & more"]),
        ] {
            let sdk = app.anonymous().with_key(&scene.owner.api_key(env_id).await);
            for flag_key in flags {
                evaluate(&sdk, flag_key).await;
                let shown = json!({"flag_key": flag_key, "variant_key": "a"});
                sdk.post("/v1/track", shown).await.expect_status(204);
            }
        }
        let filtered = Self {
            scene,
            other_project,
            elsewhere,
        };
        (app, filtered)
    }

    /// The counters of a query as `[flag_key, env_id, count]`; their total is their sum.
    async fn counted(&self, query: &str) -> Value {
        let path = format!("{EVALUATIONS}?{query}");
        let answer = self.scene.owner.get(&path).await;
        answer.expect_status(200);
        let counters = answer.body["counters"].as_array().unwrap();
        let sum: u64 = counters
            .iter()
            .map(|one| one["count"].as_u64().unwrap())
            .sum();
        assert_eq!(answer.body["total_evaluations"], sum, "{query}");
        counters
            .iter()
            .map(|one| json!([one["flag_key"], one["env_id"], one["count"]]))
            .collect()
    }

    /// The impressions of a query as `[flag_key, count]`.
    async fn shown(&self, query: &str) -> Value {
        let path = format!("{IMPRESSIONS}?{query}");
        let answer = self.scene.owner.get(&path).await;
        answer.expect_status(200);
        let shown = answer.body.as_array().unwrap().iter();
        shown
            .map(|one| json!([one["flag_key"], one["count"]]))
            .collect()
    }
}

#[tokio::test]
async fn counters_are_filtered_by_flag_environment_and_project() {
    let (_app, filtered) = Filtered::start().await;
    let (other_project, elsewhere) = (&filtered.other_project, &filtered.elsewhere);
    let (dev, staging) = (&filtered.scene.dev, &filtered.scene.staging);
    for (query, expected) in [
        (
            "flag_key=checkout".to_owned(),
            json!([
                ["checkout", dev, 2],
                ["checkout", staging, 1],
                ["checkout", elsewhere, 1]
            ]),
        ),
        (
            format!("env_id={dev}"),
            json!([["banner", dev, 1], ["checkout", dev, 2]]),
        ),
        (
            format!("env_id={}&flag_key=checkout", dev.to_uppercase()),
            json!([["checkout", dev, 2]]),
        ),
        (
            format!("project_id={other_project}"),
            json!([["banner & more", elsewhere, 1], ["checkout", elsewhere, 1]]),
        ),
        (
            "flag_key=banner%20%26%20more".to_owned(),
            json!([["banner & more", elsewhere, 1]]),
        ),
        (
            format!("project_id={other_project}&env_id={dev}"),
            json!([]),
        ),
    ] {
        assert_eq!(filtered.counted(&query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn impressions_are_filtered_by_flag_environment_and_project() {
    let (_app, filtered) = Filtered::start().await;
    let (other_project, elsewhere) = (&filtered.other_project, &filtered.elsewhere);
    let scene = &filtered.scene;
    for (query, expected) in [
        ("flag_key=checkout".to_owned(), json!([["checkout", 4]])),
        (
            format!("env_id={elsewhere}"),
            json!([["banner & more", 1], ["checkout", 1]]),
        ),
        (
            format!("project_id={}", scene.project),
            json!([["banner", 1], ["checkout", 3]]),
        ),
        (
            format!("project_id={other_project}&flag_key=checkout"),
            json!([["checkout", 1]]),
        ),
        (
            format!("project_id={other_project}&env_id={}", scene.dev),
            json!([]),
        ),
    ] {
        assert_eq!(filtered.shown(&query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn a_filter_that_names_nothing_is_met_by_nothing_and_an_empty_one_is_none() {
    let (app, filtered) = Filtered::start().await;
    let stranger = app.signup("stranger").await;
    let foreign = stranger.default_project().await;
    for query in [
        "flag_key=nowhere".to_owned(),
        format!("flag_key={}", "a".repeat(2_000)),
        "env_id=dev".to_owned(),
        format!("env_id={NOBODY}"),
        format!("env_id={}", foreign.dev),
        "project_id=default".to_owned(),
        format!("project_id={NOBODY}"),
        format!("project_id={}", foreign.id),
    ] {
        assert_eq!(filtered.counted(&query).await, json!([]), "{query}");
        assert_eq!(filtered.shown(&query).await, json!([]), "{query}");
    }
    let all = filtered.counted("").await;
    assert_eq!(all.as_array().unwrap().len(), 5);
    let empty = "flag_key=&env_id=&project_id=";
    assert_eq!(filtered.counted(empty).await, all);
    assert_eq!(filtered.shown(empty).await, filtered.shown("").await);

    // What is counted here is met by no filter of somebody else.
    let theirs = format!("{EVALUATIONS}?env_id={}", filtered.scene.dev);
    let answer = stranger.get(&theirs).await;
    assert_eq!(answer.body["total_evaluations"], 0);
    let theirs = format!("{IMPRESSIONS}?project_id={}", filtered.scene.project);
    stranger.get(&theirs).await.expect(200, json!([]));
}

#[tokio::test]
async fn a_filter_with_a_nul_character_is_400() {
    let (_app, owner) = App::with_owner_and(&[PATIENT]).await;
    for path in [EVALUATIONS, IMPRESSIONS] {
        let refused = owner.get(&format!("{path}?flag_key=a%00")).await;
        refused.expect_error(400, "text must not contain NUL characters");
    }
}

#[tokio::test]
async fn the_next_part_has_the_same_filters() {
    let (_app, filtered) = Filtered::start().await;
    let elsewhere = &filtered.elsewhere;
    let mut path = format!("{EVALUATIONS}?env_id={elsewhere}&limit=1");
    let mut seen = Vec::new();
    loop {
        let part = filtered.scene.owner.get(&path).await;
        assert_eq!(part.body["total_evaluations"], 2);
        seen.push(part.text("/counters/0/flag_key"));
        let Some(next) = next_part(&part) else {
            break;
        };
        path = next;
        let expected = format!("{EVALUATIONS}?env_id={elsewhere}&limit=1&offset=1");
        assert_eq!(path, expected);
    }
    assert_eq!(seen, ["banner & more", "checkout"]);

    let query = "flag_key=banner+%26+more";
    let part = filtered
        .scene
        .owner
        .get(&format!("{IMPRESSIONS}?{query}&limit=1"))
        .await;
    assert_eq!(part.headers.get("link"), None);
}
