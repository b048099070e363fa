//! Messages for chat tools, against the rules that those publish for incoming webhooks.

use serde_json::{Value, json};

use super::{DASHBOARD, Scene};

/// Slack: a text is required; 40,000 characters are the most that are not cut.
fn of_slack() -> Value {
    json!({
        "type": "object",
        "required": ["text"],
        "properties": {"text": {"type": "string", "minLength": 1, "maxLength": 40_000}},
        "additionalProperties": false,
    })
}

/// Discord: a message has some content, up to 2,000 characters.
fn of_discord() -> Value {
    json!({
        "type": "object",
        "required": ["content", "allowed_mentions"],
        "properties": {
            "content": {"type": "string", "minLength": 1, "maxLength": 2_000},
            "allowed_mentions": {
                "type": "object",
                "properties": {"parse": {"type": "array", "items": {"enum": ["roles", "users", "everyone"]}, "maxItems": 0}},
                "required": ["parse"],
                "additionalProperties": false,
            },
        },
        "additionalProperties": false,
    })
}

/// Teams: a message with one adaptive card.
fn of_teams() -> Value {
    let card = json!({
        "type": "object",
        "required": ["$schema", "type", "version", "body"],
        "properties": {
            "$schema": {"const": "http://adaptivecards.io/schemas/adaptive-card.json"},
            "type": {"const": "AdaptiveCard"},
            "version": {"enum": ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5"]},
            "body": {"type": "array", "minItems": 1, "items": {
                "type": "object",
                "required": ["type", "text"],
                "properties": {"type": {"const": "TextBlock"}, "text": {"type": "string"}, "wrap": {"type": "boolean"}},
                "additionalProperties": false,
            }},
            "actions": {"type": "array", "maxItems": 6, "items": {
                "type": "object",
                "required": ["type", "url"],
                "properties": {
                    "type": {"const": "Action.OpenUrl"}, "title": {"type": "string"}, "url": {"type": "string", "pattern": "^https?://"},
                },
                "additionalProperties": false,
            }},
        },
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "required": ["type", "attachments"],
        "properties": {
            "type": {"const": "message"},
            "attachments": {"type": "array", "minItems": 1, "maxItems": 1, "items": {
                "type": "object",
                "required": ["contentType", "content"],
                "properties": {
                    "contentType": {"const": "application/vnd.microsoft.card.adaptive"},
                    "contentUrl": {"type": "null"},
                    "content": card,
                },
                "additionalProperties": false,
            }},
        },
        "additionalProperties": false,
    })
}

/// The one text of a message.
fn text<'a>(format: &str, message: &'a Value) -> &'a str {
    let path = match format {
        "slack" => "/text",
        "discord" => "/content",
        _ => "/attachments/0/content/body/0/text",
    };
    message.pointer(path).unwrap().as_str().unwrap()
}

impl Scene {
    /// A webhook for each tool.
    async fn for_all_tools(&self) {
        for format in ["slack", "discord", "teams"] {
            let more = json!({"format": format, "secret": "s3cret"});
            self.webhook(&format!("/{format}"), more).await;
        }
    }

    /// The messages of a tool, each of which it accepts.
    fn accepted(&self, format: &str) -> Vec<Value> {
        let schema = match format {
            "slack" => of_slack(),
            "discord" => of_discord(),
            _ => of_teams(),
        };
        let schema = jsonschema::validator_for(&schema).unwrap();
        let messages = self.bodies(&format!("/{format}"));
        for message in &messages {
            let errors: Vec<_> = schema
                .iter_errors(message)
                .map(|error| error.to_string())
                .collect();
            assert!(errors.is_empty(), "{format}: {errors:?} {message:#}");
            assert!(message.to_string().len() < 28 * 1024);
        }
        messages
    }
}

#[tokio::test]
async fn a_switch_is_one_sentence_and_a_link() {
    let scene = Scene::set().await;
    scene.for_all_tools().await;
    scene.toggle(true).await;
    scene.settle().await;
    let url = format!("{DASHBOARD}/p/default/flags/checkout?env=dev");
    let text_of = |format: &str| {
        let messages = scene.accepted(format);
        assert_eq!(messages.len(), 1);
        text(format, &messages[0]).to_owned()
    };
    assert_eq!(
        text_of("slack"),
        format!("Owner switched *checkout* on in Development of Default Project <{url}|Open>")
    );
    assert_eq!(
        text_of("discord"),
        format!("Owner switched **checkout** on in Development of Default Project [Open](<{url}>)")
    );
    assert_eq!(
        text_of("teams"),
        "Owner switched **checkout** on in Development of Default Project"
    );
    let card = &scene.accepted("teams")[0]["attachments"][0]["content"];
    assert_eq!(
        card["actions"],
        json!([{"type": "Action.OpenUrl", "title": "Open", "url": url}])
    );
    assert!(
        scene
            .receiver
            .received()
            .iter()
            .all(|one| one.is_signed_with("s3cret"))
    );
}

#[tokio::test]
async fn each_tool_accepts_every_event() {
    let scene = Scene::set().await;
    scene.for_all_tools().await;
    let owner = &scene.owner;
    let reviewer = scene.app.member(owner, "admin").await;
    scene.toggle(true).await;
    let body = json!({"flag_id": scene.flag_id, "env_id": scene.dev, "change_type": "disable"});
    for action in ["reject", "approve"] {
        let approval = owner.create("/v1/approvals", body.clone()).await;
        let path = format!("/v1/approvals/{}/review", approval.text("/id"));
        reviewer.act(&path, json!({"action": action})).await;
    }
    let flag = format!("{}/checkout", scene.flags);
    owner.change(&flag, json!({"name": "Big"})).await;
    let promotion = json!({"source_env_id": scene.dev, "target_env_id": scene.staging});
    owner.act(&format!("{flag}/promote"), promotion).await;
    scene.toggle(true).await;
    owner
        .act(&format!("{flag}/kill"), json!({"env_id": scene.dev}))
        .await;
    let archive = format!("{flag}/archive");
    owner.post(&archive, Value::Null).await.expect_status(204);
    owner.remove(&flag).await;
    let segments = format!("/v1/projects/{}/segments", scene.project);
    owner
        .create(
            &segments,
            json!({"key": "beta", "name": "Beta", "rules": []}),
        )
        .await;
    let keys = format!("/v1/environments/{}/api-keys", scene.dev);
    owner
        .create(&keys, json!({"name": "SDK", "type": "server"}))
        .await;
    owner
        .change(
            &format!("/v1/projects/{}", scene.project),
            json!({"name": "Shop"}),
        )
        .await;
    scene.settle().await;
    for format in ["discord", "teams"] {
        scene.accepted(format);
    }
    let texts: Vec<_> = scene
        .accepted("slack")
        .iter()
        .map(|message| {
            text("slack", message)
                .split(" <http")
                .next()
                .unwrap()
                .to_owned()
        })
        .collect();
    let expected = [
        "Owner invited a member",
        "Owner switched *checkout* on in Development of Default Project",
        "Owner asked for approval of a change of *checkout* in Development of Default Project",
        "admin rejected a change of *checkout* in Development of Default Project",
        "Owner asked for approval of a change of *checkout* in Development of Default Project",
        "admin applied an approved change of *checkout* in Development of Default Project",
        "Owner changed the flag *checkout* in Default Project",
        "Owner promoted *checkout* to Staging of Default Project",
        "Owner switched *checkout* on in Development of Default Project",
        "Owner killed *checkout* in Development of Default Project",
        "Owner archived the flag *checkout* in Default Project",
        "Owner deleted the flag *checkout* in Default Project",
        "Owner created the segment *beta* in Default Project",
        "Owner created the API key *SDK* in Development of Default Project",
        "Owner changed the project *Shop*",
    ];
    let missing: Vec<_> = expected
        .iter()
        .filter(|one| !texts.iter().any(|text| text == *one))
        .collect();
    assert!(missing.is_empty(), "{missing:#?} in {texts:#?}");
}

#[tokio::test]
async fn names_cannot_format_mention_or_lengthen_a_message() {
    let scene = Scene::set().await;
    scene.for_all_tools().await;
    let name = format!(
        "<!channel> @everyone & **[x](https://evil.test)** {}",
        "_".repeat(190)
    );
    let project = format!("/v1/projects/{}", scene.project);
    scene.owner.change(&project, json!({"name": name})).await;
    let env = format!("{project}/environments/{}", scene.dev);
    scene.owner.change(&env, json!({"name": name})).await;
    scene.toggle(true).await;
    scene.settle().await;
    let last = |format: &str| text(format, scene.accepted(format).last().unwrap()).to_owned();
    let slack = last("slack");
    assert!(
        slack.contains("&lt;!channel&gt; @everyone &amp; "),
        "{slack}"
    );
    assert_eq!(slack.matches('<').count(), 1, "{slack}");
    for format in ["discord", "teams"] {
        let shown = last(format);
        assert!(
            shown.contains(r"\<\!channel\> \@everyone \& \*\*\[x\]\(https\://evil.test\)\*\* \_"),
            "{shown}"
        );
    }
}

#[tokio::test]
async fn a_test_message_says_that_it_is_one() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/slack", json!({"format": "slack"})).await;
    scene.test(&webhook).await;
    scene.settle().await;
    let messages = scene.accepted("slack");
    let expected = format!("This is a test of the webhook *Chat* <{DASHBOARD}/|Open>");
    assert_eq!(text("slack", &messages[0]), expected);
}
