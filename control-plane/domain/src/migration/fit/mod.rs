//! What of a plan Halyard can store: the same checks as for what members write, and a reason for everything that is taken out.
//!
//! Only one bound does not hold for imports: the number of rules of a state, since each target of a source is a rule.

mod flags;
mod segments;

use std::collections::HashSet;

use importers::plan::{self, Plan, Remarks, patterns::MAX_PATTERNS};
use protocol::rule::Condition;
use serde::Serialize;
use serving::numbers;
use time::OffsetDateTime;

use super::model::{Item, ItemKind};
use crate::{
    environments::{input::NewEnvironment, model::Environment},
    flags::{model::Flag, states::model::FlagState},
    segments::model::Segment,
};
use base::input::Invalid;

/// What can be stored, and what cannot.
#[derive(Debug, Default)]
pub struct Fitted {
    /// Environments, in the order of the source's keys.
    pub environments: Vec<Fit<Environment>>,
    pub segments: Vec<Fit<Segment>>,
    pub flags: Vec<Fit<FlagWithStates>>,
    /// What nothing is made of.
    pub skipped: Vec<Item>,
    /// Regular expressions so far.
    patterns: usize,
}

/// Something that can be stored.
#[derive(Clone, Debug)]
pub struct Fit<T> {
    /// Its key or name at the source.
    pub source: String,
    pub made: T,
    pub remarks: Remarks,
}

/// A flag, and its states by the slugs of their environments.
#[derive(Clone, Debug)]
pub struct FlagWithStates {
    pub flag: Flag,
    /// At most one for each environment.
    pub states: Vec<(String, FlagState)>,
}

impl Fit<FlagWithStates> {
    /// Switches off the states that lose something by which they keep somebody out, and says so.
    pub fn switch_off(&mut self, loses: impl Fn(&FlagState) -> bool) {
        for (environment, state) in &mut self.made.states {
            if state.enabled && loses(state) {
                state.enabled = false;
                state.compiled_bytes = state.measure();
                self.remarks.drop(switched_off(environment));
            }
        }
    }

    /// Takes out the states in environments that are not imported, and says so.
    pub fn leave_out(&mut self, is_missing: impl Fn(&str) -> bool) {
        self.take_out(is_missing, left_out);
    }

    /// Takes out the states in protected environments, and says so.
    pub fn leave_out_protected(&mut self, is_protected: impl Fn(&str) -> bool) {
        self.take_out(is_protected, kept_out);
    }

    fn take_out(&mut self, is_out: impl Fn(&str) -> bool, remark: fn(&str) -> String) {
        self.made.states.retain(|(environment, _)| {
            let is_out = is_out(environment);
            if is_out {
                self.remarks.drop(remark(environment));
            }
            !is_out
        });
    }
}

/// Said of a state whose environment is not imported.
fn left_out(environment: &str) -> String {
    format!("{environment}: left out, because the environment is")
}

/// Said of a state whose environment is protected.
fn kept_out(environment: &str) -> String {
    format!("{environment}: left out, because the environment is protected")
}

/// Said of a state that is on there.
fn switched_off(environment: &str) -> String {
    format!("{environment}: switched off here, because something that keeps users out is missing")
}

/// Takes out of a plan what cannot be stored. Compiles regular expressions, so call it where that holds nobody up.
pub fn fit(plan: Plan, now: OffsetDateTime) -> Fitted {
    let mut fitted = Fitted::default();
    for left_out in plan.left_out {
        let item = Item::skipped(left_out.kind.into(), &left_out.source, left_out.reason);
        fitted.skipped.push(item);
    }
    environments(plan.environments, &mut fitted, now);
    segments::fit(plan.segments, &mut fitted, now);
    flags::fit(plan.flags, &mut fitted, now);
    fitted
}

fn environments(planned: Vec<plan::Environment>, fitted: &mut Fitted, now: OffsetDateTime) {
    let mut slugs = HashSet::new();
    for mut environment in planned {
        let mut remarks = std::mem::take(&mut environment.remarks);
        let source = environment.source;
        let new = NewEnvironment {
            name: Some(named(environment.name, &source, &mut remarks)),
            slug: Some(environment.slug.clone()).filter(|slug| !slug.is_empty()),
            color: environment.color,
            protected: None,
            required_approvals: None,
        };
        let skip = |reason: String| Item::skipped(ItemKind::Environment, &source, reason);
        if environment.slug.is_empty() {
            fitted.skipped.push(skip(
                "no slug can be made of its name: it has no letters or digits".to_owned(),
            ));
        } else if !slugs.insert(environment.slug.clone()) {
            let slug = environment.slug;
            let reason = format!("another environment of the source has the slug {slug} too");
            fitted.skipped.push(skip(reason));
        } else {
            match new.check(now) {
                Ok(made) => fitted.environments.push(Fit {
                    source,
                    made,
                    remarks,
                }),
                Err(invalid) => fitted.skipped.push(skip(invalid.to_string())),
            }
        }
    }
}

impl Fitted {
    /// Refuses conditions with which there would be too many regular expressions: each of them is compiled here.
    fn count_patterns<'a>(
        &mut self,
        conditions: impl Iterator<Item = &'a Condition>,
    ) -> Result<(), Invalid> {
        let regex = conditions.filter(|condition| condition.operator == "regex");
        self.patterns += regex.map(|condition| condition.values.len()).sum::<usize>();
        if self.patterns > MAX_PATTERNS {
            return Err(Invalid::new(format!(
                "the source has more than {MAX_PATTERNS} regular expressions"
            )));
        }
        Ok(())
    }
}

/// A name; the key where it is blank.
fn named(name: String, key: &str, remarks: &mut Remarks) -> String {
    let name = cut("name", name, 255, remarks);
    if name.trim().is_empty() {
        key.to_owned()
    } else {
        name
    }
}

fn described(description: String, remarks: &mut Remarks) -> String {
    cut("description", description, 2_000, remarks)
}

/// A text that people read, cut where it is too long.
fn cut(what: &str, mut text: String, limit: usize, remarks: &mut Remarks) -> String {
    if let Some((end, _)) = text.char_indices().nth(limit) {
        text.truncate(end);
        remarks.drop(format!("the {what} is cut after {limit} characters"));
    }
    if text.contains('\0') {
        text = text.replace('\0', "");
        remarks.drop(format!("NUL characters are taken out of the {what}"));
    }
    text
}

/// What is in it that the database cannot hold.
fn unstorable(part: &impl Serialize) -> Option<&'static str> {
    let text = serde_json::to_string(part).ok()?;
    if text.contains("\\u0000") {
        return Some("a NUL character");
    }
    numbers::first_unstorable(text.as_bytes()).map(|_| "a number that cannot be stored")
}

/// When something was created at the source, as the database can hold it.
fn at(time: Option<OffsetDateTime>, now: OffsetDateTime) -> OffsetDateTime {
    time.filter(|time| (0..=9999).contains(&time.year()))
        .unwrap_or(now)
        .truncate_to_microsecond()
}
