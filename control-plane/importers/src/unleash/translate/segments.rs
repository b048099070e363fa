//! Segments of the source, as segments here and as constraints of the strategies that use them.

use std::collections::HashMap;

use super::constraint;
use crate::{
    logic::Expr,
    plan::{Kind, Plan, Remarks, Segment, copies::copy, moment},
    unleash::wire,
};

#[derive(Debug, Default)]
pub(super) struct Segments(HashMap<i64, Understood>);

/// A segment, understood.
#[derive(Debug)]
pub(super) struct Understood {
    pub(super) name: String,
    /// The key of the segment here. Strategies have the constraints themselves where there is none.
    pub(super) key: Option<String>,
    /// Its members, or why it cannot be used.
    pub(super) members: Result<Expr, String>,
    /// What differs wherever its constraints are used.
    pub(super) remarks: Remarks,
}

impl Segments {
    /// Understands the segments, and adds what becomes of them to the plan.
    pub(super) fn read(segments: Vec<wire::Segment>, plan: &mut Plan) -> Self {
        let mut all = HashMap::new();
        for segment in segments {
            if all.contains_key(&segment.id) {
                continue;
            }
            plan.source_segments += 1;
            let mut remarks = Remarks::default();
            let mut understood = Understood {
                name: segment.name.clone(),
                key: None,
                members: constraint::all(&segment.constraints, &mut remarks),
                remarks,
            };
            match made(&segment, &understood) {
                Ok(made) => {
                    understood.key = Some(made.key.clone());
                    plan.segments.push(made);
                }
                Err(reason) => plan.leave_out(Kind::Segment, &segment.name, reason),
            }
            all.insert(segment.id, understood);
        }
        Self(all)
    }

    pub(super) fn get(&self, id: i64) -> Option<&Understood> {
        self.0.get(&id)
    }
}

/// The segment here, or why there is none.
fn made<'a>(segment: &wire::Segment, understood: &'a Understood) -> Result<Segment, &'a str> {
    let members = understood.members.as_ref().map_err(String::as_str)?;
    if members.is_never() {
        return Err("nobody is in it");
    }
    if members.is_always() {
        return Err(
            "everybody is in it, which a segment here cannot say; flags that use it do without it",
        );
    }
    let list = copy(members).and_then(Expr::list).ok_or(
        "it takes more than one list of conditions; flags that use it have its constraints themselves",
    )?;
    Ok(Segment {
        source: segment.name.clone(),
        key: format!("provider_b-segment-{}", segment.id),
        name: segment.name.clone(),
        description: segment.description.clone(),
        match_type: list.match_type,
        rules: list.conditions,
        created_at: moment(segment.created_at.as_deref()),
        remarks: understood.remarks.clone(),
    })
}
