//! Halyard's SDK, which counts what it answers.

use halyard::{
    Client, Context,
    snapshot::{Condition, Flag, FlagState, Rule, Snapshot},
};

use crate::{
    timing::Ask,
    users::{COUNTRIES, PLAN, key_of, users},
};

pub fn asking(flags: usize) -> Ask {
    let snapshot = Snapshot {
        flags: (0..flags).map(|number| flag(key_of(number))).collect(),
        ..Snapshot::default()
    };
    let client = Client::from_snapshot(snapshot).expect("an environment");
    let contexts: Vec<_> = users()
        .map(|user| {
            Context::builder(user.key)
                .with("plan", user.plan)
                .with("country", user.country)
                .with("email", user.email)
                .build()
        })
        .collect();
    let key = key_of(flags / 2);
    Box::new(move |user| client.bool(&key, &contexts[user], false))
}

fn flag(key: String) -> Flag {
    let condition = |attribute: &str, operator: &str, values: &[&str]| Condition {
        attribute: attribute.to_owned(),
        operator: operator.to_owned(),
        values: values.iter().map(|&value| value.to_owned()).collect(),
    };
    let rule = Rule {
        conditions: vec![
            condition("country", "in", &COUNTRIES),
            condition("plan", "eq", &[PLAN]),
        ],
        percentage: 5_000,
        value: Some("true".to_owned()),
        ..Rule::default()
    };
    Flag {
        key,
        default_value: "false".to_owned(),
        state: Some(FlagState {
            enabled: true,
            rules: vec![rule],
            ..FlagState::default()
        }),
        ..Flag::default()
    }
}
