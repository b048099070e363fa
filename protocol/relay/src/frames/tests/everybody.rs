//! Over random histories every edge gets to what is newest, whatever it holds.

use std::collections::BTreeMap;

use protocol::snapshot::Snapshot;

use super::{
    above::{Above, Change, env},
    applied,
};
use crate::frames::{Found, Frames, held::Bounds};

/// Numbers that look random, the same ones for a seed.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % sides
    }

    fn small(&mut self, sides: u64) -> u32 {
        u32::try_from(self.throw(sides)).unwrap()
    }

    fn change(&mut self) -> Change {
        match self.throw(10) {
            0 | 1 => Change::Remove(self.small(12)),
            2 => Change::Toggle(u8::try_from(self.throw(3)).unwrap()),
            _ => {
                let length = usize::try_from(self.throw(60)).unwrap();
                Change::Set(self.small(12), "x".repeat(length))
            }
        }
    }
}

/// An edge that holds an earlier version, or nothing, follows until there is nothing newer.
async fn follow(frames: &Frames, above: &Above, mut held: Option<Snapshot>) {
    loop {
        let base = held.as_ref().map(|held| held.head.version);
        match frames.update(env(), base).await {
            Found::Nothing(version) => {
                assert_eq!(version, above.version());
                assert_eq!(held.as_ref(), Some(&above.snapshot));
                return;
            }
            Found::Send(frame) => {
                assert!(base.is_none_or(|base| frame.version > base));
                held = Some(applied(held, &frame));
            }
            // As a relay does.
            Found::Missing => drop(above.send_whole(frames)),
            Found::Gone => panic!("it is served"),
        }
    }
}

async fn everybody_gets_to_what_is_newest(seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let frames = Frames::bounded(Bounds {
        deltas: 2 + usize::try_from(dice.throw(8)).unwrap(),
        bytes: 256 << dice.throw(5),
    });
    let mut above = Above::new(1, dice.small(12));
    if dice.throw(2) == 0 {
        above.send_whole(&frames);
    } else {
        frames.holds(env(), 1);
    }
    let mut seen = BTreeMap::from([(1, above.snapshot.clone())]);
    for _ in 0..60 {
        match dice.throw(12) {
            0 => drop(above.send_whole(&frames)),
            // Deltas that the relay missed.
            1 => {
                let missed = dice.change();
                above.delta(false, missed);
                above.send_whole(&frames);
            }
            2 => {
                frames.forget();
                seen.clear();
                frames.holds(env(), above.version());
            }
            3 => frames.holds(env(), above.version()),
            _ => {
                let urgent = dice.throw(4) == 0;
                let change = dice.change();
                above.send_delta(&frames, urgent, change);
            }
        }
        seen.insert(above.version(), above.snapshot.clone());
        if dice.throw(3) > 0 {
            continue;
        }
        let (frames, above) = (&frames, &above);
        let edges = seen.values().cloned().map(Some).chain([None]);
        futures_util::future::join_all(edges.map(|held| follow(frames, above, held))).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whatever_an_edge_holds_it_gets_to_what_is_newest() {
    for seed in 0..60 {
        everybody_gets_to_what_is_newest(seed).await;
    }
}
