//! A flag in an environment: targets first, then rules, then the default rule.

use std::collections::{HashMap, HashSet};

use protocol::{bucketing::Bucketing, rule::TargetingRule, snapshot::FlagType};
use serde_json::{Value, json};

use super::{
    super::wire::{self, Config, Rollout, Rule, Target},
    clauses,
    segments::{self, Imported},
    serves::{self, Serves, WHOLE},
};
use crate::{
    logic::{Expr, List},
    plan::{
        Buckets, Remarks, State,
        copies::copy,
        rules::{self, EVERYONE, Share},
    },
};

const OTHER_USERS: &str =
    "which users get which value of a percentage differs from the source; how many do is the same";
const NAMES: &str = "the names of its variations are not kept: rules serve values, and no variant";
const TARGETS: &str = "targets";

pub(super) struct Translation<'a> {
    pub(super) values: &'a [Value],
    /// Names of the variations, or their numbers.
    pub(super) names: &'a [String],
    /// Whether they have names.
    pub(super) has_names: bool,
    pub(super) flag_type: FlagType,
    /// Served while the flag is off.
    pub(super) default_value: &'a Value,
    /// Its key there.
    pub(super) environment: &'a str,
    /// Its slug here.
    pub(super) slug: &'a str,
    pub(super) segments: &'a Imported,
    pub(super) remarks: &'a mut Remarks,
    /// Whether something is left out that a user could match.
    pub(super) is_incomplete: bool,
    pub(super) buckets: Buckets,
    /// The salt of the flag here, where buckets are kept.
    pub(super) salt: Option<&'a str>,
    /// What draws percentages in the state.
    pub(super) bucketing: Option<Bucketing>,
}

impl<'t> Translation<'t> {
    pub(super) fn state(mut self, config: &'t Config) -> State {
        let mut state = State {
            environment: self.slug.to_owned(),
            enabled: config.on,
            ..State::default()
        };
        if self.buckets == Buckets::Keep {
            self.salt = config.salt.as_deref();
            self.bucketing = self.bucketing(config);
        }
        self.targets(config, &mut state.rules);
        for (number, rule) in (1..).zip(&config.rules) {
            if rule.disabled {
                continue;
            }
            match self.rule(rule, number) {
                Ok(rules) => state.rules.extend(rules),
                Err(reason) => {
                    self.is_incomplete = true;
                    self.drop(&format!("rule {number}"), format!("left out: {reason}"));
                }
            }
        }
        self.fallthrough(config, &mut state);
        state.is_incomplete = self.is_incomplete;
        state.bucketing = self.bucketing;
        state
    }

    /// That of the first rollout that divides users by their keys.
    fn bucketing(&self, config: &Config) -> Option<Bucketing> {
        let rules = config.rules.iter().filter(|rule| !rule.disabled);
        let of_rules = rules.map(|rule| (rule.variation, rule.rollout.as_ref()));
        let rest = config.fallthrough.iter();
        let of_rest = rest.map(|served| (served.variation, served.rollout.as_ref()));
        let mut unsaid = Remarks::default();
        of_rules.chain(of_rest).find_map(|(variation, rollout)| {
            let served = serves::translate(variation, rollout, self.values, &mut unsaid);
            let is_split = matches!(served, Ok(Serves::Split(_)));
            let (rollout, salt) = (rollout.filter(|_| is_split)?, self.salt?);
            serves::bucketing(rollout, salt)
        })
    }

    /// Whether the state divides users as this rollout does.
    fn is_kept(&self, rollout: Option<&Rollout>) -> bool {
        let drawn = rollout.zip(self.salt);
        let drawn = drawn.and_then(|(rollout, salt)| serves::bucketing(rollout, salt));
        drawn.is_some() && drawn == self.bucketing
    }

    fn place(&self, part: &str) -> String {
        format!("{}, {part}", self.slug)
    }

    fn drop(&mut self, part: &str, text: impl Into<String>) {
        let place = self.place(part);
        self.remarks.drop_at(&place, text);
    }

    fn extend(&mut self, part: &str, remarks: Remarks) {
        let place = self.place(part);
        self.remarks.extend_at(&place, remarks);
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
            match serves::value(target.variation, self.values) {
                Ok(value) => {
                    for of_keys in segments::keys("in", &keys) {
                        into.push(rules::rule(of_keys.conditions(), copied(value)));
                    }
                }
                Err(reason) => {
                    self.is_incomplete = true;
                    self.drop(TARGETS, format!("some are left out: {reason}"));
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
                    self.drop(
                        TARGETS,
                        format!("contexts of the kind `{kind}` are left out"),
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
                self.drop(
                    TARGETS,
                    format!("contexts of the kind `{kind}` are left out"),
                );
            } else if !used.contains(&index) {
                is_unclear |= is_ordered && !users.values.is_empty();
                ordered.push(users);
            }
        }
        if is_unclear {
            let place = self.place(TARGETS);
            self.remarks.approximate_at(&place, "the two lists of the source disagree about users, so some of them may be targeted only there or only here");
        }
        ordered
    }

    fn rule(&mut self, rule: &Rule, number: usize) -> Result<Vec<TargetingRule>, String> {
        let place = format!("rule {number}");
        let mut remarks = Remarks::default();
        let (expr, segment_keys) = self.matched(rule, &mut remarks)?;
        if expr.is_never() {
            // A rule that is left out needs no remark on how its parts differ.
            remarks.retain_dropped();
            remarks.drop("left out: no user can match it");
            self.extend(&place, remarks);
            return Ok(Vec::new());
        }
        let (variation, rollout) = (rule.variation, rule.rollout.as_ref());
        let served = serves::translate(variation, rollout, self.values, &mut remarks)?;
        let lists = expr.lists()?;
        if self.has_names && matches!(served, Serves::Split(_)) {
            remarks.drop(NAMES);
        }
        self.served(&place, &served, self.is_kept(rollout), remarks);
        let like = |list: List| TargetingRule {
            segment_keys: copy(&segment_keys).unwrap_or_default(),
            description: rule.description.clone(),
            ..list.rule(Value::Null)
        };
        let rules = lists
            .into_iter()
            .flat_map(|list| serve(like(list), &served));
        Ok(rules.collect())
    }

    fn served(&mut self, part: &str, served: &Serves, is_kept: bool, remarks: Remarks) {
        if matches!(served, Serves::Split(_)) && !is_kept {
            self.remarks.approximate(OTHER_USERS);
        }
        self.extend(part, remarks);
    }

    /// What has to hold, and segments of which one must match.
    fn matched(
        &mut self,
        rule: &Rule,
        remarks: &mut Remarks,
    ) -> Result<(Expr, Vec<String>), String> {
        let mut parts = Vec::new();
        let mut segment_keys = None;
        for clause in &rule.clauses {
            if clause.op != "segmentMatch" {
                parts.push(clauses::translate(clause, remarks)?);
                continue;
            }
            if clause.negate {
                return Err("it asks who is not in a segment".to_owned());
            }
            let keys = self.members(clause, remarks);
            if keys.is_empty() {
                parts.push(Expr::never());
            }
            if segment_keys.replace(keys).is_some() {
                return Err("it asks for members of several segments at once".to_owned());
            }
        }
        Ok((Expr::all(parts), segment_keys.unwrap_or_default()))
    }

    fn members(&mut self, clause: &wire::Clause, remarks: &mut Remarks) -> Vec<String> {
        let mut keys = Vec::new();
        for key in clause.values.iter().filter_map(Value::as_str) {
            let segments = self.segments.get(self.environment);
            match segments.and_then(|segments| segments.get(key)) {
                Some(Some(of_segment)) => keys.extend(of_segment.iter().filter_map(copy)),
                Some(None) => {
                    self.is_incomplete = true;
                    remarks.drop(format!("the segment `{key}` is not imported"));
                }
                None => remarks.drop(format!("the segment `{key}` does not exist")),
            }
        }
        let mut seen = HashSet::new();
        keys.retain(|key| seen.insert(key.clone()));
        keys
    }

    fn fallthrough(&mut self, config: &Config, state: &mut State) {
        let mut remarks = Remarks::default();
        let served = match &config.fallthrough {
            Some(served) => serves::translate(
                served.variation,
                served.rollout.as_ref(),
                self.values,
                &mut remarks,
            ),
            None => Err("it is missing".to_owned()),
        };
        let served = served.unwrap_or_else(|reason| {
            self.is_incomplete = true;
            // What is off needs none.
            if config.on || config.fallthrough.is_some() {
                remarks.drop(format!(
                    "left out: {reason}; the default of the flag is served instead"
                ));
            }
            Serves::Value(copied(self.default_value))
        });
        let rollout = config.fallthrough.as_ref();
        let rollout = rollout.and_then(|served| served.rollout.as_ref());
        let is_kept = self.is_kept(rollout);
        self.served("default rule", &served, is_kept, remarks);
        let is_false_while_off = *self.default_value == json!(false);
        match served {
            Serves::Value(value) => state.default_value = Some(value),
            Serves::Split(ref shares)
                if self.flag_type == FlagType::Boolean
                    && is_false_while_off
                    && (!is_kept || is_true_first(shares)) =>
            {
                state.default_value = Some(json!(true));
                state.percentage_rollout =
                    Some(rules::portion(weight_of_true(shares), WHOLE, EVERYONE));
            }
            Serves::Split(_) => {
                let variants =
                    rollout.and_then(|rollout| serves::variants(rollout, self.values, self.names));
                if let Some(variants) = variants.filter(|_| self.flag_type != FlagType::Boolean) {
                    state.variants = variants;
                    return;
                }
                let everybody = rules::rule(Vec::new(), Value::Null);
                state.rules.extend(serve(everybody, &served));
            }
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

/// Whether those who get `true` have the lowest buckets, as those whom a percentage admits.
fn is_true_first(shares: &[Share]) -> bool {
    let mut rest = shares.iter().skip_while(|share| share.value == json!(true));
    rest.all(|share| share.value != json!(true))
}

fn serve(like: TargetingRule, served: &Serves) -> Vec<TargetingRule> {
    match served {
        Serves::Value(value) => vec![TargetingRule {
            value: Some(copied(value)),
            ..like
        }],
        Serves::Split(shares) => rules::split(&like, shares, WHOLE, EVERYONE),
    }
}
