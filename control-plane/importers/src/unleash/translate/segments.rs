//! Segments of the source, as segments here and as constraints of the strategies that use them.

use std::collections::HashMap;

use super::{
    constraint::Said,
    shape::{self, Needs},
    strategy::understood,
    timestamp,
};
use crate::{
    plan::{Kind, LeftOut, Plan, Remarks, Segment, rules::EVERYONE},
    unleash::wire,
};

/// Segments by their ids.
#[derive(Debug, Default)]
pub(super) struct Segments(HashMap<i64, Understood>);

/// A segment, understood.
#[derive(Debug, Default)]
pub(super) struct Understood {
    pub(super) name: String,
    /// The key of a segment here that means the same.
    pub(super) key: Option<String>,
    pub(super) needs: Needs,
    /// How many it has.
    pub(super) constraints: usize,
    /// What differs wherever its constraints are used.
    pub(super) said: Said,
    /// Why nothing can use it.
    pub(super) unknown: Option<String>,
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
            let mut understood = understand(&segment);
            match made(&segment, &mut understood) {
                Ok(made) => plan.segments.push(made),
                Err(reason) => plan.left_out.push(LeftOut {
                    kind: Kind::Segment,
                    source: segment.name.clone(),
                    reason,
                }),
            }
            all.insert(segment.id, understood);
        }
        Self(all)
    }

    pub(super) fn get(&self, id: i64) -> Option<&Understood> {
        self.0.get(&id)
    }
}

fn understand(segment: &wire::Segment) -> Understood {
    let mut result = Understood {
        name: segment.name.clone(),
        constraints: segment.constraints.len(),
        ..Understood::default()
    };
    let added = understood(&segment.constraints).and_then(|constraints| {
        constraints
            .into_iter()
            .try_for_each(|constraint| result.needs.add(constraint, &mut result.said))
    });
    result.unknown = added.err();
    result
}

/// The segment here, or why there is none. Strategies refer to it if it means the same, apart from what differs in its constraints
/// anyhow; else they have its constraints themselves.
fn made(segment: &wire::Segment, understood: &mut Understood) -> Result<Segment, String> {
    if let Some(why) = &understood.unknown {
        return Err(why.clone());
    }
    if understood.needs.never {
        return Err(understood
            .said
            .differs
            .first()
            .cloned()
            .unwrap_or_else(|| "nobody is in it".to_owned()));
    }
    if understood.needs == Needs::default() {
        return Err(
            "everybody is in it, which a segment here cannot say; flags that use it do without it"
                .to_owned(),
        );
    }
    let Some((shape, differences)) = shape::flat(&understood.needs) else {
        return Err("a negated constraint has no counterpart in a segment; flags that use it have its constraints themselves".to_owned());
    };
    let key = format!("provider_b-segment-{}", segment.id);
    if differences.is_empty() {
        understood.key = Some(key.clone());
    }
    let mut remarks = Remarks::default();
    for remark in understood.said.clone().reaching(EVERYONE) {
        remarks.approximate(remark);
    }
    for difference in differences {
        remarks.approximate(format!(
            "{difference}; flags that use it have its constraints themselves"
        ));
    }
    Ok(Segment {
        source: segment.name.clone(),
        key,
        name: segment.name.clone(),
        description: segment.description.clone(),
        match_type: shape.match_type,
        rules: shape.conditions,
        created_at: timestamp(segment.created_at.as_deref()),
        remarks,
    })
}
