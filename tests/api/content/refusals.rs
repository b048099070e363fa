//! What refuses a change of definitions, and that nothing of it is done then.

use harness::Setup;
use serde_json::{Value, json};

use super::{path, with_content};

/// The refusal of these problems.
fn problems(problems: &[(&str, &str)]) -> Value {
    let (place, message) = problems[0];
    let listed: Vec<_> = problems
        .iter()
        .map(|(place, message)| json!({"place": place, "message": message}))
        .collect();
    json!({"error": format!("{place}: {message}"), "problems": listed})
}

#[tokio::test]
async fn all_that_is_wrong_is_told_at_once_with_its_place() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    let before = app.contents().await;
    let body = json!({
        "environments": [{"slug": "dev", "color": "red"}, {"name": "Nameless"}, {"slug": "No Slug", "name": "N"}],
        "segments": [{"key": "beta", "rules": null}, {"key": "new"}],
        "flags": [
            {"key": "checkout", "flag_type": "boolean"},
            {"key": "base", "name": "", "states": {"dev": {"default_value": "x"}, "no": {}}},
            {"key": "fine", "name": "Fine", "states": {"dev": {"enabled": true}}},
            {"key": "fine", "name": "Fine"},
            {"key": "gone", "name": "Other", "states": {"dev": {"enabled": false}}},
            {"key": "new", "flag_type": "number", "states": {"dev": {"rules": [{"value": true}]}}},
            {"key": "test"},
        ],
        "remove": {"flags": ["test"]},
    });
    let refused = owner.post(&path(&project.id), body).await;
    refused.expect(
        400,
        problems(&[
            (
                "environments.dev.color",
                "color must be '#' and 6 hex digits",
            ),
            ("environments[1]", "slug is required"),
            (
                "environments.No%20Slug.slug",
                "slug must start with a lower-case letter or digit and have at most 100 of these, '_' or '-'",
            ),
            ("segments.beta.rules", "rules must not be null"),
            ("segments.new.name", "name and rules are required"),
            (
                "flags.checkout.flag_type",
                "flag_type cannot be changed: it is string",
            ),
            ("flags.base.name", "name is required"),
            (
                "flags.base.states.dev.default_value",
                "default_value must be a boolean",
            ),
            ("flags.base.states.no", "environment not found"),
            ("flags.fine", "it is listed twice"),
            ("flags.gone", "flag is archived; restore it first"),
            (
                "flags.gone.states.dev",
                "flag is archived; restore it first",
            ),
            ("flags.new.name", "name is required"),
            (
                "flags.new.states.dev.rules",
                "rules[0].value must be a number",
            ),
            ("flags.test", "it is to be removed too"),
        ]),
    );
    assert_eq!(app.contents().await, before);
}

#[tokio::test]
async fn a_hundred_problems_are_told() {
    let Setup {
        app: _app,
        owner,
        project,
    } = Setup::new().await;
    let flags = vec![json!({"name": "F"}); 150];
    let refused = owner
        .post(&path(&project.id), json!({"flags": flags}))
        .await;
    refused.expect_status(400);
    assert_eq!(refused.body["error"], "flags[0]: key is required");
    assert_eq!(refused.body["problems"].as_array().unwrap().len(), 100);
}

#[tokio::test]
async fn a_cycle_of_all_prerequisites_together_is_400() {
    let Setup {
        app: _app,
        owner,
        project,
    } = with_content().await;
    let path = path(&project.id);
    // `checkout` requires `base` already.
    let body = json!({"flags": [
        {"key": "base", "prerequisites": ["between"]},
        {"key": "between", "name": "Between", "prerequisites": ["checkout"]},
    ]});
    let refused = owner.post(&path, body).await;
    let message = "prerequisites must not form a cycle";
    refused.expect(
        400,
        problems(&[
            ("flags.base.prerequisites", message),
            ("flags.between.prerequisites", message),
        ]),
    );
    // Whatever the order, it counts where it ends.
    let body = json!({"flags": [
        {"key": "base", "prerequisites": ["between"]},
        {"key": "between", "name": "Between", "prerequisites": ["checkout"]},
        {"key": "checkout", "prerequisites": []},
    ]});
    owner.act(&path, body).await;
}

#[tokio::test]
async fn one_thing_that_is_refused_leaves_all_undone() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    let before = app.contents().await;
    let body = json!({
        "environments": [{"slug": "dev", "name": "D"}],
        "segments": [{"key": "s", "name": "S", "rules": []}],
        "flags": [{"key": "f", "name": "F", "states": {"dev": {"enabled": true}}}],
        "remove": {"flags": ["base"]},
    });
    let refused = owner.post(&path(&project.id), body).await;
    let message =
        "flag is switched on in dev: archive it, which can be undone, or switch it off there first";
    refused.expect_error(409, message);
    assert_eq!(app.contents().await, before);
}

#[tokio::test]
async fn a_flag_that_the_same_call_switches_off_is_removed_with_its_segment() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    app.set_plan(&owner, "enterprise").await;
    // What is on in an environment that goes is on nowhere.
    let body = json!({"remove": {"flags": ["base", "checkout"], "segments": ["beta"], "environments": ["dev"]}});
    let done = owner.act(&path(&project.id), body).await;
    let removed = json!({"environments": 1, "segments": 1, "flags": 2, "states": 0});
    assert_eq!(done.body["removed"], removed);
}

#[tokio::test]
async fn a_protected_environment_is_not_removed() {
    let Setup {
        app: _app,
        owner,
        project,
    } = Setup::new().await;
    let production = format!("/v1/projects/{}/environments/production", project.id);
    owner.change(&production, json!({"protected": true})).await;
    let body = json!({"remove": {"environments": ["production"]}});
    let refused = owner.post(&path(&project.id), body).await;
    refused.expect(
        403,
        json!({
            "error": "environment_protected",
            "message": "the environment is protected; set protected to false first",
            "environments": [{"id": project.production, "slug": "production", "protected": true}],
        }),
    );
}

#[tokio::test]
async fn a_bad_parameter_header_or_comment_is_400() {
    let Setup {
        app: _app,
        owner,
        project,
    } = Setup::new().await;
    let path = path(&project.id);
    let refused = owner.post(&format!("{path}?dry_run=1"), json!({})).await;
    refused.expect_error(400, "dry_run must be true or false");
    let refused = owner.post(&format!("{path}?dryrun=true"), json!({})).await;
    refused.expect_error(400, "unknown query parameter dryrun; did you mean dry_run?");
    let refused = owner.post(&path, json!({"comment": "a\nb"})).await;
    refused.expect_error(
        400,
        "comment must be one line without control characters and characters that change the direction of text",
    );
    let refused = owner.post(&path, json!({"flags": {}})).await;
    refused.expect_error(400, "flags must be a list");
}

#[tokio::test]
async fn strict_handling_is_refused_by_warnings() {
    let Setup {
        app: _app,
        owner,
        project,
    } = Setup::new().await;
    let body = json!({"flags": [{"key": "f", "name": "F", "prerequisites": ["no"]}]});
    let path = path(&project.id);
    let request = owner.request(reqwest::Method::POST, &path);
    let request = request.header("prefer", "handling=strict").json(&body);
    let refused = owner.send(request).await;
    let warning = json!([{"place": "flags.f.prerequisites", "message": "no flag has the key no"}]);
    let error = "flags.f.prerequisites: no flag has the key no";
    refused.expect(400, json!({"error": error, "warnings": warning}));
}
