//! All other fields that nothing reads are named in `X-Ignored-Fields`.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Map, Value, json};

use super::{Setup, ignored};

#[tokio::test]
async fn a_field_that_nothing_reads_is_named_in_the_answer() {
    let setup = Setup::new().await;
    let flags = format!("{}/flags", setup.path);
    let body = json!({"key": "g", "name": "G", "flagType": "string", "default": {"deep": 1}});
    let made = setup.owner.create(&flags, body).await;
    assert_eq!(ignored(&made), Some("default,flagType"));

    let changed = setup
        .owner
        .change(&setup.state(), json!({"enable": true}))
        .await;
    assert_eq!(ignored(&changed), Some("enable"));

    let payload = json!({"enabled": true, "rule": []});
    let asked = setup
        .owner
        .create("/v1/approvals", setup.asking(&payload))
        .await;
    assert_eq!(asked.body["payload"], payload);
    assert_eq!(ignored(&asked), Some("payload.rule"));

    let asked = setup.question(&json!({"rule": []}));
    let told = setup.owner.act("/v1/explain", asked).await;
    assert_eq!(ignored(&told), Some("state.rule"));
}

#[tokio::test]
async fn a_refusal_names_what_may_have_been_misspelt() {
    let setup = Setup::new().await;
    let flags = format!("{}/flags", setup.path);
    let refused = setup
        .owner
        .post(&flags, json!({"key": "g", "nmae": "G"}))
        .await;
    refused.expect_error(400, "name is required");
    assert_eq!(ignored(&refused), Some("nmae"));
}

#[tokio::test]
async fn an_answer_to_what_was_read_whole_has_no_such_header() {
    let setup = Setup::new().await;
    let state = json!({"enabled": true, "rules": [{"value": true}], "percentage_rollout": 5_000});
    let changed = setup.owner.change(&setup.state(), state).await;
    assert_eq!(ignored(&changed), None);
}

#[tokio::test]
async fn what_was_shown_may_be_sent_back() {
    let setup = Setup::new().await;
    let (owner, path) = (&setup.owner, &setup.path);
    let segment = json!({"key": "s", "name": "S", "rules": []});
    owner.create(&format!("{path}/segments"), segment).await;
    let stored = owner.change(&setup.state(), json!({"enabled": true})).await;
    for shown in [
        path.clone(),
        format!("{path}/flags/f"),
        format!("{path}/segments/s"),
        format!("{path}/environments/{}", setup.project.dev),
        setup.state(),
    ] {
        let read = owner.get(&shown).await;
        let written = owner.change(&shown, read.body.clone()).await;
        assert_eq!(ignored(&written), None, "{shown}");
    }
    // As a draft too; and what is shown of something else is named.
    let draft = setup.question(&stored.body);
    assert_eq!(ignored(&owner.post("/v1/explain", draft).await), None);
    let asked = owner
        .create("/v1/approvals", setup.asking(&stored.body))
        .await;
    assert_eq!(ignored(&asked), None);
    let kill = json!({"env_id": setup.project.dev, "enabled": false});
    let killed = owner.act(&format!("{path}/flags/f/kill"), kill).await;
    assert_eq!(ignored(&killed), Some("enabled"));
}

#[tokio::test]
async fn parameters_that_nothing_reads_are_named_with_a_question_mark() {
    let setup = Setup::new().await;
    let (owner, flags) = (&setup.owner, format!("{}/flags", setup.path));
    for (query, named) in [
        ("limit=5&offset=0", None),
        ("limt=5", Some("?limt")),
        (
            "Limit=5&limit=&a%20b=1&limt&limt",
            Some("?Limit,?a%20b,?limt"),
        ),
        ("wait=edges", Some("?wait")),
        ("", None),
    ] {
        let listed = owner.get(&format!("{flags}?{query}")).await;
        listed.expect_status(200);
        assert_eq!(ignored(&listed), named, "{query}");
    }
    let state = format!("{}?wait=edges&wiat=edges", setup.state());
    let refused = owner.put(&state, json!({"enable": true})).await;
    refused.expect_error(400, "unknown query parameter wiat; did you mean wait?");
    assert_eq!(ignored(&refused), Some("?wiat"));
    let unknown = owner.get("/v1/nothing-here?limt=5").await;
    unknown.expect_error(404, "not found");
    assert_eq!(ignored(&unknown), None);
}

#[tokio::test]
async fn at_most_20_names_of_bounded_length_are_told_in_visible_ascii() {
    let setup = Setup::new().await;
    let many: Map<String, Value> = (100..200).map(|n| (format!("x{n}"), json!(n))).collect();
    let changed = setup
        .owner
        .change(&setup.state(), Value::Object(many))
        .await;
    let first: Vec<_> = (100..120).map(|n| format!("x{n}")).collect();
    assert_eq!(ignored(&changed), Some(first.join(",").as_str()));

    let hostile = json!({"a,b\r\nX-Injected: 1": 1, "é\u{202e}": 1, "y".repeat(200_000): 1});
    let changed = setup.owner.change(&setup.state(), hostile).await;
    let long = "y".repeat(100);
    let named = format!("a%2Cb%0D%0AX-Injected:%201,{long}...,%C3%A9%E2%80%AE");
    assert_eq!(ignored(&changed), Some(named.as_str()));
    assert!(!changed.headers.contains_key("x-injected"));
}

#[tokio::test]
async fn a_body_of_nothing_but_unknown_fields_is_read_to_its_end() {
    let setup = Setup::new().await;
    let field = "\"x\":1,";
    let fields = field.repeat((1 << 20) / field.len() - 10);
    let request = setup.owner.request(Method::PUT, &setup.state());
    let request = request
        .header(CONTENT_TYPE, "application/json")
        .body(format!("{{{fields}\"enabled\":true}}"));
    let changed = setup.owner.send(request).await;
    changed.expect_status(200);
    assert_eq!(changed.body["enabled"], true);
    assert_eq!(ignored(&changed), Some("x"));
}

#[tokio::test]
async fn sdks_and_identity_providers_are_told_nothing() {
    let setup = Setup::new().await;
    let key = setup.owner.api_key(&setup.project.dev).await;
    let sdk = setup.app.anonymous().with_key(&key);
    let asked = json!({"flag_key": "f", "context": {"key": "u"}, "more": 1});
    let answered = sdk.act("/v1/evaluate?x=1", asked).await;
    assert_eq!(ignored(&answered), None);

    let provider = setup.app.identity_provider(&setup.owner).await;
    let mut user = harness::scim::user("ada@acme.test");
    user["department"] = json!("sales");
    let made = provider
        .send_scim(Method::POST, "/v1/scim/Users?x=1", &user)
        .await;
    made.expect_status(201);
    assert_eq!(ignored(&made), None);
}
