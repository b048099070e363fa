//! Events as messages of chat tools: one sentence and a link, in the form that each of them accepts.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{
    body::Names,
    model::{Format, TEST},
    store::lanes::Next,
};

/// Characters of a name.
const MAX_NAME: usize = 100;

/// Characters of a message to Discord, which refuses longer ones. Sentences are shorter, but not every link.
const MAX_DISCORD: usize = 2_000;

/// A part of a sentence.
enum Part {
    /// Words of our own.
    Words(Cow<'static, str>),
    /// A name that users chose.
    Name(String),
    /// The name of what the sentence is about.
    Subject(String),
}

/// The message, or `None` for a format that has none.
pub(super) fn of(format: Format, next: &Next, names: &Names<'_>, url: &str) -> Option<Value> {
    let parts = sentence(next, names);
    match format {
        Format::Json => None,
        Format::Slack => {
            let text = text(&parts, "*", slack);
            Some(json!({"text": format!("{text} <{}|Open>", slack(url))}))
        }
        Format::Discord => {
            let text = text(&parts, "**", markdown);
            let mut content = format!("{text} [Open](<{url}>)");
            if content.chars().count() > MAX_DISCORD {
                content = text;
            }
            Some(json!({"content": content, "allowed_mentions": {"parse": []}}))
        }
        Format::Teams => Some(card(&text(&parts, "**", markdown), url)),
    }
}

/// A message with an adaptive card.
fn card(text: &str, url: &str) -> Value {
    json!({
        "type": "message",
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "contentUrl": null,
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.4",
                "body": [{"type": "TextBlock", "text": text, "wrap": true}],
                "actions": [{"type": "Action.OpenUrl", "title": "Open", "url": url}],
            },
        }],
    })
}

fn text(parts: &[Part], bold: &str, escape: fn(&str) -> String) -> String {
    let shown = parts.iter().map(|part| match part {
        Part::Words(words) => words.to_string(),
        Part::Name(name) => escape(&short(name)),
        Part::Subject(name) => format!("{bold}{}{bold}", escape(&short(name))),
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// A name on one line, cut to its bound.
fn short(name: &str) -> String {
    let plain = |character: char| {
        if character.is_control() {
            ' '
        } else {
            character
        }
    };
    let mut short: String = name.chars().take(MAX_NAME).map(plain).collect();
    if name.chars().nth(MAX_NAME).is_some() {
        short.push('…');
    }
    short
}

/// Slack gives a meaning to three characters, and to pairs of others that do no harm.
fn slack(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Any punctuation of ASCII may be escaped in Markdown.
fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii_punctuation() && !matches!(character, '-' | '.' | ',' | '\'' | '/') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Such as: Ada switched checkout off in Production (Shop).
fn sentence(next: &Next, names: &Names<'_>) -> Vec<Part> {
    let resource = next.about.as_ref().map(|about| &about.resource);
    let key = resource.and_then(|resource| resource.key.as_deref());
    let name = resource.and_then(|resource| resource.name.as_deref());
    let subject = match resource.map(|resource| resource.kind.as_str()) {
        Some("flag" | "approval") | None => names.flag,
        Some("segment") => key,
        Some(_) => name.or(key),
    };
    let subject = subject.map(|name| Part::Subject(name.to_owned()));
    if next.event_type == TEST {
        let words = Part::Words("This is a test of the webhook".into());
        return [Some(words), subject].into_iter().flatten().collect();
    }
    if next.event_type == "member.joined" {
        let subject = subject.unwrap_or(Part::Words("A member".into()));
        return vec![subject, Part::Words("joined the organization".into())];
    }
    let actor = next.actor_name.as_deref();
    let actor = match actor {
        Some(name) => Part::Name(name.to_owned()),
        None => Part::Words("A member".into()),
    };
    let (before, after) = words(next);
    let after = after.filter(|_| subject.is_some());
    [Some(actor), Some(Part::Words(before)), subject]
        .into_iter()
        .flatten()
        .chain(after.map(|words| Part::Words(words.into())))
        .chain(place(next, names))
        .collect()
}

/// The words before the subject, and those after it.
fn words(next: &Next) -> (Cow<'static, str>, Option<&'static str>) {
    let plain = |words: &'static str| (Cow::Borrowed(words), None);
    let switched = |words: &'static str| (Cow::Borrowed("switched"), Some(words));
    match (next.event_type.as_str(), enabled(next)) {
        ("flag.killed", _) => plain("killed"),
        ("flag.updated" | "flag.scheduled_toggle", Some(true)) => switched("on"),
        ("flag.updated" | "flag.scheduled_toggle", Some(false)) => switched("off"),
        ("flag.promoted", _) => plain("promoted"),
        ("flag.approved_change_applied", _) => plain("applied an approved change of"),
        ("approval.created", _) => plain("asked for approval of a change of"),
        ("approval.approved", _) => plain("approved a change of"),
        ("approval.rejected", _) => plain("rejected a change of"),
        ("approval.withdrawn", _) => plain("withdrew the request for a change of"),
        ("change_set.requested", _) => plain("asked for approval of the change set"),
        ("change_set.failed", _) => plain("could not apply the change set"),
        ("member.invited", _) => plain("invited a member"),
        ("member.role_changed", _) => plain("changed the role of the member"),
        ("member.permissions_updated", _) => plain("changed the permissions of the member"),
        (event_type, _) => {
            let (kind, happened) = event_type
                .split_once('.')
                .unwrap_or((event_type, "changed"));
            let happened = if happened == "updated" {
                "changed"
            } else {
                happened
            };
            let [kind, happened] = [kind, happened].map(|word| word.replace('_', " "));
            (
                format!("{happened} the {}", kind.replace("api", "API")).into(),
                None,
            )
        }
    }
}

/// The new position of the switch, if nothing else changed.
fn enabled(next: &Next) -> Option<bool> {
    let about = next.about.as_ref()?;
    let only = |name: &String| name == "enabled" || name.starts_with("scheduled_");
    if !about.changed.iter().all(only) {
        return None;
    }
    next.after_values.as_ref()?.get("enabled")?.as_bool()
}

/// Environment and project, unless the sentence is about them.
fn place(next: &Next, names: &Names<'_>) -> Vec<Part> {
    let kind = next.event_type.split('.').next().unwrap_or_default();
    let env = next.env_name.as_deref().or(names.env);
    let project = next.project_name.as_deref().or(names.project);
    let preposition = if next.event_type == "flag.promoted" {
        "to"
    } else {
        "in"
    };
    let words = |words: &'static str| Part::Words(words.into());
    let name = |name: &str| Part::Name(name.to_owned());
    match (
        env.filter(|_| kind != "environment"),
        project.filter(|_| kind != "project"),
    ) {
        (Some(env), Some(project)) => {
            vec![words(preposition), name(env), words("of"), name(project)]
        }
        (Some(only), None) | (None, Some(only)) => vec![words(preposition), name(only)],
        (None, None) => Vec::new(),
    }
}
