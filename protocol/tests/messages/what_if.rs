//! The messages of what-if on real traffic.

use std::sync::Arc;

use protocol::{
    signature::SigningKey,
    what_if::{Draft, Example, Failed, Finding, Group, Keys, Question, Sampled, Transition},
    wire::{message::ControlMessage, usage::Upload},
};

use crate::sample::{id, snapshot};

fn sampled(keys: Keys) -> Sampled {
    Sampled {
        env_id: id(3).into(),
        attributes: vec!["country".to_owned(), "plan".to_owned()],
        keys,
    }
}

pub(super) fn messages() -> [(&'static str, ControlMessage); 2] {
    let snapshot = snapshot();
    let question = Question {
        id: [9; 16],
        sampled: sampled(Keys::Hashed),
        version: 41,
        draft: Draft {
            flags: snapshot.flags,
            removed_flags: vec!["old".to_owned()],
            segments: snapshot.segments,
            removed_segments: vec!["former".to_owned()],
        },
        by: Some("plan".to_owned()),
        examples: 5,
        asked_ms: 1_780_000_000_000,
    };
    let signed = question.sign(&SigningKey::from_seed(&[1; 32]).unwrap());
    let all = vec![sampled(Keys::Hashed), sampled(Keys::Plain)];
    [
        ("control_sampled", ControlMessage::Sampled(all)),
        (
            "control_question",
            ControlMessage::Question(Arc::new(signed)),
        ),
    ]
}

pub(super) fn finding() -> Upload {
    Upload::Finding(Finding {
        question: [9; 16],
        boot: [6; 16],
        version: 42,
        since_ms: 1_780_000_000_000,
        samples: 200,
        answers: 1_000,
        changed: 32,
        var_answers: 5_000,
        var_changed: 150,
        covariance: 160,
        weight_squares: 6_000,
        transitions: vec![Transition {
            flag_key: "new-checkout".to_owned(),
            from: "true".to_owned(),
            to: "false".to_owned(),
            answers: 32,
        }],
        groups: vec![Group {
            value: Some("\"pro\"".to_owned()),
            answers: 500,
            changed: 16,
        }],
        examples: vec![Example {
            flag_key: "new-checkout".to_owned(),
            key: "user-1".to_owned(),
            attributes_json: r#"{"plan":"pro"}"#.to_owned(),
            from: "true".to_owned(),
            to: "false".to_owned(),
        }],
        failed: Some(Failed::Busy),
    })
}
