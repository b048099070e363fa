//! A flag in one environment: whether it is on, its value, its shares, and what identities override.

use std::collections::HashMap;

use protocol::rule::TargetingRule;
use serde_json::Value;

use super::values::Values;
use crate::{
    flagsmith::{
        translate::{InEnvironment, Override},
        value::Held,
        wire::{Allocation, Choice, Feature, Id, State as Sent},
    },
    plan::{
        Remarks, State,
        rules::{EVERYONE, Share, condition, parts, rule, split},
    },
};

pub(super) struct Translator<'a> {
    pub(super) feature: &'a Feature,
    pub(super) choices: &'a HashMap<&'a Id, &'a Choice>,
    pub(super) values: Values,
    pub(super) remarks: &'a mut Remarks,
    pub(super) found: &'a InEnvironment<'a>,
}

impl Translator<'_> {
    pub(super) fn state(mut self, sent: &Sent) -> State {
        let mut state = State {
            environment: self.found.slug.to_owned(),
            enabled: sent.enabled,
            ..State::default()
        };
        match self.values {
            Values::Toggle => self.toggle(sent, &mut state),
            Values::Texts | Values::Numbers => self.config(sent, &mut state),
        }
        state
    }

    fn toggle(&mut self, sent: &Sent, state: &mut State) {
        state.default_value = Some(Value::Bool(true));
        self.attached(sent);
        for one in self.found.overrides.clone() {
            self.attached(&one.state);
            state
                .rules
                .push(for_identity(one, Value::Bool(one.state.enabled)));
            if !state.enabled && one.state.enabled {
                self.approximate(
                    "it is off, and identities that have it on there have it off here",
                );
            }
        }
    }

    /// A value of a toggle.
    fn attached(&mut self, sent: &Sent) {
        let held = sent.feature_state_value.as_ref();
        let has_choices = sent
            .multivariate_feature_state_values
            .iter()
            .flatten()
            .next();
        if held.is_some_and(|held| !held.is_empty()) || has_choices.is_some() {
            let slug = self.found.slug;
            self.remarks
                .drop(format!("{slug}: a toggle has no value here"));
        }
    }

    fn config(&mut self, sent: &Sent, state: &mut State) {
        if !state.enabled {
            self.approximate(
                "it is off: the source still tells its value there, and the flag's default is served here",
            );
        }
        for one in self.found.overrides.clone() {
            self.identity(one, state);
        }
        let allocations = match &sent.multivariate_feature_state_values {
            Some(allocations) => self.allocations(allocations),
            None => self.by_default(),
        };
        let (shares, rest) = self.shares(allocations);
        let held = sent.feature_state_value.as_ref();
        state.default_value = match self.values.served(held.unwrap_or(&Held::Nothing)) {
            Some(value) => Some(value),
            None if rest == 0 => None,
            None => {
                self.approximate("it has no value there, and the empty one of its type here");
                Some(self.empty())
            }
        };
        if shares.len() > 1 || (!shares.is_empty() && rest > 0) {
            self.remarks.approximate(
                "which users get which of its values is drawn differently; the shares are the same",
            );
        }
        let everyone = rule(Vec::new(), Value::Null);
        state
            .rules
            .extend(split(&everyone, &shares, WHOLE, EVERYONE));
    }

    fn identity(&mut self, one: &Override, state: &mut State) {
        if !state.enabled {
            self.approximate("it is off, and what identities have for it has no effect here");
        } else if !one.state.enabled {
            self.approximate(
                "identities that have it off get their value all the same, and are not told that it is off",
            );
        }
        let sent = one.state.multivariate_feature_state_values.as_deref();
        let allocations = self.allocations(sent.unwrap_or_default());
        let (shares, rest) = self.shares(allocations);
        if shares.len() > 1 || (!shares.is_empty() && rest > 0) {
            self.approximate(
                "some identities have shares of several values, of which another one can be drawn here",
            );
        }
        let held = one.state.feature_state_value.as_ref();
        let like = for_identity(one, Value::Null);
        state.rules.extend(split(&like, &shares, WHOLE, EVERYONE));
        if rest > 0 {
            let value = self.values.served(held.unwrap_or(&Held::Nothing));
            let value = value.unwrap_or_else(|| {
                self.approximate(
                    "some identities have no value there, and the empty one of its type here",
                );
                self.empty()
            });
            state.rules.push(for_identity(one, value));
        }
    }

    /// The shares of other values than the state's own, and what remains for that one.
    fn shares(&mut self, allocations: Vec<(Held, f64)>) -> (Vec<Share>, u64) {
        let mut shares = Vec::new();
        let mut rest = WHOLE;
        for (held, percentage) in allocations {
            let Some(weight) = parts(percentage, 100.0, 100.0) else {
                self.approximate("a share that is no percentage is left out");
                continue;
            };
            let weight = weight.min(rest);
            if weight == 0 {
                continue;
            }
            rest -= weight;
            let value = self.values.served(&held).unwrap_or_else(|| {
                self.approximate("a share has no value there, and the empty one of its type here");
                self.empty()
            });
            shares.push(Share { value, weight });
        }
        (shares, rest)
    }

    fn allocations(&self, sent: &[Allocation]) -> Vec<(Held, f64)> {
        let allocated = |one: &Allocation| {
            let sent = &one.multivariate_feature_option;
            let choice = self.choices.get(sent.id()).copied().or(sent.whole());
            let value = choice.map(Choice::value).unwrap_or_default();
            (value, one.percentage_allocation.unwrap_or(0.0))
        };
        sent.iter().map(allocated).collect()
    }

    fn by_default(&self) -> Vec<(Held, f64)> {
        let choices = self.feature.multivariate_options.iter();
        choices
            .map(|choice| (choice.value(), choice.percentage()))
            .collect()
    }

    fn empty(&self) -> Value {
        self.values.initial(&Held::Nothing)
    }

    fn approximate(&mut self, text: &str) {
        self.remarks
            .approximate(format!("{}: {text}", self.found.slug));
    }
}

/// Hundredths of a percent.
const WHOLE: u64 = 10_000;

fn for_identity(one: &Override, value: Value) -> TargetingRule {
    rule(
        vec![condition("key", "in", [one.identifier.as_str()])],
        value,
    )
}
