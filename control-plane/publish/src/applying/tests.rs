//! One organization's pushes take until the gate opens; those of others take no time.

use std::sync::{Arc, Condvar, Mutex};

use protocol::{
    digest,
    snapshot::{Delta, Head, Snapshot},
};
use uuid::Uuid;

use super::*;

const SLOW: u128 = 1;
const ALSO_SLOW: u128 = 2;
const QUICK: u128 = 3;

#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let is_open = self.is_open.lock().unwrap();
        drop(
            self.opened
                .wait_while(is_open, |is_open| !*is_open)
                .unwrap(),
        );
    }
}

/// Opens the gate at last, so that a test that fails ends.
struct Opening(Arc<Gate>);

impl Drop for Opening {
    fn drop(&mut self) {
        self.0.open();
    }
}

fn begin() -> (
    Opening,
    Applying<impl Fn(&Push) + Clone + Send + 'static, ()>,
) {
    let gate = Arc::new(Gate::default());
    let passed = Arc::clone(&gate);
    let applying = Applying::new(move |push: &Push| {
        if Subject::of(push).org_id != Some(Uuid::from_u128(QUICK).into()) {
            passed.pass();
        }
    });
    (Opening(gate), applying)
}

fn env(number: u128) -> EnvId {
    Uuid::from_u128(number).into()
}

fn head(org: u128, number: u128) -> Head {
    Head {
        org_id: Uuid::from_u128(org).into(),
        project_id: Uuid::from_u128(org).into(),
        env_id: env(number),
        slug: "dev".to_owned(),
        version: 2,
    }
}

fn whole(org: u128, number: u128) -> Push {
    let snapshot = Snapshot {
        head: head(org, number),
        flags: vec![],
        segments: vec![],
        keys: vec![],
    };
    let digest = digest::of(&snapshot);
    Push::Snapshot(snapshot, digest)
}

fn change(org: u128, number: u128) -> Push {
    let Push::Snapshot(snapshot, digest) = whole(org, number) else {
        unreachable!()
    };
    Push::Delta(Delta {
        head: snapshot.head,
        base: 1,
        digest,
        flags: vec![],
        removed_flags: vec![],
        segments: vec![],
        removed_segments: vec![],
        keys: vec![],
        removed_keys: vec![],
        urgent: false,
    })
}

#[tokio::test]
async fn four_slow_environments_of_one_organization_hold_up_no_other() {
    let (_opening, mut applying) = begin();
    for number in 0..4 {
        assert_eq!(applying.add(change(SLOW, number)), None);
    }
    assert_eq!(applying.add(change(QUICK, 10)), None);
    assert_eq!(applying.next().await.unwrap().env_id, env(10));
    assert_eq!(applying.add(whole(QUICK, 11)), None);
    assert_eq!(applying.next().await.unwrap().env_id, env(11));
}

#[tokio::test]
async fn large_environments_leave_room_for_a_change() {
    let (_opening, mut applying) = begin();
    for org in [SLOW, ALSO_SLOW] {
        for number in 0..2 {
            applying.add(whole(org, org * 10 + number));
        }
    }
    assert!(!applying.has_room_for_wholes(), "the last one waits");
    applying.add(change(QUICK, 99));
    assert_eq!(applying.next().await.unwrap().env_id, env(99));
}

#[tokio::test]
async fn whoever_has_the_fewest_begun_is_next() {
    let (opening, mut applying) = begin();
    for org in [SLOW, ALSO_SLOW] {
        for number in 0..10 {
            applying.add(change(org, org * 100 + number));
        }
    }
    applying.add(change(QUICK, 10));
    opening.0.open();
    applying.next().await.unwrap();
    assert!(applying.begun.iter().any(|begun| begun.env_id == env(10)));
    let mut ended = 1;
    while applying.next().await.is_some() {
        ended += 1;
    }
    assert_eq!(ended, 21);
}

#[tokio::test]
async fn the_pushes_of_an_environment_are_applied_in_their_order() {
    let (opening, mut applying) = begin();
    applying.add(change(SLOW, 1));
    applying.add(whole(SLOW, 1));
    applying.add(change(SLOW, 1));
    assert_eq!((applying.begun.len(), applying.waiting.len()), (1, 2));
    opening.0.open();
    applying.next().await.unwrap();
    assert!(applying.begun[0].is_whole);
    assert_eq!((applying.begun.len(), applying.waiting.len()), (1, 1));
    applying.finish().await;
    assert!(applying.begun.is_empty() && applying.waiting.is_empty());
}

#[tokio::test]
async fn too_many_that_wait_are_those_of_the_organization_that_has_most() {
    let (_opening, mut applying) = begin();
    applying.add(change(ALSO_SLOW, 1_000));
    applying.add(change(ALSO_SLOW, 1_001));
    applying.add(change(ALSO_SLOW, 1_002));
    let given_up: Vec<_> = (0..70)
        .filter_map(|number| applying.add(change(SLOW, number)))
        .collect();
    assert_eq!(given_up, (65..70).map(env).collect::<Vec<_>>());
    // One that comes later takes the place of one of those.
    assert_eq!(applying.add(change(ALSO_SLOW, 1_003)), Some(env(64)));
    assert_eq!(applying.add(change(QUICK, 10)), Some(env(63)));
}
