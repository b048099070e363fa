//! Bodies of definitions: flags, states, segments and environments, as the API and flag files have them.

use definition::{
    environments::input::{EnvironmentPatch, NewEnvironment},
    flags::{input::NewFlag, model::FlagType, states::input::StatePatch},
    segments::input::{NewSegment, SegmentPatch},
};
use serde_json::to_value;
use time::macros::datetime;

/// The first byte is the kind; the rest is JSON. What was accepted is accepted again as it is shown.
pub(crate) fn run(bytes: &[u8]) {
    let now = datetime!(2026-05-01 00:00 UTC);
    let (kind, rest) = crate::choice(bytes);
    match kind % 9 {
        0 => {
            if let Ok(new) = serde_json::from_slice::<NewFlag>(rest)
                && let Ok(flag) = new.check(now)
            {
                let mut shown = to_value(&flag).unwrap();
                drop(shown.as_object_mut().unwrap().remove("owner_id"));
                let again: NewFlag = serde_json::from_value(shown).unwrap();
                assert_eq!(again.check(now).unwrap().default_value, flag.default_value);
            }
        }
        1 => {
            if let Ok(new) = serde_json::from_slice::<NewSegment>(rest)
                && let Ok(segment) = new.check(now)
            {
                let again: NewSegment =
                    serde_json::from_value(to_value(&segment).unwrap()).unwrap();
                assert_eq!(again.check(now).unwrap().rules, segment.rules);
            }
        }
        2 => drop(serde_json::from_slice::<SegmentPatch>(rest).map(SegmentPatch::check)),
        3 => drop(serde_json::from_slice::<NewEnvironment>(rest).map(|new| new.check(now))),
        4 => drop(serde_json::from_slice::<EnvironmentPatch>(rest).map(EnvironmentPatch::check)),
        5 => state(rest, FlagType::Boolean),
        6 => state(rest, FlagType::String),
        7 => state(rest, FlagType::Json),
        _ => state(rest, FlagType::Ab),
    }
}

fn state(body: &[u8], flag_type: FlagType) {
    let now = datetime!(2026-05-01 00:00 UTC);
    if let Ok(patch) = serde_json::from_slice::<StatePatch>(body) {
        drop(patch.check(flag_type, now));
    }
}
