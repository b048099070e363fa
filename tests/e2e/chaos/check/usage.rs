//! What is counted of the answers of edges: all of it once, but for what a killed edge had not stored.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::Wrong;
use crate::chaos::history::{History, Outcome, Span};

/// What an edge may lose that is killed: what it counted in the last interval of a second and 200 ms; the rest is for a machine
/// that is busy.
const UNWRITTEN: Duration = Duration::from_millis(3_000);

/// How many evaluations and impressions of an edge may be counted.
pub fn counts(history: &History, edge: &str) -> [RangeInclusive<u64>; 2] {
    let risks = risks(history, edge);
    let reads = history.reads.iter();
    let reads = reads.filter(|read| read.edge == edge && read.is_counted);
    let reads = reads.map(|read| (read.span, chance(&read.outcome)));
    let tracks = history.tracks.iter().filter(|track| track.edge == edge);
    let tracks = tracks.map(|track| (track.span, chance(&track.outcome)));
    [range(&risks, reads), range(&risks, tracks)]
}

/// Whether a question is counted, if that can be said.
fn chance<T>(outcome: &Outcome<T>) -> Option<bool> {
    match outcome {
        Outcome::Done(_) => Some(true),
        Outcome::Refused(_) => Some(false),
        Outcome::Unanswered => None,
    }
}

fn range(
    risks: &[Span],
    questions: impl Iterator<Item = (Span, Option<bool>)>,
) -> RangeInclusive<u64> {
    let (mut least, mut most) = (0, 0);
    for (span, counted) in questions {
        let is_at_risk = risks.iter().any(|risk| risk.overlaps(span));
        least += u64::from(counted == Some(true) && !is_at_risk);
        most += u64::from(counted != Some(false));
    }
    least..=most
}

/// When what the edge counted could be lost: before each end, back to when it could last store something.
fn risks(history: &History, edge: &str) -> Vec<Span> {
    let is_unstored = |name: &&String| name.as_str() == edge;
    let unstored: Vec<_> = history
        .strikes
        .iter()
        .filter(|strike| strike.unstored.iter().any(|name| is_unstored(&name)))
        .map(|strike| strike.span)
        .collect();
    let ends = history.ends_of(edge);
    ends.map(|end| {
        let mut from = end.from.saturating_sub(UNWRITTEN);
        while let Some(earlier) = unstored
            .iter()
            .filter(|span| span.from < end.from && span.to + UNWRITTEN >= from)
            .map(|span| span.from.saturating_sub(UNWRITTEN))
            .find(|earlier| *earlier < from)
        {
            from = earlier;
        }
        Span { from, to: end.to }
    })
    .collect()
}

pub(super) fn check(history: &History, note: &mut dyn FnMut(Wrong, String)) {
    for tally in &history.tallies {
        let [evaluations, impressions] = counts(history, &tally.edge);
        if !evaluations.contains(&tally.evaluations) {
            note(
                Wrong::Miscounted,
                format!("evaluations not in {evaluations:?}: {tally:?}"),
            );
        }
        if !impressions.contains(&tally.impressions) {
            note(
                Wrong::Miscounted,
                format!("impressions not in {impressions:?}: {tally:?}"),
            );
        }
    }
}
