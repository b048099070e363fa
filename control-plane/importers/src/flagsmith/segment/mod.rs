//! Segments: trees of conditions there, one flat list here.

mod difference;
mod formula;
mod leaf;
mod listed;
mod pattern;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use protocol::{rule::Condition, snapshot::MatchType};

use self::{difference::Difference, formula::Formula, leaf::Leaf};
use super::{flag::moment, wire};
use crate::plan::{Kind, LeftOut, Remarks, Segment};

/// Regular expressions of a segment, as for segments that are written through the API: more are not even compiled.
const MAX_PATTERNS: usize = 200;

/// A segment, or why there is none.
pub(super) fn translate(sent: wire::Segment) -> Result<Segment, LeftOut> {
    let name = if sent.name.is_empty() {
        sent.id.0.clone()
    } else {
        sent.name
    };
    let flat = if patterns(&sent.rules) > MAX_PATTERNS {
        Err(format!(
            "it has more than {MAX_PATTERNS} regular expressions"
        ))
    } else {
        Tree::read(&sent.rules).and_then(|tree| Flat::of(&tree))
    };
    match flat {
        Ok(flat) => Ok(Segment {
            key: format!("provider_c-segment-{}", sent.id.0),
            source: name.clone(),
            name,
            description: sent.description.unwrap_or_default(),
            match_type: flat.match_type,
            rules: flat.conditions,
            created_at: sent.created_at.as_deref().and_then(moment),
            remarks: flat.remarks,
        }),
        Err(reason) => Err(LeftOut {
            kind: Kind::Segment,
            source: name,
            reason,
        }),
    }
}

fn patterns(groups: &[wire::Group]) -> usize {
    let count = |group: &wire::Group| {
        let own = group.conditions.iter();
        own.filter(|test| test.operator == "REGEX").count() + patterns(&group.rules)
    };
    groups.iter().map(count).sum()
}

/// How the members of a group count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    All,
    Any,
    None,
}

/// The conditions of a segment, each translated.
enum Tree {
    Leaf(Leaf),
    Group(Level, Vec<Self>),
}

impl Tree {
    fn read(rules: &[wire::Group]) -> Result<Self, String> {
        if rules.is_empty() {
            // There is nobody in a segment without rules.
            return Ok(Self::Group(Level::Any, Vec::new()));
        }
        let groups = rules.iter().map(Self::group);
        Ok(Self::Group(Level::All, groups.collect::<Result<_, _>>()?))
    }

    /// The conditions of a group count by themselves, and so do the groups in it; where there are none, they hold.
    fn group(group: &wire::Group) -> Result<Self, String> {
        let level = match group.kind.as_str() {
            "ALL" => Level::All,
            "ANY" => Level::Any,
            "NONE" => Level::None,
            other => return Err(format!("the kind of group {other} is not known here")),
        };
        let mut lists = Vec::new();
        if !group.conditions.is_empty() {
            let tests = group.conditions.iter();
            let tests = tests.map(|test| Leaf::translate(test).map(Self::Leaf));
            lists.push(Self::Group(level, tests.collect::<Result<_, _>>()?));
        }
        if !group.rules.is_empty() {
            let groups = group.rules.iter().map(Self::group);
            lists.push(Self::Group(level, groups.collect::<Result<_, _>>()?));
        }
        Ok(Self::Group(Level::All, lists))
    }

    /// With the exact forms of conditions where they have one, or with the plain ones. `None` where the opposite of something
    /// cannot be said.
    fn formula(&self, is_exact: bool) -> Option<Formula> {
        Some(match self {
            Self::Leaf(leaf) => match &leaf.exact {
                Some(formula @ (Formula::Always | Formula::Never)) => formula.clone(),
                Some(formula) if is_exact => formula.clone(),
                _ => Formula::Test(leaf.plain.clone()),
            },
            Self::Group(level, members) => {
                let members = members.iter().map(|member| member.formula(is_exact));
                let members: Vec<_> = members.collect::<Option<_>>()?;
                match level {
                    Level::All => Formula::all(members),
                    Level::Any => Formula::any(members),
                    Level::None => Formula::any(members).not()?,
                }
            }
        })
    }

    fn leaves<'a>(&'a self, found: &mut Vec<&'a Leaf>) {
        match self {
            Self::Leaf(leaf) => found.push(leaf),
            Self::Group(_, members) => members.iter().for_each(|member| member.leaves(found)),
        }
    }

    fn has_none(&self) -> bool {
        match self {
            Self::Leaf(_) => false,
            Self::Group(level, members) => {
                *level == Level::None || members.iter().any(Self::has_none)
            }
        }
    }
}

/// What a segment holds here.
struct Flat {
    match_type: MatchType,
    conditions: Vec<Condition>,
    remarks: Remarks,
}

impl Flat {
    /// Exact where one level is enough; else as one list of all conditions, with a remark.
    fn of(tree: &Tree) -> Result<Self, String> {
        let mut leaves = Vec::new();
        tree.leaves(&mut leaves);
        for is_exact in [true, false] {
            if let Some((match_type, conditions)) = tree.formula(is_exact).and_then(Formula::flat) {
                let differences = leaves.iter().filter(|leaf| match leaf.exact {
                    None => true,
                    Some(Formula::Always | Formula::Never) => false,
                    Some(_) => !is_exact,
                });
                let differences = differences.filter_map(|leaf| leaf.difference.as_ref());
                return Ok(Self {
                    match_type,
                    conditions,
                    remarks: remarks(differences),
                });
            }
        }
        if tree.has_none() {
            return Err("a group NONE cannot be said in one list of conditions".to_owned());
        }
        let mut remarks = remarks(leaves.iter().filter_map(|leaf| leaf.difference.as_ref()));
        remarks.approximate(
            "groups ANY and ALL within each other became one list, all of which must hold here",
        );
        Ok(Self {
            match_type: MatchType::All,
            conditions: leaves.into_iter().map(|leaf| leaf.plain.clone()).collect(),
            remarks,
        })
    }
}

/// One remark for each reason, with the conditions that have it.
fn remarks<'a>(differences: impl Iterator<Item = &'a Difference>) -> Remarks {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Difference { reason, of } in differences {
        let conditions = by_reason.entry(reason).or_default();
        if !conditions.contains(&of.as_str()) && conditions.len() < 5 {
            conditions.push(of);
        }
    }
    let mut remarks = Remarks::default();
    for (reason, conditions) in by_reason {
        remarks.approximate(format!("{}: {reason}", conditions.join(", ")));
    }
    remarks
}
