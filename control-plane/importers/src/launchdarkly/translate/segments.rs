//! Segments. There they belong to an environment, may be any combination of rules, and may refer to each other; here they belong
//! to the project and are flat. One of them becomes as many as it takes: a member of any of them is a member of it.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    rc::Rc,
};

use protocol::snapshot::MatchType;

use super::{
    super::wire::{Project, Segment, SegmentRule, Target, is_user},
    clauses, moment,
};
use crate::{
    logic::{Expr, KEY, List, MAX_VALUES},
    plan::{self, Kind, Remarks, copies::copy},
};

/// The keys here of one segment of the source: a member of any of them is a member of it.
pub(super) type Keys = Rc<[String]>;

/// What became of the segments, by environment and key: the keys here, or `None` where a segment is left out.
pub(super) type Imported = HashMap<String, HashMap<String, Option<Keys>>>;

/// The members of a segment.
#[derive(Debug, PartialEq)]
struct Definition {
    expr: Expr,
    remarks: Remarks,
}

/// Conditions on the key, for lists of any length.
pub(super) fn keys<'a>(operator: &'a str, keys: &'a [&str]) -> impl Iterator<Item = Expr> + 'a {
    keys.chunks(MAX_VALUES)
        .map(move |chunk| Expr::is(KEY, operator, chunk.iter().copied()))
}

/// Translates all segments into `plan`. `slugs` are the environments that are imported, by key.
pub(super) fn translate(
    project: &Project,
    slugs: &BTreeMap<&str, &str>,
    plan: &mut plan::Plan,
) -> Imported {
    let mut imported = Imported::new();
    let mut made: HashMap<&str, Vec<(Rc<Definition>, Keys)>> = HashMap::new();
    let mut left_out: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    let all = project.segments.values().flatten();
    let mut taken: HashSet<String> = all
        .filter(|segment| !segment.deleted)
        .map(|segment| segment.key.clone())
        .collect();
    plan.source_segments = taken.len();
    for (&environment, &slug) in slugs {
        let segments = project.segments.get(environment);
        let segments = segments.map_or(&[][..], Vec::as_slice);
        let mut resolver = Resolver::new(segments);
        let mut found = HashMap::new();
        for segment in segments.iter().filter(|segment| !segment.deleted) {
            if found.contains_key(&segment.key) {
                continue;
            }
            let known = made.entry(&segment.key).or_default();
            let became = resolver.resolve(&segment.key, 0).and_then(|definition| {
                let same = known.iter().find(|(same, _)| *same == definition);
                if let Some((_, keys)) = same {
                    return Ok(Rc::clone(keys));
                }
                let expr = copy(&definition.expr).unwrap_or_else(Expr::never);
                let mut lists = expr.segments()?;
                if let ([only], []) = (lists.as_mut_slice(), segment.rules.as_slice()) {
                    only.match_type = MatchType::Any;
                }
                let key = if known.is_empty() {
                    segment.key.clone()
                } else {
                    free(format!("{}-{slug}", segment.key), &mut taken)
                };
                let parts = parts(segment, key, lists, &definition.remarks, &mut taken);
                let keys: Keys = parts.iter().map(|part| part.key.clone()).collect();
                plan.segments.extend(parts);
                known.push((definition, Rc::clone(&keys)));
                Ok(keys)
            });
            if let Err(reason) = &became {
                let environments = left_out.entry((&segment.key, reason.clone()));
                environments.or_default().push(slug);
            }
            found.insert(segment.key.clone(), became.ok());
        }
        imported.insert(environment.to_owned(), found);
    }
    for ((key, reason), environments) in left_out {
        let reason = format!("{}: {reason}", environments.join(", "));
        plan.leave_out(Kind::Segment, key, reason);
    }
    imported
}

/// The segments that one becomes. The first has its key.
fn parts(
    segment: &Segment,
    key: String,
    lists: Vec<List>,
    remarks: &Remarks,
    taken: &mut HashSet<String>,
) -> Vec<plan::Segment> {
    let name = if segment.name.is_empty() {
        &segment.key
    } else {
        &segment.name
    };
    let parts = lists.into_iter().enumerate().map(|(number, list)| {
        let (key, name) = if number == 0 {
            (key.clone(), name.clone())
        } else {
            let key = free(format!("{key}-rule-{number}"), taken);
            (key, format!("{name}, rule {number}"))
        };
        plan::Segment {
            source: segment.key.clone(),
            key,
            name,
            description: segment.description.clone(),
            match_type: list.match_type,
            rules: list.conditions,
            created_at: moment(segment.creation_date),
            remarks: remarks.clone(),
        }
    });
    parts.collect()
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
}

impl<'a> Resolver<'a> {
    fn new(segments: &'a [Segment]) -> Self {
        let mut by_key = HashMap::new();
        for segment in segments.iter().filter(|segment| !segment.deleted) {
            by_key.entry(segment.key.as_str()).or_insert(segment);
        }
        Self {
            segments: by_key,
            resolved: HashMap::new(),
        }
    }

    fn resolve(&mut self, key: &str, depth: usize) -> Result<Rc<Definition>, String> {
        let Some((&key, &segment)) = self.segments.get_key_value(key) else {
            return Err("it does not exist".to_owned());
        };
        match self.resolved.get(key) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return Err("it refers to itself".to_owned()),
            None if depth > 20 => {
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
            return Err("it is a big segment, whose members the source does not return".to_owned());
        }
        let mut remarks = Remarks::default();
        let included = users(&segment.included, &segment.included_contexts, &mut remarks);
        let excluded = users(&segment.excluded, &segment.excluded_contexts, &mut remarks);
        let mut alternatives: Vec<Expr> = keys("in", &included).collect();
        for (number, rule) in (1..).zip(&segment.rules) {
            let place = format!("rule {number}");
            let mut of_rule = Remarks::default();
            let rule = self.rule(rule, depth, &mut of_rule);
            let rule = rule.map_err(|reason| format!("{place}: {reason}"))?;
            remarks.extend_at(&place, of_rule);
            if !rule.is_never() {
                let others = keys("notIn", &excluded);
                alternatives.push(Expr::all([rule].into_iter().chain(others)));
            }
        }
        Ok(Definition {
            expr: Expr::any(alternatives),
            remarks,
        })
    }

    /// What a rule of a segment asks, without those who are excluded.
    fn rule(
        &mut self,
        rule: &SegmentRule,
        depth: usize,
        remarks: &mut Remarks,
    ) -> Result<Expr, String> {
        match rule.weight {
            None | Some(100_000..) => {}
            Some(..=0) => return Ok(Expr::never()),
            Some(_) => return Err("it takes a percentage of those who match".to_owned()),
        }
        let mut parts = Vec::new();
        for clause in &rule.clauses {
            if clause.op != "segmentMatch" {
                parts.push(clauses::translate(clause, remarks)?);
                continue;
            }
            if clause.negate {
                return Err("it asks who is not in a segment".to_owned());
            }
            let mut members = Vec::new();
            for key in clause.values.iter().filter_map(|key| key.as_str()) {
                if !self.segments.contains_key(key) {
                    remarks.drop(format!("the segment `{key}` does not exist"));
                    continue;
                }
                let refused = |reason| format!("it refers to the segment `{key}`: {reason}");
                let definition = self.resolve(key, depth + 1).map_err(refused)?;
                remarks.extend_at("", definition.remarks.clone());
                members.extend(copy(&definition.expr));
            }
            parts.push(Expr::any(members));
        }
        Ok(Expr::all(parts))
    }
}

/// The keys of users among those who are listed; others are left out.
fn users<'a>(keys: &'a [String], contexts: &'a [Target], remarks: &mut Remarks) -> Vec<&'a str> {
    let mut users: Vec<&str> = keys.iter().map(String::as_str).collect();
    for target in contexts {
        if is_user(&target.context_kind) {
            users.extend(target.values.iter().map(String::as_str));
        } else if !target.values.is_empty() {
            let kind = &target.context_kind;
            remarks.drop(format!("contexts of the kind `{kind}` are left out"));
        }
    }
    let mut seen = HashSet::new();
    users.retain(|key| seen.insert(*key));
    users
}
