//! What edges below are sent, and what is made for it.

mod above;
mod everybody;

use protocol::{
    digest,
    snapshot::{Delta, Snapshot},
    wire::{merge::decode, message::Push},
};

use super::{
    held::{Bounds, Kept},
    *,
};
use above::{Above, Change, env};

/// The frame that is to be sent.
#[track_caller]
fn sent(found: Found) -> Frame {
    match found {
        Found::Send(frame) => frame,
        other => panic!("{other:?}"),
    }
}

/// Applies a frame as an edge does; what it holds then.
fn applied(held: Option<Snapshot>, frame: &Frame) -> Snapshot {
    let next = match decode(env(), &frame.bytes).unwrap() {
        Push::Snapshot(snapshot, digest) => {
            assert_eq!(digest::of(&snapshot), digest);
            snapshot
        }
        Push::Delta(delta) => {
            assert_eq!(delta.urgent, frame.urgent);
            let mut held = held.expect("a delta is for those who hold something");
            held.apply(delta).unwrap();
            held
        }
        Push::Removed { .. } => panic!("a removal is nothing to be made"),
    };
    assert_eq!(next.head.version, frame.version);
    next
}

#[tokio::test]
async fn what_was_received_is_passed_on_as_it_is() {
    let frames = Frames::default();
    let mut above = Above::new(5, 3);
    let whole = above.send_whole(&frames);
    let found = sent(frames.update(env(), None).await);
    assert_eq!(found.bytes.as_ptr(), whole.as_ptr());
    assert_eq!((found.version, found.urgent), (5, false));

    for urgent in [false, true] {
        let base = above.version();
        let delta = above.send_delta(&frames, urgent, Change::Set(1, format!("{urgent}")));
        let found = sent(frames.update(env(), Some(base)).await);
        assert_eq!(found.bytes.as_ptr(), delta.as_ptr());
        assert_eq!((found.version, found.urgent), (base + 1, urgent));
    }
    let newest = frames.update(env(), Some(7)).await;
    assert!(matches!(newest, Found::Nothing(7)), "{newest:?}");
    // It came from a relay that was told more.
    let newer = frames.update(env(), Some(8)).await;
    assert!(matches!(newer, Found::Nothing(7)), "{newer:?}");
}

#[tokio::test]
async fn several_deltas_become_one_that_is_kept() {
    let frames = Frames::default();
    let mut above = Above::new(1, 3);
    above.send_whole(&frames);
    let before = above.snapshot.clone();
    above.send_delta(&frames, true, Change::Set(0, "off".to_owned()));
    above.set(&frames, 1, "later");

    let first = sent(frames.update(env(), Some(1)).await);
    assert_eq!((first.version, first.urgent), (3, true));
    assert_eq!(applied(Some(before), &first), above.snapshot);
    let second = sent(frames.update(env(), Some(1)).await);
    assert_eq!(second.bytes.as_ptr(), first.bytes.as_ptr());

    // What leads to a version that is not the newest any more is of no use.
    above.set(&frames, 2, "last");
    let third = sent(frames.update(env(), Some(1)).await);
    assert_eq!((third.version, third.urgent), (4, true));
}

#[tokio::test]
async fn a_whole_environment_takes_in_the_deltas_since_and_is_kept() {
    let frames = Frames::default();
    let mut above = Above::new(1, 3);
    above.send_whole(&frames);
    above.set(&frames, 0, "a");
    above.send_delta(&frames, true, Change::Remove(1));

    let first = sent(frames.update(env(), None).await);
    assert!(!first.urgent, "it may be large");
    assert_eq!(applied(None, &first), above.snapshot);
    // Nobody knows what leads from there to here.
    let second = sent(frames.update(env(), Some(0)).await);
    assert_eq!(second.bytes.as_ptr(), first.bytes.as_ptr());
    // The deltas are still there for those who need no more.
    let delta = sent(frames.update(env(), Some(1)).await);
    assert!(matches!(
        decode(env(), &delta.bytes),
        Ok(Push::Delta(Delta { base: 1, .. }))
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_several_ask_for_at_the_same_time_is_made_once() {
    let frames = Arc::new(Frames::default());
    let mut above = Above::new(1, 2_000);
    above.send_whole(&frames);
    for number in 0..20 {
        above.set(&frames, number, "changed");
    }
    for base in [None, Some(1), Some(7)] {
        let askers: Vec<_> = (0..16)
            .map(|_| {
                let frames = Arc::clone(&frames);
                tokio::spawn(async move { sent(frames.update(env(), base).await) })
            })
            .collect();
        let mut made = Vec::new();
        for asker in askers {
            made.push(asker.await.unwrap().bytes.as_ptr());
        }
        made.dedup();
        assert_eq!(made.len(), 1, "from {base:?}");
    }
}

#[tokio::test]
async fn what_nobody_waits_for_any_more_is_made_all_the_same() {
    let frames = Frames::default();
    let mut above = Above::new(1, 3);
    above.send_whole(&frames);
    above.set(&frames, 0, "a");
    above.set(&frames, 0, "b");
    {
        let mut update = Box::pin(frames.update(env(), None));
        let pending = futures_util::poll!(&mut update);
        assert!(pending.is_pending());
    }
    let found = sent(frames.update(env(), None).await);
    assert_eq!(applied(None, &found), above.snapshot);
    let again = sent(frames.update(env(), None).await);
    assert_eq!(again.bytes.as_ptr(), found.bytes.as_ptr());
}

#[tokio::test]
async fn without_frames_the_whole_is_missing_and_deltas_go_on() {
    let frames = Frames::default();
    let found = frames.update(env(), None).await;
    assert!(matches!(found, Found::Gone), "{found:?}");

    frames.holds(env(), 4);
    let mut above = Above::new(4, 3);
    let held = frames.update(env(), Some(4)).await;
    assert!(matches!(held, Found::Nothing(4)), "{held:?}");
    let delta = above.set(&frames, 0, "a");
    let found = sent(frames.update(env(), Some(4)).await);
    assert_eq!(found.bytes.as_ptr(), delta.as_ptr());
    for base in [None, Some(3)] {
        let found = frames.update(env(), base).await;
        assert!(matches!(found, Found::Missing), "{found:?}");
    }

    // What was requested comes at the same version: the delta is still of use.
    let whole = above.send_whole(&frames);
    let found = sent(frames.update(env(), None).await);
    assert_eq!(found.bytes.as_ptr(), whole.as_ptr());
    let found = sent(frames.update(env(), Some(4)).await);
    assert_eq!(found.bytes.as_ptr(), delta.as_ptr());
    // A greeting confirms what is at hand.
    frames.holds(env(), 5);
    let found = sent(frames.update(env(), None).await);
    assert_eq!(found.bytes.as_ptr(), whole.as_ptr());
}

#[tokio::test]
async fn what_was_removed_is_gone_and_another_epoch_knows_nothing() {
    let frames = Frames::default();
    let above = Above::new(7, 3);
    above.send_whole(&frames);
    frames.removed(env());
    let found = frames.update(env(), Some(7)).await;
    assert!(matches!(found, Found::Gone), "{found:?}");

    above.send_whole(&frames);
    frames.forget();
    let found = frames.update(env(), Some(7)).await;
    assert!(matches!(found, Found::Gone), "{found:?}");
    let older = Above::new(2, 3);
    older.send_whole(&frames);
    assert_eq!(sent(frames.update(env(), None).await).version, 2);
}

#[tokio::test]
async fn a_whole_environment_that_does_not_follow_replaces_everything() {
    let frames = Frames::default();
    let mut above = Above::new(1, 3);
    above.send_whole(&frames);
    above.set(&frames, 0, "a");
    let later = Above::new(9, 2);
    let whole = later.send_whole(&frames);
    for base in [None, Some(1), Some(2)] {
        let found = sent(frames.update(env(), base).await);
        assert_eq!(found.bytes.as_ptr(), whole.as_ptr(), "from {base:?}");
    }
}

#[tokio::test]
async fn frames_that_cannot_be_merged_are_requested_again() {
    let frames = Frames::default();
    frames.whole(env(), 1, Bytes::from_static(b"no frame"));
    let mut above = Above::new(1, 3);
    above.set(&frames, 0, "a");
    let found = frames.update(env(), None).await;
    assert!(matches!(found, Found::Missing), "{found:?}");
    above.send_whole(&frames);
    let found = sent(frames.update(env(), None).await);
    assert_eq!(applied(None, &found), above.snapshot);
}

/// What is kept of the environment.
fn kept(frames: &Frames) -> Kept {
    frames.find(env()).unwrap().held().kept()
}

const FEW: Bounds = Bounds {
    deltas: 8,
    bytes: 4_096,
};

#[tokio::test]
async fn deltas_are_bounded_and_the_whole_frame_keeps_up() {
    let frames = Frames::bounded(FEW);
    let mut above = Above::new(1, 40);
    above.send_whole(&frames);
    for round in 0..500 {
        let value = "x".repeat(round % 900);
        above.set(&frames, u32::try_from(round % 50).unwrap(), &value);
        while kept(&frames).is_merging {
            tokio::task::yield_now().await;
        }
        let kept = kept(&frames);
        let whole = kept.whole.expect("the whole frame stays");
        let is_bounded = kept.deltas <= FEW.deltas && kept.bytes <= whole.max(FEW.bytes);
        assert!(is_bounded, "round {round}: {kept:?}");
    }
    let found = sent(frames.update(env(), None).await);
    assert_eq!(applied(None, &found), above.snapshot);

    // The last one stays however large it is, for those who hold what it starts from.
    let base = above.version();
    let large = above.set(&frames, 1, &"07".repeat(500_000));
    let found = sent(frames.update(env(), Some(base)).await);
    assert_eq!(found.bytes.as_ptr(), large.as_ptr());
}

#[tokio::test]
async fn deltas_that_come_faster_than_they_are_merged_are_bounded_too() {
    let frames = Frames::bounded(FEW);
    let mut above = Above::new(1, 40);
    above.send_whole(&frames);
    // Nothing is merged before this task waits for something.
    for round in 0..100 {
        above.set(&frames, round % 50, "changed");
        let deltas = kept(&frames).deltas;
        assert!(deltas <= 2 * FEW.deltas + 1, "round {round}: {deltas}");
    }
    let found = frames.update(env(), None).await;
    assert!(matches!(found, Found::Missing), "{found:?}");
    let base = above.version() - 3;
    assert_eq!(
        sent(frames.update(env(), Some(base)).await).version,
        above.version()
    );
}
