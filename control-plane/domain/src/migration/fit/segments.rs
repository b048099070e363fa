//! Segments of a plan, as they can be stored.

use std::collections::HashSet;

use importers::plan::{self, Remarks};
use protocol::{objects::Objects, snapshot::MatchType};
use time::OffsetDateTime;

use super::{Fit, Fitted, at, described, named, unstorable};
use crate::{
    migration::model::{Item, ItemKind},
    segments::{input::NewSegment, model::Segment},
};
use base::input::Invalid;

pub(super) fn fit(planned: Vec<plan::Segment>, fitted: &mut Fitted, now: OffsetDateTime) {
    let mut keys = HashSet::new();
    for mut segment in planned {
        let mut remarks = std::mem::take(&mut segment.remarks);
        let source = segment.source.clone();
        if !keys.insert(segment.key.clone()) {
            let reason = format!("another segment has the key {} too", segment.key);
            let skipped = Item::skipped(ItemKind::Segment, &source, reason);
            fitted.skipped.push(skipped);
            continue;
        }
        let counted = fitted.count_patterns(segment.rules.iter());
        match counted.and_then(|()| checked(segment, &mut remarks, now)) {
            Ok(made) => fitted.segments.push(Fit {
                source,
                made,
                remarks,
            }),
            Err(invalid) => {
                let skipped = Item::skipped(ItemKind::Segment, &source, invalid.to_string());
                fitted.skipped.push(skipped);
            }
        }
    }
}

fn checked(
    segment: plan::Segment,
    remarks: &mut Remarks,
    now: OffsetDateTime,
) -> Result<Segment, Invalid> {
    let name = named(segment.name, &segment.key, remarks);
    let description = described(segment.description, remarks);
    if let Some(what) = unstorable(&segment.rules) {
        return Err(Invalid::new(format!("a condition contains {what}")));
    }
    let match_type = match segment.match_type {
        MatchType::All => "all",
        MatchType::Any => "any",
    };
    let new = NewSegment {
        key: Some(segment.key),
        name: Some(name),
        description: Some(description),
        match_type: Some(match_type.to_owned()),
        rules: Some(Objects(segment.rules)),
    };
    let created_at = at(segment.created_at, now);
    let made = new.check(now)?;
    Ok(Segment { created_at, ..made })
}
