//! Segments. There they belong to an environment, may be any combination of rules, and may refer to each other; here they belong
//! to the project and are flat. One of them becomes as many as it takes: who is in any of them is in it.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    rc::Rc,
};

use protocol::{rule::Condition, snapshot::MatchType};

use super::{
    super::wire::{Project, Segment, SegmentRule},
    alternatives::{Alternatives, MAX_CONDITIONS, MAX_PARTS, both, keys, users},
    clauses::{self, Obstacle, Test},
    moment,
    notes::{Note, Notes, Place, listed},
};
use crate::plan::{self, Kind, LeftOut, copies::copy, rules::condition};

/// How deep segments may refer to each other.
const MAX_DEPTH: usize = 20;
/// Operands that all segments together repeat, because they refer to each other or exclude the same keys from several rules.
const MAX_REPEATED: usize = 2_000_000;

/// The keys here of one segment of the source.
type Keys = Rc<[String]>;

/// What became of the segments, for the rules that refer to them.
#[derive(Default)]
pub(super) struct Imported {
    /// By environment and key: the keys here, or why there are none.
    found: HashMap<String, HashMap<String, Result<Keys, ()>>>,
}

/// What became of a segment.
pub(super) enum Reference<'a> {
    /// Whoever is in any of these is in it.
    Segments(&'a [String]),
    LeftOut,
    Unknown,
}

impl Imported {
    pub(super) fn get(&self, environment: &str, key: &str) -> Reference<'_> {
        match self.found.get(environment).and_then(|keys| keys.get(key)) {
            Some(Ok(keys)) => Reference::Segments(keys),
            Some(Err(())) => Reference::LeftOut,
            None => Reference::Unknown,
        }
    }
}

/// A segment of the source in conditions.
#[derive(Debug, PartialEq)]
struct Definition {
    /// What is true of those with a single condition each, which fit one segment.
    single: Vec<Condition>,
    /// The others, with the number of the rule that they come from.
    several: Vec<(usize, Vec<Condition>)>,
    /// Whether there is nothing but one rule.
    is_one_rule: bool,
    notes: Notes,
}

/// Translates all segments into `plan`. `slugs` are the environments that are imported, by key.
pub(super) fn translate(
    project: &Project,
    slugs: &BTreeMap<&str, &str>,
    plan: &mut plan::Plan,
) -> Imported {
    let mut imported = Imported::default();
    let mut made: HashMap<&str, Vec<(Rc<Definition>, Keys)>> = HashMap::new();
    let mut left_out: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
    let mut taken: HashSet<String> = HashSet::new();
    let mut repeated = 0;
    for segment in project
        .segments
        .values()
        .flatten()
        .filter(|segment| !segment.deleted)
    {
        taken.insert(segment.key.clone());
    }
    plan.source_segments = taken.len();
    for (&environment, &slug) in slugs {
        let segments = project
            .segments
            .get(environment)
            .map_or(&[][..], Vec::as_slice);
        let mut resolver = Resolver::new(segments, &mut repeated);
        let mut found = HashMap::new();
        for segment in segments.iter().filter(|segment| !segment.deleted) {
            if found.contains_key(&segment.key) {
                continue;
            }
            let became = match resolver.resolve(&segment.key, 0) {
                Err(reason) => {
                    left_out
                        .entry((&segment.key, reason))
                        .or_default()
                        .push(slug.to_owned());
                    Err(())
                }
                Ok(definition) => {
                    let known = made.entry(&segment.key).or_default();
                    let same = known.iter().find(|(same, _)| *same == definition);
                    Ok(if let Some((_, keys)) = same {
                        Rc::clone(keys)
                    } else {
                        let key = if known.is_empty() {
                            segment.key.clone()
                        } else {
                            free(format!("{}-{slug}", segment.key), &mut taken)
                        };
                        let parts = parts(segment, key, &definition, &mut taken);
                        let keys: Rc<[String]> =
                            parts.iter().map(|part| part.key.clone()).collect();
                        plan.segments.extend(parts);
                        known.push((definition, Rc::clone(&keys)));
                        keys
                    })
                }
            };
            found.insert(segment.key.clone(), became);
        }
        imported.found.insert(environment.to_owned(), found);
    }
    for ((key, reason), environments) in left_out {
        plan.left_out.push(LeftOut {
            kind: Kind::Segment,
            source: key.to_owned(),
            reason: format!("{}: {reason}", listed(&environments)),
        });
    }
    imported
}

/// The segments that one becomes. The first has its key.
fn parts(
    segment: &Segment,
    key: String,
    definition: &Definition,
    taken: &mut HashSet<String>,
) -> Vec<plan::Segment> {
    let name = if segment.name.is_empty() {
        &segment.key
    } else {
        &segment.name
    };
    let part = |key: String, name: String, match_type, rules: Vec<Condition>| plan::Segment {
        source: segment.key.clone(),
        key,
        name,
        description: segment.description.clone(),
        match_type,
        rules,
        created_at: moment(segment.creation_date),
        remarks: definition.notes.clone().into_remarks(),
    };
    let mut parts = Vec::with_capacity(1 + definition.several.len());
    if !definition.single.is_empty() || definition.several.is_empty() {
        let match_type = if definition.is_one_rule {
            MatchType::All
        } else {
            MatchType::Any
        };
        parts.push(part(
            key.clone(),
            name.clone(),
            match_type,
            definition.single.clone(),
        ));
    }
    for (rule, conditions) in &definition.several {
        let (key, name) = if parts.is_empty() {
            (key.clone(), name.clone())
        } else {
            (
                free(format!("{key}-rule-{rule}"), taken),
                format!("{name}, rule {rule}"),
            )
        };
        parts.push(part(key, name, MatchType::All, conditions.clone()));
    }
    parts
}

/// The key, or the first one like it that no segment has.
fn free(key: String, taken: &mut HashSet<String>) -> String {
    let mut candidate = key.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{key}-{number}");
        number += 1;
    }
    candidate
}

/// The segments of one environment.
struct Resolver<'a> {
    segments: HashMap<&'a str, &'a Segment>,
    resolved: HashMap<&'a str, Option<Result<Rc<Definition>, String>>>,
    repeated: &'a mut usize,
}

impl<'a> Resolver<'a> {
    fn new(segments: &'a [Segment], repeated: &'a mut usize) -> Self {
        let mut by_key = HashMap::new();
        for segment in segments.iter().filter(|segment| !segment.deleted) {
            by_key.entry(segment.key.as_str()).or_insert(segment);
        }
        Self {
            segments: by_key,
            resolved: HashMap::new(),
            repeated,
        }
    }

    fn resolve(&mut self, key: &str, depth: usize) -> Result<Rc<Definition>, String> {
        let Some((&key, &segment)) = self.segments.get_key_value(key) else {
            return Err("it does not exist".to_owned());
        };
        match self.resolved.get(key) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return Err("it refers to itself".to_owned()),
            None if depth > MAX_DEPTH => {
                return Err("segments refer to each other in too many steps".to_owned());
            }
            None => {}
        }
        self.resolved.insert(key, None);
        let definition = self.define(segment, depth).map(Rc::new);
        self.resolved.insert(key, Some(definition.clone()));
        definition
    }

    fn define(&mut self, segment: &Segment, depth: usize) -> Result<Definition, String> {
        if segment.unbounded {
            return Err("it is a big segment, whose members the source does not tell".to_owned());
        }
        let mut notes = Notes::default();
        let included = users(
            &segment.included,
            &segment.included_contexts,
            "included",
            &mut notes,
        );
        let excluded = users(
            &segment.excluded,
            &segment.excluded_contexts,
            "excluded",
            &mut notes,
        );
        let mut alternatives: Vec<(usize, Vec<Condition>)> =
            keys("in", &included).map(|keys| (0, vec![keys])).collect();
        for (number, rule) in (1..).zip(&segment.rules) {
            let mut said = Vec::new();
            let rule = self
                .rule(rule, depth, &mut said)
                .map_err(|reason| format!("rule {number}: {reason}"))?;
            for note in said {
                notes.add("", Place::Rule(number), note);
            }
            for mut conditions in rule {
                self.repeat(excluded.len())?;
                conditions.extend(keys("notIn", &excluded));
                if conditions.is_empty() {
                    conditions.push(condition("key", "exists", Vec::<String>::new()));
                }
                alternatives.push((number, conditions));
            }
            let conditions: usize = alternatives
                .iter()
                .map(|(_, conditions)| conditions.len())
                .sum();
            if conditions > MAX_CONDITIONS {
                return Err("it takes too many conditions here".to_owned());
            }
        }
        let is_one_rule = alternatives.len() == 1 && alternatives[0].0 > 0;
        let (single, several): (Vec<_>, Vec<_>) = alternatives
            .into_iter()
            .partition(|(_, conditions)| conditions.len() == 1);
        if several.len() > MAX_PARTS {
            return Err(format!("it would become more than {MAX_PARTS} segments"));
        }
        Ok(Definition {
            single: single
                .into_iter()
                .flat_map(|(_, conditions)| conditions)
                .collect(),
            several,
            is_one_rule,
            notes,
        })
    }

    fn repeat(&mut self, operands: usize) -> Result<(), String> {
        *self.repeated += operands;
        let is_too_much = *self.repeated > MAX_REPEATED;
        (!is_too_much)
            .then_some(())
            .ok_or_else(|| "it takes too many operands here".to_owned())
    }

    /// What a rule of a segment asks, without those who are excluded.
    fn rule(
        &mut self,
        rule: &SegmentRule,
        depth: usize,
        notes: &mut Vec<Note>,
    ) -> Result<Alternatives, String> {
        match rule.weight {
            None | Some(100_000..) => {}
            Some(..=0) => return Ok(Vec::new()),
            Some(_) => return Err("it takes a percentage of those who match".to_owned()),
        }
        let mut alternatives = vec![Vec::new()];
        for clause in &rule.clauses {
            if clause.op == "segmentMatch" {
                if clause.negate {
                    return Err("it asks who is not in a segment".to_owned());
                }
                let mut of_segments = Alternatives::new();
                for key in clause.values.iter().filter_map(|key| key.as_str()) {
                    if !self.segments.contains_key(key) {
                        notes.push(Note::drop(format!("the segment `{key}` does not exist")));
                        continue;
                    }
                    let refused = |reason| format!("it refers to the segment `{key}`: {reason}");
                    let definition = self.resolve(key, depth + 1).map_err(refused)?;
                    notes.extend(definition.notes.notes().filter_map(copy));
                    let several = definition
                        .several
                        .iter()
                        .flat_map(|(_, conditions)| conditions);
                    self.repeat(
                        definition
                            .single
                            .iter()
                            .chain(several)
                            .map(|condition| condition.values.len())
                            .sum(),
                    )?;
                    of_segments.extend(
                        definition
                            .single
                            .iter()
                            .filter_map(|one| Some(vec![copy(one)?])),
                    );
                    of_segments.extend(
                        definition
                            .several
                            .iter()
                            .filter_map(|(_, conditions)| copy(conditions)),
                    );
                }
                alternatives = both(&alternatives, &of_segments)?;
                continue;
            }
            match clauses::translate(clause, notes) {
                Ok(Test::Always) => {}
                Ok(Test::Never) => alternatives.clear(),
                Ok(Test::Holds(tests)) => alternatives = both(&alternatives, &tests)?,
                Err(obstacle @ Obstacle::Kind(_)) => {
                    notes.push(Note::drop(format!("the rule is left out: {obstacle}")));
                    alternatives.clear();
                }
                Err(obstacle @ Obstacle::Other(_)) => return Err(obstacle.to_string()),
            }
        }
        Ok(alternatives)
    }
}
