//! A flag in an environment: targets first, then rules, then what everybody else gets.

use std::collections::{HashMap, HashSet};

use protocol::{
    rule::{Condition, TargetingRule},
    snapshot::FlagType,
};
use serde_json::{Value, json};

use super::{
    super::wire::{self, Config, Rule, Target},
    alternatives::{self, Alternatives, both},
    clauses::{self, Obstacle, Test},
    notes::{Note, Notes, Place},
    segments::{Imported, Reference},
    serves::{self, OTHER_USERS, Serves, WHOLE},
};
use crate::plan::{
    Fidelity, State,
    copies::copy,
    rules::{self, EVERYONE, Share},
};

/// Operands that the rules of one split repeat.
const MAX_REPEATED: usize = 1_000_000;

/// What is known of a flag before its states are looked at.
pub(super) struct Known<'a> {
    pub(super) values: &'a [Value],
    pub(super) flag_type: FlagType,
    /// Served while it is off.
    pub(super) default_value: &'a Value,
}

/// Translates one state.
pub(super) struct Translation<'a> {
    pub(super) flag: Known<'a>,
    /// Its key there.
    pub(super) environment: &'a str,
    /// Its slug here.
    pub(super) slug: &'a str,
    pub(super) segments: &'a Imported,
    pub(super) notes: &'a mut Notes,
    /// Whether something is left out that a user could match.
    pub(super) is_incomplete: bool,
}

impl Translation<'_> {
    pub(super) fn state(mut self, config: &Config) -> State {
        let mut state = State {
            environment: self.slug.to_owned(),
            enabled: config.on,
            ..State::default()
        };
        self.targets(config, &mut state.rules);
        for (number, rule) in (1..).zip(&config.rules) {
            if rule.disabled {
                continue;
            }
            match self.rule(rule, number) {
                Ok(rules) => state.rules.extend(rules),
                Err(reason) => {
                    self.is_incomplete = true;
                    self.note(
                        Place::Rule(number),
                        Note::drop(format!("left out: {reason}")),
                    );
                }
            }
        }
        self.fallthrough(config, &mut state);
        state.is_incomplete = self.is_incomplete;
        state
    }

    fn note(&mut self, place: Place, note: Note) {
        if note.text == OTHER_USERS {
            self.notes.add("", Place::Whole, note);
        } else {
            self.notes.add(self.slug, place, note);
        }
    }

    fn targets(&mut self, config: &Config, into: &mut Vec<TargetingRule>) {
        for target in self.in_order(config) {
            let mut seen = HashSet::new();
            let keys: Vec<&str> = target
                .values
                .iter()
                .map(String::as_str)
                .filter(|key| seen.insert(*key))
                .collect();
            match serves::value(target.variation, self.flag.values) {
                Ok(value) => {
                    let conditions = alternatives::keys("in", &keys);
                    into.extend(conditions.map(|keys| rules::rule(vec![keys], copied(value))));
                }
                Err(reason) => {
                    self.is_incomplete = true;
                    self.note(
                        Place::Targets,
                        Note::drop(format!("some are left out: {reason}")),
                    );
                }
            }
        }
    }

    /// The targets that are users. `contextTargets` gives their order, where it names them, and then has no keys for them.
    fn in_order<'c>(&mut self, config: &'c Config) -> Vec<&'c Target> {
        let mut ordered = Vec::new();
        let mut used = HashSet::new();
        let mut is_unclear = false;
        // Lists have as many entries as an answer holds, so that none is gone through for each entry of the other.
        let mut by_variation = HashMap::new();
        for (index, users) in config.targets.iter().enumerate() {
            by_variation
                .entry(users.variation)
                .or_insert((index, users));
        }
        let mut keys_of = HashMap::new();
        for target in &config.context_targets {
            if !wire::is_user(&target.context_kind) {
                if !target.values.is_empty() {
                    let kind = &target.context_kind;
                    self.note(
                        Place::Targets,
                        Note::drop(format!("contexts of the kind `{kind}` are left out")),
                    );
                }
                continue;
            }
            if let Some(&(index, users)) = by_variation.get(&target.variation) {
                if used.insert(index) {
                    ordered.push(users);
                }
                let keys: &HashSet<&String> = keys_of
                    .entry(index)
                    .or_insert_with(|| users.values.iter().collect());
                is_unclear |= target.values.iter().any(|key| !keys.contains(key));
            } else if !target.values.is_empty() {
                ordered.push(target);
                is_unclear = true;
            }
        }
        let is_ordered = !ordered.is_empty();
        for (index, users) in config.targets.iter().enumerate() {
            if !wire::is_user(&users.context_kind) {
                let kind = &users.context_kind;
                self.note(
                    Place::Targets,
                    Note::drop(format!("contexts of the kind `{kind}` are left out")),
                );
            } else if !used.contains(&index) {
                is_unclear |= is_ordered && !users.values.is_empty();
                ordered.push(users);
            }
        }
        if is_unclear {
            self.note(
                Place::Targets,
                Note::approximate("the two lists of the source disagree about users, so some of them may be targeted only there or only here"),
            );
        }
        ordered
    }

    fn rule(&mut self, rule: &Rule, number: usize) -> Result<Vec<TargetingRule>, String> {
        let place = Place::Rule(number);
        let mut notes = Vec::new();
        let matched = self.matched(rule, &mut notes);
        let served = serves::translate(
            rule.variation,
            rule.rollout.as_ref(),
            self.flag.values,
            &mut notes,
        );
        // What is left out as a whole needs no word about its parts, unless they are the reason.
        let (alternatives, segment_keys) = match matched {
            Ok(Some(matched)) => matched,
            Ok(None) => {
                for note in notes {
                    self.note(place, note);
                }
                return Ok(Vec::new());
            }
            Err(reason) => return Err(reason),
        };
        let served = served?;
        for note in notes {
            self.note(place, note);
        }
        let like = |conditions, match_type: &str| TargetingRule {
            segment_keys: copy(&segment_keys).unwrap_or_default(),
            description: rule.description.clone(),
            match_type: match_type.to_owned(),
            ..rules::rule(conditions, Value::Null)
        };
        let is_any =
            alternatives.len() > 1 && alternatives.iter().all(|conditions| conditions.len() == 1);
        let likes = if is_any {
            vec![like(alternatives.into_iter().flatten().collect(), "any")]
        } else {
            alternatives
                .into_iter()
                .map(|conditions| like(conditions, "all"))
                .collect()
        };
        let mut made = Vec::new();
        for like in &likes {
            made.extend(serve(like, &served)?);
        }
        Ok(made)
    }

    /// Lists of conditions of which one must hold, and segments of which one must match. `None`: nobody matches.
    fn matched(
        &mut self,
        rule: &Rule,
        notes: &mut Vec<Note>,
    ) -> Result<Option<(Alternatives, Vec<String>)>, String> {
        let mut alternatives = vec![Vec::new()];
        let mut segment_keys = Vec::new();
        let mut has_segments = false;
        let mut nobody: Option<String> = None;
        for clause in &rule.clauses {
            if clause.op == "segmentMatch" {
                if clause.negate {
                    return Err("it asks who is not in a segment".to_owned());
                }
                if std::mem::replace(&mut has_segments, true) {
                    return Err("it asks for members of several segments at once".to_owned());
                }
                segment_keys = self.members(clause, notes);
                if segment_keys.is_empty() {
                    nobody = Some("left out: none of its segments is imported".to_owned());
                }
                continue;
            }
            match clauses::translate(clause, notes) {
                Ok(Test::Always) => {}
                Ok(Test::Never) => nobody = Some("left out: nobody can match it".to_owned()),
                Ok(Test::Holds(tests)) => alternatives = both(&alternatives, &tests)?,
                // No user matches it there either.
                Err(obstacle @ Obstacle::Kind(_)) => {
                    nobody = Some(format!("left out: {obstacle}"));
                }
                Err(obstacle @ Obstacle::Other(_)) => return Err(obstacle.to_string()),
            }
        }
        if let Some(reason) = nobody {
            notes.retain(|note| note.fidelity == Fidelity::Dropped);
            notes.push(Note::drop(reason));
            return Ok(None);
        }
        Ok(Some((alternatives, segment_keys)))
    }

    fn members(&mut self, clause: &wire::Clause, notes: &mut Vec<Note>) -> Vec<String> {
        let mut keys = Vec::new();
        for key in clause.values.iter().filter_map(Value::as_str) {
            match self.segments.get(self.environment, key) {
                Reference::Segments(of_segment) => keys.extend(of_segment.iter().filter_map(copy)),
                Reference::LeftOut => {
                    self.is_incomplete = true;
                    notes.push(Note::drop(format!("the segment `{key}` is not imported")));
                }
                Reference::Unknown => {
                    notes.push(Note::drop(format!("the segment `{key}` does not exist")));
                }
            }
        }
        let mut seen = HashSet::new();
        keys.retain(|key| seen.insert(key.clone()));
        keys
    }

    fn fallthrough(&mut self, config: &Config, state: &mut State) {
        let mut notes = Vec::new();
        let served = match &config.fallthrough {
            Some(served) => serves::translate(
                served.variation,
                served.rollout.as_ref(),
                self.flag.values,
                &mut notes,
            ),
            None => Err("it is missing".to_owned()),
        };
        let everybody = rules::rule(Vec::new(), Value::Null);
        match served {
            Ok(Serves::Value(value)) => state.default_value = Some(value),
            Ok(Serves::Split(shares))
                if self.flag.flag_type == FlagType::Boolean
                    && *self.flag.default_value == json!(false) =>
            {
                state.default_value = Some(json!(true));
                state.percentage_rollout =
                    Some(rules::portion(weight_of_true(&shares), WHOLE, EVERYONE));
            }
            Ok(served @ Serves::Split(_)) => match serve(&everybody, &served) {
                Ok(rules) => state.rules.extend(rules),
                Err(reason) => {
                    self.is_incomplete = true;
                    notes.push(Note::drop(format!("left out: {reason}")));
                }
            },
            Err(reason) => {
                self.is_incomplete = true;
                state.default_value = Some(copied(self.flag.default_value));
                // What is off needs none.
                if config.on || config.fallthrough.is_some() {
                    notes.push(Note::drop(format!(
                        "left out: {reason}; the default of the flag is served instead"
                    )));
                }
            }
        }
        for note in notes {
            self.note(Place::Fallthrough, note);
        }
    }
}

fn copied(value: &Value) -> Value {
    copy(value).unwrap_or_default()
}

fn weight_of_true(shares: &[Share]) -> u64 {
    let of_true = shares.iter().filter(|share| share.value == json!(true));
    of_true.map(|share| share.weight).sum()
}

fn serve(like: &TargetingRule, served: &Serves) -> Result<Vec<TargetingRule>, String> {
    match served {
        Serves::Value(value) => Ok(vec![TargetingRule {
            value: Some(copied(value)),
            ..copy(like).unwrap_or_else(|| rules::rule(Vec::new(), Value::Null))
        }]),
        Serves::Split(shares) => {
            let operands = |condition: &Condition| condition.values.len();
            let repeated = like.conditions.iter().map(operands).sum::<usize>() * shares.len();
            if repeated > MAX_REPEATED {
                return Err("it takes too many operands here".to_owned());
            }
            Ok(rules::split(like, shares, WHOLE, EVERYONE))
        }
    }
}
