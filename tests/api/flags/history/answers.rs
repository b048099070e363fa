//! What a state answers, it answers again once it is set back, and is explained as it was all the time: over generated states and
//! contexts.

use serde_json::{Value, json};

use super::Scene;

const STATES: usize = 16;
const CONTEXTS: usize = 40;

/// The same numbers in every run (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        let sides = u64::try_from(all.len()).unwrap();
        all[usize::try_from(self.roll(sides)).unwrap()].clone()
    }

    fn points(&mut self) -> u64 {
        self.roll(10_001)
    }

    fn condition(&mut self) -> Value {
        let plans = ["free", "pro", "team"];
        match self.roll(4) {
            0 => {
                json!({"attribute": "plan", "operator": "in", "values": [self.one_of(&plans), self.one_of(&plans)]})
            }
            1 => {
                json!({"attribute": "plan", "operator": "regex", "values": [self.one_of(&["^p", "o$", "e{2}"])]})
            }
            2 => {
                json!({"attribute": "age", "operator": "gt", "values": [self.roll(60).to_string()]})
            }
            _ => json!({"attribute": "plan", "operator": "neq", "values": [self.one_of(&plans)]}),
        }
    }

    fn rule(&mut self, number: u64) -> Value {
        let conditions: Vec<_> = (0..self.roll(3)).map(|_| self.condition()).collect();
        let segments: &[&str] = self.one_of(&[&[][..], &["seniors"][..]]);
        json!({
            "id": format!("r{number}"), "conditions": conditions, "segment_keys": segments,
            "match_type": self.one_of(&["all", "any"]), "percentage": self.points(), "value": self.roll(1_000),
        })
    }

    fn state(&mut self) -> Value {
        let rules: Vec<_> = (0..self.roll(4)).map(|number| self.rule(number)).collect();
        let weight = self.points();
        let variants = json!([{"key": "a", "value": self.roll(9), "weight": weight},
                              {"key": "b", "value": "other", "weight": 10_000 - weight}]);
        let (rollout, fallback) = (json!(self.points()), json!(self.roll(1_000)));
        json!({
            "enabled": self.roll(8) > 0, "rules": rules,
            "variants": self.one_of(&[json!([]), variants]),
            "percentage_rollout": self.one_of(&[Value::Null, rollout]),
            "default_value": self.one_of(&[Value::Null, fallback]),
        })
    }

    fn context(&mut self) -> Value {
        let mut attributes = json!({});
        if self.roll(5) > 0 {
            attributes["plan"] = json!(self.one_of(&["free", "pro", "team"]));
        }
        if self.roll(5) > 0 {
            attributes["age"] = json!(self.roll(90));
        }
        json!({"key": format!("user-{}", self.roll(1_000_000)), "attributes": attributes})
    }
}

#[tokio::test]
async fn restoring_gives_the_earlier_answers_to_generated_contexts() {
    let unbounded = ["RATE_MANAGEMENT", "RATE_EVALUATION", "RATE_EXPLAIN"].map(|name| (name, "0"));
    let scene = Scene::set_with(&unbounded).await;
    let root = format!("/v1/projects/{}", scene.project.id);
    let seniors = json!({"key": "seniors", "name": "Seniors",
                         "rules": [{"attribute": "age", "operator": "gte", "values": ["60"]}]});
    let segments = format!("{root}/segments");
    scene.owner.create(&segments, seniors).await;
    let flag = json!({"key": "ab", "name": "AB", "flag_type": "ab", "default_value": "off"});
    let flags = format!("{root}/flags");
    scene.owner.create(&flags, flag).await;
    let edge = scene.app.anonymous();
    let edge = edge.with_key(&scene.owner.api_key(&scene.project.dev).await);

    let mut dice = Dice(2026);
    let contexts: Vec<_> = (0..CONTEXTS).map(|_| dice.context()).collect();
    let answers = async || {
        let mut answers = Vec::new();
        for context in &contexts {
            let body = json!({"flag_keys": ["ab"], "context": context});
            let answer = edge.post("/v1/evaluate/bulk", body).await;
            answers.push(answer.expect_status(200).body["ab"].clone());
        }
        answers
    };
    let state = format!("{flags}/ab/environments/{}?wait=edges", scene.project.dev);
    let mut earlier = Vec::new();
    for _ in 0..STATES {
        scene.owner.change(&state, dice.state()).await;
        let newest = format!("{flags}/ab/history?limit=1");
        let newest = scene.owner.get(&newest).await.body["data"][0]["version"].clone();
        earlier.push((newest, answers().await));
    }
    let distinct: std::collections::HashSet<_> = earlier
        .iter()
        .map(|(_, answers)| format!("{answers:?}"))
        .collect();
    assert!(
        distinct.len() > STATES / 2,
        "the states differ in what they answer"
    );

    for (version, expected) in &earlier {
        for (context, expected) in contexts.iter().zip(expected).step_by(8) {
            let question = json!({"project_id": scene.project.id, "env_id": scene.project.dev, "flag_key": "ab",
                                  "context": context, "version": version});
            let explained = scene.owner.post("/v1/explain", question).await;
            let result = &explained.expect_status(200).body["result"];
            for field in ["value", "reason"] {
                assert_eq!(
                    result[field], expected[field],
                    "version {version}, {context}"
                );
            }
        }
    }
    // In another order than they came in.
    earlier.reverse();
    for (version, expected) in earlier {
        let body = json!({"env_id": scene.project.dev, "version": version});
        let rollback = format!("{flags}/ab/rollback?wait=edges");
        scene.owner.act(&rollback, body).await;
        assert_eq!(answers().await, expected, "version {version}");
    }
}
