//! Segments: trees of conditions there, one list here.

mod condition;
#[cfg(test)]
mod tests;

use protocol::snapshot::MatchType;

use super::wire;
use crate::{
    logic::{Expr, List},
    plan::{Kind, Plan, Remarks, Segment, moment},
};

pub(super) fn translate(sent: wire::Segment, plan: &mut Plan) {
    let name = if sent.name.is_empty() {
        sent.id.0.clone()
    } else {
        sent.name
    };
    let mut remarks = Remarks::default();
    match list(&sent.rules, &mut remarks) {
        Ok(list) => plan.segments.push(Segment {
            key: format!("provider_c-segment-{}", sent.id.0),
            source: name.clone(),
            name,
            description: sent.description.unwrap_or_default(),
            match_type: list.match_type,
            rules: list.conditions,
            created_at: moment(sent.created_at.as_deref()),
            remarks,
        }),
        Err(reason) => plan.leave_out(Kind::Segment, name, reason),
    }
}

/// Exact where one level is enough; else one list of all conditions, with a remark.
fn list(rules: &[wire::Group], remarks: &mut Remarks) -> Result<List, String> {
    // As for segments that are written through the API: more are not even compiled.
    if patterns(rules) > 200 {
        return Err("it has more than 200 regular expressions".to_owned());
    }
    let groups = rules.iter().map(|rule| group(rule, remarks));
    let groups: Vec<_> = groups.collect::<Result<_, _>>()?;
    let expr = if rules.is_empty() {
        // A segment without rules has no members.
        Expr::never()
    } else {
        Expr::all(groups)
    };
    if expr.is_never() {
        // However its parts would differ.
        *remarks = Remarks::default();
    }
    if let Some(list) = expr.clone().list() {
        return Ok(list);
    }
    if has_none(rules) {
        return Err("a group NONE cannot be said in one list of conditions".to_owned());
    }
    remarks.approximate(
        "groups ANY and ALL within each other became one list, all of which must hold here",
    );
    Ok(List {
        match_type: MatchType::All,
        conditions: expr.conditions(),
    })
}

fn patterns(groups: &[wire::Group]) -> usize {
    let count = |group: &wire::Group| {
        let own = group.conditions.iter();
        own.filter(|test| test.operator == "REGEX").count() + patterns(&group.rules)
    };
    groups.iter().map(count).sum()
}

fn has_none(groups: &[wire::Group]) -> bool {
    let mut groups = groups.iter();
    groups.any(|group| group.kind == "NONE" || has_none(&group.rules))
}

/// The conditions of a group count by themselves, and so do the groups in it; where there are none, they hold.
fn group(group: &wire::Group, remarks: &mut Remarks) -> Result<Expr, String> {
    let mut lists: Vec<Vec<Expr>> = Vec::new();
    let tests = group.conditions.iter();
    lists.push(
        tests
            .map(|test| condition::translate(test, remarks))
            .collect::<Result<_, _>>()?,
    );
    let groups = group.rules.iter();
    lists.push(
        groups
            .map(|inner| self::group(inner, remarks))
            .collect::<Result<_, _>>()?,
    );
    lists.retain(|list| !list.is_empty());
    let combined = lists.into_iter().map(|list| match group.kind.as_str() {
        "ALL" => Ok(Expr::all(list)),
        "ANY" => Ok(Expr::any(list)),
        "NONE" => Expr::any(list).not(remarks),
        other => Err(format!("the kind of group {other} is not known here")),
    });
    Ok(Expr::all(combined.collect::<Result<Vec<_>, _>>()?))
}
