//! One organization's pushes take until the gate opens; those of others take no time.

use std::sync::{Arc, Condvar, Mutex};

use bytes::Bytes;
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
    Applying<impl Fn(&Push, &Bytes) + Clone + Send + 'static, ()>,
) {
    let gate = Arc::new(Gate::default());
    let passed = Arc::clone(&gate);
    let applying = Applying::new(move |push: &Push, _: &Bytes| {
        if org_of(push) != Some(Uuid::from_u128(QUICK).into()) {
            passed.pass();
        }
    });
    (Opening(gate), applying)
}

fn org_of(push: &Push) -> Option<OrgId> {
    match push {
        Push::Snapshot(snapshot, _) => Some(snapshot.head.org_id),
        Push::Delta(delta) => Some(delta.head.org_id),
        Push::Removed { .. } => None,
    }
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
        applying.add(change(SLOW, number), Bytes::new());
    }
    applying.add(change(QUICK, 10), Bytes::new());
    assert_eq!(applying.next().await.unwrap().env_id, env(10));
    applying.add(whole(QUICK, 11), Bytes::new());
    assert_eq!(applying.next().await.unwrap().env_id, env(11));
}

#[tokio::test]
async fn large_environments_leave_room_for_a_change() {
    let (_opening, mut applying) = begin();
    for org in [SLOW, ALSO_SLOW] {
        for number in 0..2 {
            applying.add(whole(org, org * 10 + number), Bytes::new());
        }
    }
    assert!(!applying.has_room_for_wholes(), "the last one waits");
    applying.add(change(QUICK, 99), Bytes::new());
    assert_eq!(applying.next().await.unwrap().env_id, env(99));
}

#[tokio::test]
async fn the_pushes_of_an_environment_are_applied_in_their_order() {
    let applied = Arc::new(Mutex::new(Vec::new()));
    let applying_to = Arc::clone(&applied);
    let mut applying = Applying::new(move |push: &Push, _: &Bytes| {
        let number = match push {
            Push::Delta(delta) => delta.base,
            Push::Snapshot(..) | Push::Removed { .. } => 0,
        };
        applying_to.lock().unwrap().push(number);
    });
    for number in 0..20 {
        let Push::Delta(delta) = change(SLOW, 1) else {
            unreachable!()
        };
        let change = Delta {
            base: number,
            ..delta
        };
        applying.add(Push::Delta(change), Bytes::new());
    }
    applying.add(Push::Removed { env_id: env(1) }, Bytes::new());
    applying.finish().await;
    let in_order: Vec<_> = (0..20).chain([0]).collect();
    assert_eq!(*applied.lock().unwrap(), in_order);
}

#[tokio::test]
async fn too_many_that_wait_are_those_of_the_organization_that_has_most() {
    let (_opening, mut applying) = begin();
    for number in 0..70 {
        applying.add(change(SLOW, number), Bytes::new());
    }
    applying.add(change(QUICK, 100), Bytes::new());
    let mut given_up = 0;
    loop {
        let next = applying.next().await.unwrap();
        match next.outcome {
            Ok(()) => break assert_eq!(next.env_id, env(100)),
            Err(NotApplied::Full(_)) => given_up += 1,
            Err(panicked) => panic!("{panicked:?}"),
        }
    }
    assert!(
        given_up <= 70 - 2 - limits::BUILT_IN_PUSHES.queue,
        "{given_up}"
    );
}
