//! A project as files in their one form: the fields of the API in a fixed order, without what means nothing.

use definition::environments::model::Color;
use protocol::rule::{Condition, TargetingRule, Variant};
use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{Content, Environment, Flag, Segment, State};
use crate::{
    Node,
    tree::{File, file_name},
    write::{to_json, to_yaml},
};

/// How files are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// YAML, which has comments.
    #[default]
    Yaml,
    /// JSON.
    Json,
}

impl Format {
    /// The ending of names, without the dot.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Yaml => "yaml",
            Self::Json => "json",
        }
    }

    /// A text of the data.
    pub fn text(self, node: &Node) -> String {
        match self {
            Self::Yaml => to_yaml(node),
            Self::Json => to_json(node),
        }
    }
}

/// The files of a project: the list of environments, and one for each segment and each flag. The same content has the same bytes,
/// and [`crate::project::Project`] reads the same content from them.
pub fn render(content: &Content, format: Format) -> Vec<File> {
    let file = |name: String, node: &Node| File {
        name: format!("{name}.{}", format.ending()),
        text: format.text(node),
    };
    let slugs = content.slugs();
    let listed = file(
        "environments".to_owned(),
        &environments(&content.environments),
    );
    let segments = content.segments.iter();
    let segments =
        segments.map(|(key, one)| file(format!("segments/{}", file_name(key)), &segment(one)));
    let flags = content.flags.iter();
    let flags =
        flags.map(|(key, one)| file(format!("flags/{}", file_name(key)), &flag(one, &slugs)));
    std::iter::once(listed)
        .chain(segments)
        .chain(flags)
        .collect()
}

/// Fields in their order, without those that say nothing.
#[derive(Default)]
struct Fields(Vec<(String, Node)>);

impl Fields {
    fn put(&mut self, name: &str, value: impl Into<Node>) {
        self.0.push((name.to_owned(), value.into()));
    }

    fn put_unless(&mut self, is_default: bool, name: &str, value: impl Into<Node>) {
        if !is_default {
            self.put(name, value);
        }
    }

    fn text(&mut self, name: &str, value: &str, default: &str) {
        self.put_unless(value == default, name, Value::from(value));
    }

    fn list(&mut self, name: &str, value: &[String]) {
        self.put_unless(value.is_empty(), name, Value::from(value));
    }

    fn nodes<T>(&mut self, name: &str, list: &[T], node: impl Fn(usize, &T) -> Node) {
        let nodes = list.iter().enumerate().map(|(place, one)| node(place, one));
        self.put_unless(list.is_empty(), name, Node::List(nodes.collect()));
    }

    fn time(&mut self, name: &str, at: Option<OffsetDateTime>) {
        if let Some(text) = at.and_then(|at| at.format(&Rfc3339).ok()) {
            self.put(name, Value::from(text));
        }
    }

    fn done(self) -> Node {
        Node::Map(self.0)
    }
}

/// The list of environments.
pub fn environments(list: &[Environment]) -> Node {
    let one = |one: &Environment| {
        let mut fields = Fields::default();
        fields.put("slug", Value::from(one.slug.as_str()));
        fields.text("name", &one.name, &one.slug);
        fields.text("color", &one.color, Color::default().as_str());
        fields.put_unless(!one.protected, "protected", Value::from(one.protected));
        let approvals = one.required_approvals;
        fields.put_unless(approvals == 1, "required_approvals", Value::from(approvals));
        fields.done()
    };
    Node::List(list.iter().map(one).collect())
}

/// A segment.
pub fn segment(segment: &Segment) -> Node {
    let mut fields = Fields::default();
    key(&mut fields, &segment.key);
    fields.text("name", &segment.name, &segment.key);
    fields.text("description", &segment.description, "");
    fields.text("match_type", &segment.match_type, "all");
    let rules = segment.rules.iter().map(condition).collect();
    fields.put("rules", Node::List(rules));
    fields.done()
}

/// A flag with its states, in this order of environments; states of others come last.
pub fn flag(flag: &Flag, slugs: &[&str]) -> Node {
    let mut fields = Fields::default();
    key(&mut fields, &flag.key);
    fields.text("name", &flag.name, &flag.key);
    fields.text("description", &flag.description, "");
    fields.put("flag_type", Value::from(flag.flag_type.as_str()));
    let is_default = flag.default_value == flag.flag_type.default_value();
    fields.put_unless(is_default, "default_value", flag.default_value.clone());
    fields.list("tags", &flag.tags);
    fields.list("prerequisites", &flag.prerequisites);
    fields.text("mutual_exclusion_group", &flag.mutual_exclusion_group, "");
    fields.put_unless(!flag.permanent, "permanent", Value::from(true));
    fields.put_unless(!flag.archived, "archived", Value::from(true));
    let known = slugs
        .iter()
        .filter_map(|slug| flag.states.get_key_value(*slug));
    let others = flag.states.iter();
    let others = others.filter(|(slug, _)| !slugs.contains(&slug.as_str()));
    let states = known.chain(others);
    let states: Vec<_> = states
        .map(|(slug, one)| (slug.clone(), state(one)))
        .collect();
    fields.put_unless(states.is_empty(), "environments", Node::Map(states));
    fields.done()
}

/// The key, where the name of the file does not say it.
fn key(fields: &mut Fields, key: &str) {
    fields.put_unless(file_name(key) == key, "key", Value::from(key));
}

fn state(state: &State) -> Node {
    let mut fields = Fields::default();
    fields.put("enabled", Value::from(state.enabled));
    if let Some(value) = &state.default_value {
        fields.put("default_value", value.clone());
    }
    fields.nodes("rules", &state.rules, rule);
    if let Some(points) = state.percentage_rollout {
        fields.put("percentage_rollout", Value::from(points));
    }
    fields.nodes("variants", &state.variants, |_, one| variant(one));
    if let Some(bucketing) = &state.bucketing {
        fields.put("bucketing", Node::of(bucketing).unwrap_or(Node::Null));
    }
    fields.time("scheduled_enable_at", state.scheduled_enable_at);
    fields.time("scheduled_disable_at", state.scheduled_disable_at);
    fields.done()
}

fn rule(place: usize, rule: &TargetingRule) -> Node {
    let mut fields = Fields::default();
    fields.text("id", &rule.id, "");
    let is_place = rule.priority == i64::try_from(place).ok();
    if let Some(priority) = rule.priority.filter(|_| !is_place) {
        fields.put("priority", Value::from(priority));
    }
    fields.text("description", &rule.description, "");
    fields.text("match_type", &rule.match_type, "all");
    fields.nodes("conditions", &rule.conditions, |_, one| condition(one));
    fields.list("segment_keys", &rule.segment_keys);
    let percentage = rule.percentage;
    fields.put_unless(percentage == 10_000, "percentage", Value::from(percentage));
    if let Some(value) = &rule.value {
        fields.put("value", value.clone());
    }
    fields.done()
}

fn condition(condition: &Condition) -> Node {
    let mut fields = Fields::default();
    fields.put("attribute", Value::from(condition.attribute.as_str()));
    fields.put("operator", Value::from(condition.operator.as_str()));
    fields.list("values", &condition.values);
    fields.done()
}

fn variant(variant: &Variant) -> Node {
    let mut fields = Fields::default();
    fields.put("key", Value::from(variant.key.as_str()));
    fields.put_unless(variant.value.is_null(), "value", variant.value.clone());
    fields.put("weight", Value::from(variant.weight));
    fields.done()
}
