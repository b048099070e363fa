//! Histories made by hand: a good one, and it with one thing wrong, each of which has to be found.

use std::time::Duration;

use super::{Wrong, counts, violations};
use crate::chaos::history::{
    History, Kept, Outcome, Read, Said, Seen, Sight, Span, Strike, Tally, Told, Track, Write,
};

const EDGE: &str = "edge";

fn at(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A tenth of a second from then on.
fn span(from: u64) -> Span {
    Span {
        from: at(from),
        to: at(from + 100),
    }
}

fn write(from: u64, items: &[&str], value: &str, outcome: Outcome<Option<u64>>) -> Write {
    Write {
        span: span(from),
        server: "control".to_owned(),
        items: items.iter().map(|&item| item.to_owned()).collect(),
        value: value.to_owned(),
        note: format!("{value} at {from}"),
        outcome,
    }
}

fn read(from: u64, version: u64, [one, other, solo]: [&str; 3]) -> Read {
    let items = [("one", one), ("other", other), ("solo", solo)];
    let items = items.map(|(item, value)| (item.to_owned(), Sight::Is(value.to_owned())));
    Read {
        span: span(from),
        edge: EDGE.to_owned(),
        is_counted: true,
        outcome: Outcome::Done(Seen {
            version,
            items: items.into(),
        }),
    }
}

fn segmented(from: u64, version: u64, sight: Sight) -> Read {
    let mut read = read(from, version, ["", "", ""]);
    read.outcome = Outcome::Done(Seen {
        version,
        items: [("segmented".to_owned(), sight)].into(),
    });
    read
}

fn strike(from: u64, to: u64) -> Strike {
    let edge = vec![EDGE.to_owned()];
    Strike {
        span: Span {
            from: at(from),
            to: at(to),
        },
        kind: "edge killed".to_owned(),
        what: "edge killed".to_owned(),
        killed: edge.clone(),
        silenced: edge,
        unstored: Vec::new(),
    }
}

fn frozen_control() -> Strike {
    Strike {
        killed: Vec::new(),
        silenced: vec!["control".to_owned()],
        ..strike(1_150, 1_250)
    }
}

/// A pair, a flag and a segment are written, and read in between; the edge is killed; one write has no answer.
fn good() -> History {
    let pair = ["one", "other"];
    let done = |version| Outcome::Done(Some(version));
    History {
        pairs: vec![pair.map(str::to_owned)],
        noted: ["one", "other", "solo"].map(str::to_owned).to_vec(),
        writes: vec![
            write(0, &pair, "v1", done(1)),
            write(200, &["solo"], "v2", done(2)),
            write(400, &["segmented"], "3", done(3)),
            write(1_000, &pair, "v4", done(4)),
            write(1_200, &["solo"], "off", Outcome::Unanswered),
            write(1_400, &["solo"], "v6", Outcome::Refused(503)),
            write(2_000, &pair, "v7", done(7)),
        ],
        reads: vec![
            read(600, 3, ["v1", "v1", "v2"]),
            segmented(700, 3, Sight::AtLeast(3)),
            read(1_600, 4, ["v4", "v4", "v2"]),
            read(1_800, 6, ["v4", "v4", "v6"]),
            read(2_200, 7, ["v7", "v7", "v6"]),
            // With the copy that it had stored.
            read(4_200, 6, ["v4", "v4", "v6"]),
            read(4_400, 7, ["v7", "v7", "v6"]),
        ],
        tracks: vec![Track {
            span: span(600),
            edge: EDGE.to_owned(),
            outcome: Outcome::Done(()),
        }],
        said: vec![Said {
            span: span(12_000),
            edge: EDGE.to_owned(),
            age: at(300),
        }],
        told: [3, 4, 4, 7]
            .map(|version| Told {
                at: at(0),
                edge: EDGE.to_owned(),
                stream: 0,
                version,
            })
            .to_vec(),
        strikes: vec![strike(3_900, 4_100), frozen_control()],
        tallies: vec![Tally {
            edge: EDGE.to_owned(),
            evaluations: 7,
            impressions: 1,
        }],
        kept: Kept {
            values: vec![
                ("one".to_owned(), Sight::Is("v7".to_owned())),
                ("solo".to_owned(), Sight::Is("v6".to_owned())),
            ],
            notes: [
                ("v1 at 0", 2),
                ("v2 at 200", 1),
                ("v4 at 1000", 2),
                ("v6 at 1400", 1),
                ("v7 at 2000", 2),
            ]
            .map(|(note, times)| (note.to_owned(), times))
            .into(),
        },
        ..History::default()
    }
}

/// What is found in the good history with this change.
fn found(change: impl FnOnce(&mut History)) -> Vec<Wrong> {
    let mut history = good();
    change(&mut history);
    let mut wrong: Vec<_> = violations(&history).iter().map(|it| it.wrong).collect();
    wrong.sort_unstable();
    wrong.dedup();
    wrong
}

#[test]
fn a_history_that_may_be_is_left_alone() {
    assert_eq!(violations(&good()), []);
}

#[test]
fn an_acknowledged_write_that_is_not_there_is_found() {
    let late = |history: &mut History| history.reads.push(read(5_000, 7, ["v4", "v4", "v6"]));
    // The other answer of version 7 says otherwise, too.
    assert_eq!(found(late), [Wrong::Lost, Wrong::Disordered]);
    let at_the_end = |history: &mut History| {
        let kept = &mut history.kept;
        kept.values[0].1 = Sight::Is("v4".to_owned());
    };
    assert_eq!(found(at_the_end), [Wrong::Lost]);
    let overwritten = |history: &mut History| {
        let kept = &mut history.kept;
        kept.notes.remove("v4 at 1000");
    };
    assert_eq!(found(overwritten), [Wrong::Lost]);
    let of_one = |history: &mut History| {
        let kept = &mut history.kept;
        kept.notes.insert("v4 at 1000".to_owned(), 1);
    };
    assert_eq!(found(of_one), [Wrong::Lost]);
    let of_the_segment =
        |history: &mut History| history.reads.push(segmented(5_000, 7, Sight::Below(3)));
    assert_eq!(found(of_the_segment), [Wrong::Invented]);
}

#[test]
fn a_value_that_was_seen_and_is_gone_is_found() {
    let gone = |history: &mut History| history.reads.push(read(5_000, 7, ["v7", "v7", "v2"]));
    assert_eq!(found(gone), [Wrong::Lost, Wrong::Disordered]);
}

#[test]
fn a_value_that_nobody_wrote_is_found() {
    let invented = |history: &mut History| history.reads.push(read(5_000, 8, ["v7", "v7", "v9"]));
    assert_eq!(found(invented), [Wrong::Invented]);
    let refused = |history: &mut History| {
        let write = write(4_900, &["solo"], "v9", Outcome::Refused(400));
        history.writes.push(write);
        history.reads.push(read(5_000, 8, ["v7", "v7", "v9"]));
    };
    // Refusing it was wrong already.
    assert_eq!(found(refused), [Wrong::Invented, Wrong::Unanswered]);
    let before_it_was_sent = |history: &mut History| {
        let write = write(6_000, &["solo"], "v9", Outcome::Unanswered);
        history.writes.push(write);
        history.reads.push(read(5_000, 8, ["v7", "v7", "v9"]));
    };
    assert!(found(before_it_was_sent).contains(&Wrong::Invented));
}

#[test]
fn versions_that_do_not_follow_the_writes_are_found() {
    let twice = |history: &mut History| history.writes[3].outcome = Outcome::Done(Some(2));
    assert!(found(twice).contains(&Wrong::Disordered));
    let backwards = |history: &mut History| {
        let write = write(6_000, &["solo"], "v9", Outcome::Done(Some(5)));
        history.writes.push(write);
    };
    assert!(found(backwards).contains(&Wrong::Disordered));
    let done_twice = |history: &mut History| {
        let kept = &mut history.kept;
        kept.notes.insert("v6 at 1400".to_owned(), 2);
    };
    assert_eq!(found(done_twice), [Wrong::Disordered]);
    let two_answers = |history: &mut History| {
        let write = write(2_100, &["solo"], "off", Outcome::Unanswered);
        history.writes.push(write);
        history.reads.push(read(5_000, 7, ["v7", "v7", "off"]));
    };
    assert_eq!(found(two_answers), [Wrong::Disordered]);
}

#[test]
fn an_edge_or_a_stream_that_goes_back_is_found() {
    let read_back = |history: &mut History| history.reads.push(read(5_000, 4, ["v4", "v4", "v2"]));
    assert_eq!(found(read_back), [Wrong::Backwards]);
    let without_a_disk = |history: &mut History| history.built_in.push(EDGE.to_owned());
    assert_eq!(found(without_a_disk), [Wrong::Backwards]);
    let told = |history: &mut History| history.told[3].version = 2;
    assert_eq!(found(told), [Wrong::Backwards]);
}

#[test]
fn a_mixed_pair_is_found() {
    let mixed = |history: &mut History| {
        let write = write(2_500, &["one", "other"], "v8", Outcome::Unanswered);
        history.writes.push(write);
        history.reads.push(read(5_000, 8, ["v8", "v7", "v6"]));
    };
    // What it shows has to be somewhere.
    assert!(found(mixed).contains(&Wrong::Mixed));
}

#[test]
fn an_edge_that_is_older_than_it_says_is_found() {
    let stale = read(20_500, 6, ["v4", "v4", "v6"]);
    let late = |history: &mut History| history.reads.push(stale.clone());
    assert_eq!(found(late), [Wrong::Backwards, Wrong::Stale]);
    let admitted = |history: &mut History| {
        history.said[0].age = at(8_000);
        history.reads.push(stale.clone());
    };
    assert_eq!(found(admitted), [Wrong::Backwards]);
    let struck_meanwhile = |history: &mut History| {
        history.strikes.push(Strike {
            killed: Vec::new(),
            ..strike(12_500, 12_600)
        });
        history.reads.push(stale.clone());
    };
    assert_eq!(found(struck_meanwhile), [Wrong::Backwards]);
}

#[test]
fn an_answer_that_never_came_is_found() {
    let mut unanswered = read(5_200, 7, ["v7", "v7", "v6"]);
    unanswered.outcome = Outcome::Unanswered;
    let silent = |history: &mut History| history.reads.push(unanswered.clone());
    assert_eq!(found(silent), [Wrong::Unanswered]);
    unanswered.span = span(4_000);
    let while_it_was_dead = |history: &mut History| history.reads.push(unanswered.clone());
    assert_eq!(found(while_it_was_dead), []);
    unanswered.outcome = Outcome::Refused(500);
    let an_error = |history: &mut History| history.reads.push(unanswered);
    assert_eq!(found(an_error), [Wrong::Unanswered]);
    let a_write = |history: &mut History| history.writes[4].span.from = at(4_800);
    assert!(found(a_write).contains(&Wrong::Unanswered));
}

#[test]
fn what_is_counted_twice_or_not_at_all_is_found() {
    let tally = |evaluations, impressions| {
        found(|history| {
            let tally = &mut history.tallies[0];
            (tally.evaluations, tally.impressions) = (evaluations, impressions);
        })
    };
    assert_eq!(tally(8, 1), [Wrong::Miscounted]);
    assert_eq!(tally(7, 2), [Wrong::Miscounted]);
    assert_eq!(tally(7, 0), [Wrong::Miscounted]);
    // What it had not stored when it was killed may be lost, and nothing before.
    assert_eq!(counts(&good(), EDGE), [4..=7, 1..=1]);
    assert_eq!(tally(4, 1), []);
    assert_eq!(tally(3, 1), [Wrong::Miscounted]);
    let mut history = good();
    let mut disk = strike(700, 3_000);
    disk.killed.clear();
    disk.silenced.clear();
    disk.unstored = vec![EDGE.to_owned()];
    history.strikes.push(disk);
    assert_eq!(counts(&history, EDGE), [2..=7, 0..=1]);
}
