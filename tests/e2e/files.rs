//! An edge that serves files: the same answers as of a control plane's edge, from one command.

use std::{fs, os::unix::fs::symlink, time::Duration};

use harness::{FilesEdge, eventually, sse::Stream};
use serde_json::{Map, Value, json};

use crate::vectors;

const FLAGS: &str = "
flags:
  beta:
    flag_type: string
    default_value: old
    environments:
      live: {enabled: true, default_value: new}
";

fn question(flag: &str) -> Value {
    json!({"flag_key": flag, "context": {"key": "user-1"}})
}

async fn value(edge: &FilesEdge, flag: &str) -> Value {
    let answer = edge.caller().act("/v1/evaluate", question(flag)).await;
    answer.expect_status(200).body["value"].clone()
}

/// Waits until a flag has this value.
async fn comes(edge: &FilesEdge, flag: &str, wanted: &str) {
    eventually("a changed file is served", || async {
        (value(edge, flag).await == wanted).then_some(())
    })
    .await;
}

async fn problems(edge: &FilesEdge) -> Value {
    let ready = edge.admin().get("/ready").await;
    ready.expect_status(200).body["problems"].clone()
}

async fn metrics(edge: &FilesEdge) -> String {
    let answer = edge.admin().get("/metrics").await;
    answer.body.as_str().expect("metrics are text").to_owned()
}

/// An environment of the vectors as one file.
fn as_file(environment: &vectors::Environment) -> String {
    let by_key = |things: &[Value]| -> Map<String, Value> {
        let things = things.iter().cloned();
        things
            .map(|thing| (thing["key"].as_str().expect("a key").to_owned(), thing))
            .collect()
    };
    let mut flags = by_key(&environment.flags);
    for (key, flag) in &mut flags {
        if let Some(state) = environment.states.get(key) {
            flag["environments"] = json!({"live": state});
        }
    }
    let file = json!({
        "environments": [{"slug": "live"}],
        "segments": by_key(&environment.segments),
        "flags": flags,
    });
    file.to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_vector_holds_for_an_edge_that_serves_files() {
    let mut asked = 0;
    for (file, vectors) in &vectors::read_all() {
        for (name, environment) in &vectors.environments {
            if !environment.api {
                continue;
            }
            let mut edge = FilesEdge::new("vectors.json", &[], &[]);
            edge.write("vectors.json", &as_file(environment));
            edge.start().await;
            let sdk = edge.caller();
            let cases = vectors.cases.iter().enumerate();
            for (number, case) in cases.filter(|(_, case)| case.api && case.environment == *name) {
                if let Err(wrong) = vectors::ask(&sdk, case).await {
                    panic!("{file} case {number}: {wrong}");
                }
                asked += 1;
            }
        }
    }
    assert_eq!(asked, 2_416, "cases of environments that the API accepts");
}

#[tokio::test]
async fn all_paths_of_sdks_answer_from_one_file_without_a_key() {
    let mut edge = FilesEdge::new("flags.yaml", &[], &[]);
    edge.write("flags.yaml", FLAGS);
    edge.start().await;
    let sdk = edge.caller();

    let evaluated =
        json!({"flag_key": "beta", "value": "new", "reason": "FALLTHROUGH", "variant_key": ""});
    let answer = sdk.act("/v1/evaluate", question("beta")).await;
    answer.expect(200, evaluated.clone());
    let any = sdk
        .with_key("whatever")
        .act("/v1/evaluate", question("beta"))
        .await;
    any.expect(200, evaluated.clone());
    let many = json!({"flag_keys": ["beta"], "context": {"key": "user-1"}});
    let many = sdk.act("/v1/evaluate/bulk", many).await;
    assert_eq!(many.expect_status(200).body["beta"]["value"], "new");
    let client = sdk.get("/v1/client/live/flags?key=user-1").await;
    client.expect(200, json!({"beta": "new"}));
    let other = sdk.get("/v1/client/other/flags?key=user-1").await;
    other.expect_error(403, "api key is not valid for this environment");
    let ofrep = json!({"context": {"targetingKey": "user-1"}});
    let ofrep = sdk.act("/ofrep/v1/evaluate/flags/beta", ofrep).await;
    assert_eq!(ofrep.expect_status(200).body["value"], "new");
    let missing = sdk.act("/v1/evaluate", question("missing")).await;
    assert_eq!(missing.expect_status(200).body["reason"], "NOT_FOUND");
    let ready = edge.admin().get("/ready").await;
    assert_eq!(ready.body["link"], "files");
    assert_eq!(ready.body["flags"], 1);
}

#[tokio::test]
async fn a_changed_file_is_served_and_told_to_streams() {
    let mut edge = FilesEdge::new("flags.yaml", &[], &[]);
    edge.write("flags.yaml", FLAGS);
    edge.start().await;
    let mut native: Stream = edge.caller().stream("/v1/stream/live").await;
    native.next_named("connected").await;
    let question = json!({"context": {"targetingKey": "user-1"}});
    let bulk = edge
        .caller()
        .act("/ofrep/v1/evaluate/flags", question)
        .await;
    let url = bulk.text("/eventStreams/0/url");
    let path = url
        .split_once("/ofrep")
        .map(|(_, path)| format!("/ofrep{path}"));
    let mut ofrep = edge.caller().stream(&path.expect("a path")).await;

    edge.write("flags.yaml", &FLAGS.replace("new", "newest"));
    native.next_named("flag-update").await;
    assert_eq!(value(&edge, "beta").await, "newest");
    let told = ofrep.next_named("message").await;
    assert_eq!(told.data["type"], "refetchEvaluation");
}

#[tokio::test]
async fn files_that_are_wrong_change_nothing_until_they_are_right() {
    let mut edge = FilesEdge::new("project", &[], &[]);
    edge.write(
        "project/flags/a.yaml",
        "flag_type: string\nenvironments:\n  live: {enabled: true, default_value: one}\n",
    );
    edge.write(
        "project/flags/b.yaml",
        "flag_type: string\nenvironments:\n  live: {enabled: true, default_value: one}\n",
    );
    edge.start().await;
    assert_eq!(problems(&edge).await, json!([]));

    // One file is right and new, the other is wrong: neither is served.
    edge.write(
        "project/flags/b.yaml",
        "flag_type: string\nenvironments:\n  live: {enabled: maybe}\n",
    );
    edge.write(
        "project/flags/a.yaml",
        "flag_type: string\nenvironments:\n  live: {enabled: true, default_value: two}\n",
    );
    let told = eventually("a wrong file is told", || async {
        let told = problems(&edge).await;
        (told != json!([])).then_some(told)
    })
    .await;
    assert_eq!(
        told,
        json!([
            "flags/b.yaml:3:19: environments.live.enabled: invalid type: string \"maybe\", expected a boolean"
        ])
    );
    assert_eq!(value(&edge, "a").await, "one");
    // Clients see neither names nor contents of files.
    let public = edge.caller().get("/ready").await;
    public.expect(200, json!({"status": "ready"}));
    let metrics = metrics(&edge).await;
    assert!(metrics.contains("halyard_edge_files_wrong 1"), "{metrics}");
    assert!(edge.process.log().contains("flags/b.yaml:3:19"));

    edge.write(
        "project/flags/b.yaml",
        "flag_type: string\nenvironments:\n  live: {enabled: true, default_value: two}\n",
    );
    comes(&edge, "b", "two").await;
    assert_eq!(value(&edge, "a").await, "two");
    assert_eq!(problems(&edge).await, json!([]));

    // Everything gone is wrong, too.
    fs::remove_dir_all(edge.folder().join("project")).expect("a folder is removed");
    eventually("a missing folder is told", || async {
        (problems(&edge).await != json!([])).then_some(())
    })
    .await;
    assert_eq!(value(&edge, "a").await, "two");
}

/// Lets `..data` lead to another folder, all at once as a mount does.
fn link(edge: &FilesEdge, target: &str) {
    let (data, new) = (edge.folder().join("..data"), edge.folder().join("..new"));
    symlink(target, &new).expect("a link");
    fs::rename(new, data).expect("the link is replaced");
}

#[tokio::test]
async fn a_mounted_config_map_is_followed() {
    let mut edge = FilesEdge::new("flags.yaml", &[], &[]);
    edge.write("..1/flags.yaml", FLAGS);
    edge.write("..2/flags.yaml", &FLAGS.replace("new", "newest"));
    link(&edge, "..1");
    symlink("..data/flags.yaml", edge.folder().join("flags.yaml")).expect("a link");
    edge.start().await;
    assert_eq!(value(&edge, "beta").await, "new");
    link(&edge, "..2");
    comes(&edge, "beta", "newest").await;
}

#[tokio::test]
async fn keys_that_are_given_are_asked_for_and_open_their_environment() {
    let file = FLAGS.to_owned() + "      dev: {enabled: true, default_value: newest}\n";
    let keys = ("EDGE_FLAGS_KEYS", "live=key-of-live, dev=key-of-dev");
    let mut edge = FilesEdge::new("flags.yaml", &[], &[keys]);
    edge.write("flags.yaml", &file);
    edge.start().await;
    let sdk = edge.caller();
    for (key, served) in [("key-of-live", "new"), ("key-of-dev", "newest")] {
        let answer = sdk
            .with_key(key)
            .act("/v1/evaluate", question("beta"))
            .await;
        assert_eq!(answer.expect_status(200).body["value"], served);
    }
    let nobody = sdk.post("/v1/evaluate", question("beta")).await;
    nobody.expect_error(401, "invalid or missing api key");
    let other = sdk
        .with_key("another")
        .post("/v1/evaluate", question("beta"))
        .await;
    other.expect_error(401, "invalid or missing api key");
    assert!(!edge.process.log().contains("key-of-live"));
}

#[tokio::test]
async fn an_edge_does_not_start_with_files_that_are_wrong() {
    for (arguments, file, told) in [
        (
            &[][..],
            "flags: [a]",
            "flags.yaml:1:8: flags must be a map by key",
        ),
        (
            &["--env", "other"],
            FLAGS,
            "no environment other; there are: live",
        ),
        (
            &[],
            "flags: {a: {environments: {x: {}, y: {}}}}",
            "say which environment by --env: x, y",
        ),
        (&[], "flags: {}", "the files name no environment"),
    ] {
        let edge = FilesEdge::new(
            "flags.yaml",
            arguments,
            &[
                ("EDGE_HTTP_ADDR", "127.0.0.1:0"),
                ("EDGE_ADMIN_ADDR", "127.0.0.1:0"),
            ],
        );
        edge.write("flags.yaml", file);
        let path = edge.folder().join("flags.yaml");
        let path = path.to_string_lossy();
        let (code, output) = edge
            .process
            .ends(&[&["--flags", &*path], arguments].concat());
        assert_eq!(code, 1, "{output}");
        assert!(output.contains(told), "{output}");
    }
}

#[tokio::test]
async fn what_is_asked_is_counted_in_metrics_and_in_a_file() {
    let mut edge = FilesEdge::new("flags.yaml", &[], &[]);
    let usage = edge.folder().join("usage.jsonl");
    edge.process
        .set("EDGE_FLAGS_USAGE", &usage.to_string_lossy());
    edge.write("flags.yaml", FLAGS);
    edge.start().await;
    for _ in 0..3 {
        value(&edge, "beta").await;
    }
    for number in 0..5 {
        value(&edge, &format!("made-up-{number}")).await;
    }
    let shown = json!({"flag_key": "beta", "variant_key": "a", "user_key": "user-1"});
    edge.caller()
        .post("/v1/track", shown)
        .await
        .expect_status(204);
    eventually("counts are in the metrics", || async {
        let text = metrics(&edge).await;
        let of_flag =
            r#"halyard_edge_flag_evaluations_total{flag="beta",reason="FALLTHROUGH",variant=""} 3"#;
        let of_others =
            r#"halyard_edge_flag_evaluations_total{flag="",reason="NOT_FOUND",variant=""} 5"#;
        let all = [of_flag, of_others, "halyard_edge_impressions_total 1"];
        all.iter().all(|line| text.contains(line)).then_some(())
    })
    .await;
    edge.process.terminate();
    let text = fs::read_to_string(usage).expect("the file of usage");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    let counted = |flag: &str| -> u64 {
        let of_flag = lines.iter().filter(|line| line["flag"] == flag);
        of_flag.filter_map(|line| line["count"].as_u64()).sum()
    };
    assert_eq!((counted("beta"), counted("made-up-3")), (3, 1));
    assert!(
        lines
            .iter()
            .any(|line| line["user"] == "user-1" && line["variant"] == "a")
    );
}

#[tokio::test]
async fn what_files_schedule_happens_at_its_time() {
    let due = time::OffsetDateTime::now_utc() + Duration::from_secs(3);
    let due = due
        .format(&time::format_description::well_known::Rfc3339)
        .expect("a time");
    let file = format!(
        "flags:\n  sale:\n    environments:\n      live: {{scheduled_enable_at: \"{due}\", default_value: true}}\n"
    );
    let mut edge = FilesEdge::new("flags.yaml", &[], &[]);
    edge.write("flags.yaml", &file);
    edge.start().await;
    assert_eq!(value(&edge, "sale").await, false);
    eventually("the flag is on", || async {
        (value(&edge, "sale").await == true).then_some(())
    })
    .await;
}
