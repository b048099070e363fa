//! What edges and streams do over time: forwards only, as new as they say, and with an answer to everything.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::Wrong;
use super::contents::{acknowledged, newest_before};
use crate::chaos::history::{History, Outcome, Read, Span};

/// What was committed by the time that an edge names may still be on its way: it is there so much later, unless a fault begins
/// meanwhile. A push that is lost with its sender was on its way for less than this. Alone it takes milliseconds.
const ON_ITS_WAY: Duration = Duration::from_secs(8);
/// Connections to a process that has just returned may still be to the one before.
const RETURN: Duration = Duration::from_secs(1);

type Note<'a> = dyn FnMut(Wrong, String) + 'a;

pub(super) fn check(history: &History, note: &mut Note<'_>) {
    let names: BTreeSet<_> = history.reads.iter().map(|read| &*read.edge).collect();
    for edge in names {
        forwards(history, edge, note);
        as_new_as_said(history, edge, note);
    }
    streams(history, note);
    answers(history, note);
}

/// An edge that was killed may return with a copy that is a little older, which one without a disk cannot have.
fn restarts<'a>(history: &'a History, edge: &'a str) -> Vec<Span> {
    if history.built_in.iter().any(|name| name == edge) {
        return Vec::new();
    }
    history.ends_of(edge).collect()
}

fn answered<'a>(history: &'a History, edge: &str) -> Vec<(&'a Read, u64)> {
    let of_edge = history.reads.iter().filter(|read| read.edge == edge);
    let mut all: Vec<_> = of_edge
        .filter_map(|read| Some((read, read.outcome.done()?.version)))
        .collect();
    all.sort_by_key(|(read, _)| read.span.from);
    all
}

fn forwards(history: &History, edge: &str, note: &mut Note<'_>) {
    let asked = answered(history, edge);
    let mut by_answer = asked.clone();
    by_answer.sort_by_key(|(read, _)| read.span.to);
    let mut restarts = restarts(history, edge);
    restarts.sort_by_key(|span| span.from);
    let (mut next, mut newest) = (0, None::<(&Read, u64)>);
    for (read, version) in asked {
        while by_answer[next].0.span.to < read.span.from {
            if newest.is_none_or(|(_, newest)| by_answer[next].1 > newest) {
                newest = Some(by_answer[next]);
            }
            next += 1;
        }
        let since = restarts.partition_point(|span| span.from <= read.span.to);
        let restart = since.checked_sub(1).map(|last| restarts[last].from);
        // What was newest before the last restart says nothing about what there is after it.
        if let Some((before, least)) = newest
            && version < least
        {
            if restart.is_some_and(|restart| before.span.from <= restart) {
                newest = Some((read, version));
            } else {
                note(Wrong::Backwards, format!("{read:?} after {before:?}"));
            }
        }
    }
}

fn as_new_as_said(history: &History, edge: &str, note: &mut Note<'_>) {
    let before = newest_before(&acknowledged(history));
    let restarts = restarts(history, edge);
    let begins_after = |moment: Duration| {
        let after = moment..moment + ON_ITS_WAY;
        let mut strikes = history.strikes.iter();
        strikes.any(|strike| after.contains(&strike.span.from))
    };
    let said = history.said.iter();
    let mut said: Vec<_> = said
        .filter(|said| said.edge == edge && !begins_after(said.span.to))
        .collect();
    said.sort_by_key(|said| said.span.to);
    let (mut next, mut least, mut by) = (0, 0, None);
    for (read, version) in answered(history, edge) {
        while next < said.len() && said[next].span.to + ON_ITS_WAY < read.span.from {
            let claim = said[next];
            let known = before(claim.span.from.saturating_sub(claim.age + ON_ITS_WAY));
            if known > least {
                (least, by) = (known, Some(claim));
            }
            next += 1;
        }
        let Some(claim) = by else {
            continue;
        };
        let span = Span {
            from: claim.span.from,
            to: read.span.to,
        };
        if restarts.iter().any(|restart| restart.overlaps(span)) {
            (least, by) = (0, None);
        } else if version < least {
            note(
                Wrong::Stale,
                format!("version {least} after {claim:?}: {read:?}"),
            );
        }
    }
}

fn streams(history: &History, note: &mut Note<'_>) {
    let mut newest: BTreeMap<(&str, u64), u64> = BTreeMap::new();
    for told in &history.told {
        let before = newest.entry((&told.edge, told.stream)).or_default();
        if told.version < *before {
            note(
                Wrong::Backwards,
                format!("after version {before}: {told:?}"),
            );
        }
        *before = told.version;
    }
}

fn answers(history: &History, note: &mut Note<'_>) {
    let is_able = |process: &str, span: Span| {
        let from = span.from.saturating_sub(RETURN);
        history.is_able(process, Span { from, ..span })
    };
    for read in &history.reads {
        if is_wrong(&read.outcome, false, is_able(&read.edge, read.span)) {
            note(Wrong::Unanswered, format!("{read:?}"));
        }
    }
    for track in &history.tracks {
        if is_wrong(&track.outcome, false, is_able(&track.edge, track.span)) {
            note(Wrong::Unanswered, format!("{track:?}"));
        }
    }
    for write in &history.writes {
        if is_wrong(&write.outcome, true, is_able(&write.server, write.span)) {
            note(Wrong::Unanswered, format!("{write:?}"));
        }
    }
}

/// Without its database a control plane refuses writes; nothing makes an edge that holds an environment refuse.
fn is_wrong<T>(outcome: &Outcome<T>, may_refuse: bool, is_able: bool) -> bool {
    match outcome {
        Outcome::Done(_) => false,
        Outcome::Refused(503) => is_able && !may_refuse,
        Outcome::Refused(500..) => true,
        Outcome::Refused(_) | Outcome::Unanswered => is_able,
    }
}
