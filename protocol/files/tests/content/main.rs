//! What is rendered is what is read.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod any;
mod vectors;

use files::{
    Problem,
    content::{Content, Format, State, render},
    project::Project,
    tree::File,
};
use proptest::prelude::*;
use serde_json::json;
use time::{OffsetDateTime, macros::datetime};

const NOW: OffsetDateTime = datetime!(2026-01-02 03:04:05 UTC);

fn read(files: &[File]) -> Result<Project, Vec<Problem>> {
    Project::of_files(files, NOW)
}

fn state(fields: serde_json::Value) -> State {
    let mut state: State = serde_json::from_value(fields).unwrap();
    state.complete();
    state
}

proptest! {
    #[test]
    fn every_content_is_read_back_from_its_files(content in any::content()) {
        for format in [Format::Yaml, Format::Json] {
            let files = render(&content, format);
            let project = read(&files).unwrap();
            let again = Content::from(&project);
            prop_assert_eq!(&again, &content);
            prop_assert_eq!(render(&again, format), files);
        }
    }
}

#[test]
fn files_say_what_matters_in_a_fixed_order() {
    let flag = json!({
        "key": "newCheckout", "name": "New checkout", "flag_type": "boolean", "default_value": false, "tags": ["web"],
        "states": {"production": {"enabled": true, "percentage_rollout": 2500, "rules": [
            {"id": "r1", "priority": 0, "percentage": 10000, "match_type": "all", "value": true,
             "conditions": [{"attribute": "country", "operator": "in", "values": ["NL", "DE"]}]},
            {"id": "r2", "priority": 7, "segment_keys": ["beta"], "percentage": 50}]},
            "dev": {"enabled": false}}
    });
    let environment = |slug: &str, protected: bool| json!({"slug": slug, "name": slug, "color": "#6B7280", "protected": protected, "required_approvals": 1});
    let mut content = Content {
        environments: [environment("dev", false), environment("production", true)]
            .map(|one| serde_json::from_value(one).unwrap())
            .into(),
        ..Content::default()
    };
    content.flags.insert(
        "newCheckout".to_owned(),
        serde_json::from_value(flag).unwrap(),
    );
    let files = render(&content, Format::Yaml);
    assert_eq!(
        files[0].text,
        "- slug: dev\n- slug: production\n  protected: true\n"
    );
    assert_eq!(files[1].name, "flags/newCheckout~8.yaml");
    assert_eq!(
        files[1].text,
        "\
key: newCheckout
name: New checkout
flag_type: boolean
tags: [web]
environments:
  dev:
    enabled: false
  production:
    enabled: true
    rules:
      - id: r1
        conditions:
          - attribute: country
            operator: in
            values: [NL, DE]
        value: true
      - id: r2
        priority: 7
        segment_keys: [beta]
        percentage: 50
    percentage_rollout: 2500
"
    );
}

#[test]
fn rules_without_an_id_take_those_of_equal_rules_at_their_places() {
    let stored = state(
        json!({"rules": [{"id": "a", "value": 1.0}, {"id": "b", "percentage": 5}, {"id": "c"}]}),
    );
    let mut written = state(json!({"rules": [{"value": 1}, {"percentage": 6}, {}, {}]}));
    written.adopt_ids(&stored.rules);
    let ids: Vec<_> = written.rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids, ["a", "", "c", ""]);
    let mut taken = state(json!({"rules": [{}, {"id": "a"}]}));
    taken.adopt_ids(&state(json!({"rules": [{"id": "a"}]})).rules);
    assert_eq!(taken.rules[0].id, "");
}

#[test]
fn what_was_scheduled_has_happened_once_its_time_is_over() {
    let at = |enable: &str, disable: &str| {
        let state = state(json!({"scheduled_enable_at": enable, "scheduled_disable_at": disable}));
        let state = state.at(NOW);
        let left = [state.scheduled_enable_at, state.scheduled_disable_at];
        (state.enabled, left.map(|at| at.is_some()))
    };
    let [past, earlier, ahead] = [
        "2026-01-02T00:00:00Z",
        "2026-01-01T00:00:00Z",
        "2026-01-03T00:00:00Z",
    ];
    assert_eq!(at(past, ahead), (true, [false, true]));
    assert_eq!(at(earlier, past), (false, [false, false]));
    assert_eq!(at(past, earlier), (true, [false, false]));
    assert_eq!(at(past, past), (false, [false, false]));
    assert_eq!(at(ahead, ahead), (false, [true, true]));
}
