use protocol::{
    digest,
    eval::Environment,
    ids::ApiKeyId,
    signature::{Signature, SigningKey},
    snapshot::{ApiKey, Delta, Flag},
};
use uuid::Uuid;

use super::*;

fn snapshot(flags: usize) -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.head.version = 1;
    let value = || format!("{:?}", random_text(40));
    snapshot.flags = (0..flags).map(|number| flag(number, &value())).collect();
    snapshot.keys = vec![ApiKey {
        id: ApiKeyId::from(Uuid::from_u128(1)),
        hash: [7; 32],
        expires_at_ms: None,
    }];
    snapshot
}

fn flag(number: usize, value: &str) -> Flag {
    Flag {
        id: Uuid::from_u128(number as u128).into(),
        key: format!("flag-{number:05}"),
        default_value: value.to_owned(),
        ..Flag::default()
    }
}

/// What is served and its source, before any change.
struct Held {
    snapshot: Snapshot,
    environment: Environment,
    source: Source,
    signer: SigningKey,
}

impl Held {
    fn new(flags: usize) -> Self {
        let snapshot = snapshot(flags);
        let environment = Environment::prepare(&snapshot).unwrap();
        let source = Source::default();
        let held = Self {
            snapshot,
            environment,
            source,
            signer: SigningKey::from_seed(&[1; 32]).unwrap(),
        };
        let push = Push::Snapshot(held.snapshot.clone(), digest::of(&held.snapshot));
        held.source.replace(Some(held.signed(&push)));
        held
    }

    fn signature(&self) -> Signature {
        self.signer.sign(&self.environment.contents(), 1)
    }

    fn signed(&self, push: &Push) -> Bytes {
        signed::with(frame::encode(push).unwrap(), Some(&self.signature())).into()
    }

    /// Gives a flag another value.
    fn change(&mut self, number: usize, value: &str) {
        let mut delta = Delta {
            head: self.environment.head().clone(),
            base: self.environment.head().version,
            flags: vec![flag(number, value)],
            ..Delta::default()
        };
        delta.head.version += 1;
        self.snapshot.head.version += 1;
        self.snapshot.flags[number] = flag(number, value);
        delta.digest = digest::of(&self.snapshot);
        self.environment = self.environment.apply(&delta).unwrap();
        let told = self.signed(&sdk::delta(&delta, &self.environment));
        self.source.add(Some(told));
    }

    fn tag(&self) -> String {
        let digest = sdk::digest_without_keys(&self.environment);
        sdk::tag(self.environment.head().version, digest)
    }

    fn make(&self) -> Whole {
        self.source.make(self.environment.head().env_id).unwrap()
    }
}

#[test]
fn frames_become_the_environment_without_its_keys() {
    let mut held = Held::new(10);
    assert_eq!(held.source.made(0), None);
    assert_eq!(held.make().tag, held.tag());
    for number in 0..5 {
        held.change(number, "true");
    }
    let whole = held.make();
    assert_eq!((whole.version, &whole.tag), (6, &held.tag()));
    let push = decode(held.environment.head().env_id, &whole.frame).unwrap();
    let Push::Snapshot(snapshot, digest) = push else {
        panic!("not a whole")
    };
    assert_eq!(snapshot.keys, []);
    let read = Environment::prepare(&snapshot).unwrap();
    assert_eq!(read.digest(), digest);
    assert_eq!(snapshot.flags[4], flag(4, "true"));
    assert_eq!(held.source.made(6), Some(whole));
}

#[test]
fn what_is_made_has_the_signature_of_the_last_frame() {
    let mut held = Held::new(10);
    let first = held.signature();
    assert_eq!(signed::signature(&held.make().frame), Ok(Some(first)));
    held.change(1, "true");
    held.change(2, "true");
    let last = held.signature();
    assert_ne!(last, first);
    let made = held.make();
    assert_eq!(signed::signature(&made.frame), Ok(Some(last)));
    // It came without.
    let push = decode(held.environment.head().env_id, &made.frame).unwrap();
    held.source
        .replace(Some(frame::encode(&push).unwrap().into()));
    assert_eq!(signed::signature(&held.make().frame), Ok(None));
}

#[test]
fn one_that_is_new_enough_is_handed_out_until_a_newer_one_is_wanted() {
    let mut held = Held::new(10);
    let first = held.make();
    held.change(1, "true");
    assert_eq!(held.source.made(1), Some(first));
    assert_eq!(held.source.made(2), None);
}

#[test]
fn what_comes_while_frames_are_merged_is_not_lost() {
    let mut held = Held::new(10);
    held.change(1, "true");
    let taken = held.source.frames.lock().clone();
    held.change(2, "true");
    let env_id = held.environment.head().env_id;
    let made = taken.merged(env_id).unwrap().unwrap();
    assert!(held.source.put(&taken, &made));
    assert_eq!(held.make().tag, held.tag());

    // Another whole has come meanwhile.
    let taken = held.source.frames.lock().clone();
    let made = taken.merged(env_id).unwrap().unwrap();
    let other = Held::new(3);
    held.source.replace(Some(
        other
            .source
            .frames
            .lock()
            .whole
            .as_ref()
            .unwrap()
            .frame()
            .clone(),
    ));
    assert!(!held.source.put(&taken, &made));
    assert_eq!(held.make().tag, other.tag());
}

#[test]
fn frames_are_long_when_they_are_many_or_outweigh_the_whole() {
    let mut held = Held::new(1_000);
    for change in 0..DELTAS {
        held.change(change, "true");
        assert!(!held.source.is_long(), "{change}");
    }
    held.change(0, "false");
    assert!(held.source.is_long());
    held.make();
    assert!(!held.source.is_long());

    held.change(0, &format!("{:?}", random_text(200_000)));
    assert!(held.source.is_long());
}

/// Text that does not compress to much less.
fn random_text(length: usize) -> String {
    (0..length)
        .map(|_| char::from(rand::random_range(b'a'..=b'z')))
        .collect()
}

#[test]
fn damaged_frames_are_given_up() {
    let mut held = Held::new(10);
    held.change(1, "true");
    held.source.add(Some(Bytes::from_static(b"no frame")));
    let env_id = held.environment.head().env_id;
    assert_eq!(held.source.make(env_id), None);
    assert_eq!(held.source.bytes(), 0);
}

#[test]
fn what_is_kept_is_small_beside_what_is_served() {
    let mut held = Held::new(2_000);
    for change in 0..DELTAS {
        held.change(change, "true");
    }
    let (kept, served) = (held.source.bytes(), held.environment.held_bytes());
    assert!(kept * 4 < served, "{kept} beside {served}");
    held.make();
    assert!(held.source.bytes() < kept);
}
