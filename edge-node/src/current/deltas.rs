//! What streams of SDKs send: the latest changes of one environment themselves, rendered once for all of its streams.
//!
//! Each change has a number, and a stream holds that of the last one it sent. One that is further behind than what is kept is told to
//! fetch the whole environment, as all are when that was replaced.

use std::{collections::VecDeque, fmt::Write};

use bytes::Bytes;
use data_encoding::BASE64;

use protocol::{timestamp::Proof, wire::codec};

use super::Served;

/// Changes kept for slow clients.
const EVENTS: usize = 64;
/// Bytes kept for them, besides the newest change.
const BYTES: usize = 1 << 20;
/// The longest delta that is sent, in bytes of its frame.
const LONGEST: usize = 256 << 10;

/// A bounded list of rendered changes.
#[derive(Debug, Default)]
pub(crate) struct Deltas {
    events: VecDeque<Bytes>,
    bytes: usize,
    /// The number of the last event, counted from 1.
    newest: u64,
    /// What is served, as an event that has it fetched.
    refetch: Bytes,
}

impl Deltas {
    /// Adds what led to what is now served: a delta, or another whole.
    pub(super) fn add(&mut self, served: &Served, delta: Option<&Bytes>) {
        self.newest += 1;
        self.refetch = event(served, "refetch", &state(served));
        let event = match delta.filter(|delta| delta.len() <= LONGEST) {
            Some(delta) => event(served, "delta", &BASE64.encode(delta)),
            None => {
                self.forget();
                self.refetch.clone()
            }
        };
        self.push(event);
    }

    /// Adds the proof that what is served is current.
    pub(super) fn add_proof(&mut self, served: &Served, proof: &Proof) {
        self.newest += 1;
        self.push(proven(served, proof));
    }

    fn push(&mut self, event: Bytes) {
        // Room is made before the newest is added, which is kept whatever its size.
        while self.events.len() >= EVENTS || self.bytes > BYTES {
            let oldest = self.events.pop_front();
            self.bytes -= oldest.map_or(0, |oldest| oldest.len());
        }
        self.bytes += event.len();
        self.events.push_back(event);
    }

    /// A change that no stream is there to send.
    pub(super) fn skip(&mut self) {
        self.newest += 1;
        self.forget();
    }

    pub(super) fn forget(&mut self) {
        self.events = VecDeque::new();
        self.bytes = 0;
    }

    /// The position after the newest change.
    pub(crate) const fn newest(&self) -> u64 {
        self.newest
    }

    /// The events after a position, oldest first; for a reader too far behind, the one that has everything fetched.
    pub(crate) fn after(&self, position: u64) -> impl Iterator<Item = Bytes> {
        let behind = usize::try_from(self.newest - position).unwrap_or(usize::MAX);
        let start = self.events.len().checked_sub(behind);
        let rest = self.events.range(start.unwrap_or(self.events.len())..);
        let refetch = start.is_none().then(|| self.refetch.clone());
        refetch.into_iter().chain(rest.cloned())
    }
}

/// What a stream begins with: what is served, and the proof that it is current, if there is one.
pub(crate) fn greeting(served: &Served, proof: Option<&Proof>) -> Vec<u8> {
    let mut events = event(served, "at", &state(served)).to_vec();
    events.extend(proof.into_iter().flat_map(|proof| proven(served, proof)));
    events
}

fn proven(served: &Served, proof: &Proof) -> Bytes {
    event(served, "proof", &BASE64.encode(&codec::encode(proof)))
}

fn state(served: &Served) -> String {
    let (version, tag) = (served.head().version, served.sdk_tag());
    format!("{{\"version\":{version},\"tag\":\"{tag}\"}}")
}

fn event(served: &Served, name: &str, data: &str) -> Bytes {
    let mut text = String::with_capacity(data.len() + 64);
    let tag = served.sdk_tag();
    write!(text, "id: {tag}\nevent: {name}\ndata: {data}\n\n")
        .expect("writing to a string does not fail");
    text.into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use protocol::{
        eval::Environment,
        snapshot::{Snapshot, Version},
    };

    use super::*;
    use crate::usage::Ledger;

    fn served(version: Version) -> Served {
        let mut snapshot = Snapshot::default();
        snapshot.head.version = version;
        let environment = Environment::prepare(&snapshot).unwrap();
        Served::new(environment, None, Arc::new(Ledger::default()))
    }

    fn add(deltas: &mut Deltas, version: Version, delta: Option<&[u8]>) {
        let delta = delta.map(Bytes::copy_from_slice);
        deltas.add(&served(version), delta.as_ref());
    }

    /// The events after a position: their names and versions.
    fn told(deltas: &Deltas, position: u64) -> Vec<String> {
        let read = |event: Bytes| {
            let text = String::from_utf8(event.to_vec()).unwrap();
            let mut lines = text.lines();
            let id = lines.next().unwrap();
            let (version, _) = id.strip_prefix("id: ").unwrap().split_once('-').unwrap();
            let name = lines.next().unwrap().strip_prefix("event: ").unwrap();
            format!("{name} {version}")
        };
        deltas.after(position).map(read).collect()
    }

    #[test]
    fn an_event_holds_exactly_what_the_protocol_says() {
        let mut deltas = Deltas::default();
        add(&mut deltas, 17, Some(b"\xff\xfe\xfd?"));
        let tag = served(17).sdk_tag().to_owned();
        assert!(tag.starts_with("11-"), "{tag}");
        let whole: Vec<_> = deltas.after(0).collect();
        assert_eq!(
            whole,
            [format!("id: {tag}\nevent: delta\ndata: //79Pw==\n\n")]
        );
        let data = format!("{{\"version\":17,\"tag\":\"{tag}\"}}");
        assert_eq!(
            greeting(&served(17), None),
            format!("id: {tag}\nevent: at\ndata: {data}\n\n").into_bytes()
        );
        add(&mut deltas, 17, None);
        let replaced: Vec<_> = deltas.after(1).collect();
        assert_eq!(
            replaced,
            [format!("id: {tag}\nevent: refetch\ndata: {data}\n\n")]
        );
    }

    #[test]
    fn a_reader_gets_each_change_after_its_position_once() {
        let mut deltas = Deltas::default();
        add(&mut deltas, 1, Some(b"1"));
        let position = deltas.newest();
        assert_eq!(told(&deltas, position), [""; 0]);
        add(&mut deltas, 2, Some(b"2"));
        add(&mut deltas, 3, Some(b"3"));
        assert_eq!(told(&deltas, position), ["delta 2", "delta 3"]);
    }

    #[test]
    fn one_that_fell_behind_fetches_the_whole() {
        let mut deltas = Deltas::default();
        for version in 1..=100 {
            add(&mut deltas, version, Some(b"delta"));
        }
        assert_eq!(told(&deltas, 0), ["refetch 64"]);
        assert_eq!(told(&deltas, 35), ["refetch 64"]);
        assert_eq!(told(&deltas, 36).len(), EVENTS);
        // Bytes are bounded too.
        for version in 101..=110 {
            add(&mut deltas, version, Some(&vec![0; LONGEST]));
        }
        assert_eq!(told(&deltas, 100), ["refetch 6e"]);
        assert_eq!(told(&deltas, 109), ["delta 6e"]);
        assert!(deltas.bytes < BYTES + 2 * LONGEST, "{}", deltas.bytes);
    }

    #[test]
    fn all_fetch_the_whole_when_it_was_replaced_or_a_delta_is_too_long() {
        let mut deltas = Deltas::default();
        add(&mut deltas, 1, Some(b"1"));
        add(&mut deltas, 9, None);
        add(&mut deltas, 10, Some(b"10"));
        assert_eq!(told(&deltas, 0), ["refetch a"]);
        assert_eq!(told(&deltas, 1), ["refetch 9", "delta a"]);
        assert_eq!(told(&deltas, 2), ["delta a"]);
        add(&mut deltas, 11, Some(&vec![0; LONGEST + 1]));
        assert_eq!(told(&deltas, 3), ["refetch b"]);
    }

    #[test]
    fn what_nobody_was_there_to_read_is_not_kept() {
        let mut deltas = Deltas::default();
        add(&mut deltas, 1, Some(b"1"));
        deltas.skip();
        assert_eq!(deltas.events.len(), 0);
        let position = deltas.newest();
        add(&mut deltas, 3, Some(b"3"));
        assert_eq!(told(&deltas, position), ["delta 3"]);
        assert_eq!(told(&deltas, 1), ["refetch 3"]);
    }
}
