//! What samples say about all requests: counts, how certain they are, and what changes.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use protocol::{
    what_if::{
        EXAMPLES_BYTES, Example, Finding, Group, LONGEST_CONTEXT, MOST_GROUPS, MOST_TRANSITIONS,
        Question, Sampled, Transition,
    },
    wire::usage::told,
};

use super::sample::Sample;

/// Kinds of a count that are told apart. Those beyond are counted only in the sum.
const KINDS: usize = 10_000;

/// One answer, stored and drafted.
pub(super) struct Evaluated<'e> {
    pub(super) flag: usize,
    /// Which of the keys.
    pub(super) draw: u8,
    pub(super) from: &'e str,
    pub(super) to: &'e str,
}

/// What is counted. Each sample counts as often as its weight says.
pub(super) struct Estimate {
    by: Option<String>,
    most_examples: usize,
    /// Whether there are two draws of each key, for buckets.
    has_draws: bool,
    samples: u32,
    answers: f64,
    changed: f64,
    var_answers: f64,
    var_changed: f64,
    covariance: f64,
    weight_squares: f64,
    /// The variance that two draws of each user have, less what sampling alone adds to it.
    drawn_alone: f64,
    users: HashMap<u64, User>,
    transitions: HashMap<(usize, String, String), f64>,
    groups: BTreeMap<Option<String>, (f64, f64)>,
    examples: Vec<(usize, Example)>,
}

/// The samples of one hashed key.
#[derive(Default)]
struct User {
    answers: f64,
    /// Changed answers of one draw less those of the other.
    difference: f64,
}

impl Estimate {
    pub(super) fn new(question: &Question, has_draws: bool) -> Self {
        let is_kept = |name: &&String| question.sampled.attributes.contains(*name);
        Self {
            by: question.by.as_ref().filter(is_kept).cloned(),
            most_examples: question.examples.into(),
            has_draws,
            samples: 0,
            answers: 0.0,
            changed: 0.0,
            var_answers: 0.0,
            var_changed: 0.0,
            covariance: 0.0,
            weight_squares: 0.0,
            drawn_alone: 0.0,
            users: HashMap::new(),
            transitions: HashMap::new(),
            groups: BTreeMap::new(),
            examples: Vec::new(),
        }
    }

    /// Adds the answers of a sample, those of both draws if there are two.
    pub(super) fn add(&mut self, sample: Sample<'_>, sampled: &Sampled, all: &[Evaluated<'_>]) {
        let weight = sample.weight();
        let part = if self.has_draws { 0.5 } else { 1.0 };
        let (mut answers, mut changed) = (0.0, [0.0; 2]);
        let mut is_shown = false;
        for one in all {
            answers += part;
            if one.from == one.to {
                continue;
            }
            changed[usize::from(one.draw)] += 1.0;
            let (from, to) = (told(one.from).into_owned(), told(one.to).into_owned());
            // One for each context, as it was.
            if self.examples.len() < self.most_examples && one.draw == 0 && !is_shown {
                is_shown = true;
                let example = example(sample, sampled, &from, &to);
                self.examples.push((one.flag, example));
            }
            let kind = (one.flag, from, to);
            if self.transitions.len() < KINDS || self.transitions.contains_key(&kind) {
                *self.transitions.entry(kind).or_default() += weight * part;
            }
        }
        let [first, second] = changed;
        let mean = (first + second) * part;
        let spread = weight * (weight - 1.0);
        self.samples += 1;
        self.answers += weight * answers;
        self.changed += weight * mean;
        self.var_answers += spread * answers * answers;
        self.var_changed += spread * mean * mean;
        self.covariance += spread * answers * mean;
        if self.has_draws {
            let user = self.users.entry(sample.key_hash()).or_default();
            user.answers += weight * answers;
            user.difference += weight * (first - second);
            self.drawn_alone += spread * (first - second) * (first - second);
        } else {
            self.weight_squares += (weight * answers).powi(2);
        }
        if let Some(by) = &self.by {
            let attributes = sample.attributes(sampled);
            let value = attributes.iter().find(|(name, _)| name == by);
            let value = value.map(|(_, json)| told(json).into_owned());
            if self.groups.len() < KINDS || self.groups.contains_key(&value) {
                let group = self.groups.entry(value).or_default();
                group.0 += weight * answers;
                group.1 += weight * mean;
            }
        }
    }

    /// Those that were added are some of `all`, drawn by lot: they stand for the others.
    pub(super) fn scale(&mut self, all: usize) {
        let added = f64::from(self.samples);
        let all = f64::from(u32::try_from(all).unwrap_or(u32::MAX));
        if self.samples == 0 || all <= added {
            return;
        }
        let factor = all / added;
        // A weight of w becomes f w, and f w (f w - 1) is less than f^2 w (w - 1) + f (f - 1) w^2.
        let more = factor * (factor - 1.0) * self.weight_squares.max(self.user_squares());
        self.answers *= factor;
        self.changed *= factor;
        for variance in [
            &mut self.var_answers,
            &mut self.var_changed,
            &mut self.covariance,
        ] {
            *variance = *variance * factor * factor + more;
        }
        self.weight_squares *= factor * factor;
        self.drawn_alone *= factor * factor;
        for user in self.users.values_mut() {
            user.answers *= factor;
            user.difference *= factor;
        }
        self.transitions
            .values_mut()
            .for_each(|count| *count *= factor);
        for (answers, changed) in self.groups.values_mut() {
            *answers *= factor;
            *changed *= factor;
        }
    }

    fn user_squares(&self) -> f64 {
        self.users.values().map(|user| user.answers.powi(2)).sum()
    }

    /// As it is told.
    pub(super) fn finding(self, flag_key: impl Fn(usize) -> String) -> Finding {
        let drawn: f64 = self
            .users
            .values()
            .map(|user| user.difference.powi(2))
            .sum();
        // Half of the squared difference is the variance of one draw. The truth is a third one, and the estimate the mean of the two.
        let of_draws = 0.75 * (drawn - self.drawn_alone).max(0.0);
        let squares = self.weight_squares.max(self.user_squares());
        let transitions = self.transitions.into_iter();
        let mut transitions: Vec<_> = transitions
            .map(|((flag, from, to), answers)| Transition {
                flag_key: flag_key(flag),
                from,
                to,
                answers: rounded(answers),
            })
            .collect();
        transitions.sort_by(|a, b| {
            let order = |it: &Transition| (Reverse(it.answers), it.flag_key.clone());
            order(a)
                .cmp(&order(b))
                .then_with(|| (&a.from, &a.to).cmp(&(&b.from, &b.to)))
        });
        transitions.truncate(MOST_TRANSITIONS);
        let groups = self.groups.into_iter();
        let mut groups: Vec<_> = groups
            .map(|(value, (answers, changed))| Group {
                value,
                answers: rounded(answers),
                changed: rounded(changed),
            })
            .collect();
        groups.sort_by_key(|group| Reverse(group.answers));
        groups.truncate(MOST_GROUPS);
        let examples = self.examples.into_iter().map(|(flag, example)| Example {
            flag_key: flag_key(flag),
            ..example
        });
        let mut room = EXAMPLES_BYTES;
        let examples = examples.filter(|example| {
            let left = room.checked_sub(example.bytes());
            room = left.unwrap_or(room);
            left.is_some()
        });
        Finding {
            samples: self.samples,
            answers: rounded(self.answers),
            changed: rounded(self.changed),
            var_answers: rounded(self.var_answers.ceil()),
            var_changed: rounded((self.var_changed + of_draws).ceil()),
            covariance: rounded(self.covariance.ceil()),
            weight_squares: rounded(squares.ceil()),
            transitions,
            groups,
            examples: examples.collect(),
            ..Finding::default()
        }
    }
}

fn example(sample: Sample<'_>, sampled: &Sampled, from: &str, to: &str) -> Example {
    let mut attributes_json = String::new();
    for (name, json) in sample.attributes(sampled) {
        let name = serde_json::to_string(name).expect("a text is always JSON");
        let separator = if attributes_json.is_empty() { '{' } else { ',' };
        let member = format!("{separator}{name}:{json}");
        if attributes_json.len() + member.len() < LONGEST_CONTEXT {
            attributes_json.push_str(&member);
        }
    }
    if attributes_json.is_empty() {
        attributes_json.push('{');
    }
    attributes_json.push('}');
    Example {
        flag_key: String::new(),
        key: sample.key().into_owned(),
        attributes_json,
        from: from.to_owned(),
        to: to.to_owned(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates, and no count is negative"
)]
fn rounded(count: f64) -> u64 {
    count.round() as u64
}
