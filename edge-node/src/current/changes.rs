//! What streams send: the latest changes of one environment, rendered once for all of its clients.
//!
//! Clients hold a position and read what came after it; nobody waits for a slow one. A client that has fallen behind
//! further than the bound resumes with the oldest change still kept. A newer change of the same flags replaces an older
//! one.

use std::{
    collections::VecDeque,
    fmt::Write,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use bytes::Bytes;
use protocol::{
    eval::Environment,
    ids::{EnvId, FlagId},
    snapshot::{Head, Version},
};
use serving::trace::Way;

use super::{deltas::Deltas, tag::configuration_tag};

/// Changes kept for slow clients.
const BATCHES: usize = 64;
/// Bytes kept for slow clients, besides the newest change.
const BYTES: usize = 1 << 20;

/// A bounded list of rendered changes.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    batches: VecDeque<Batch>,
    bytes: usize,
    /// Number of the newest batch, counted from 1.
    newest: u64,
    /// The newest change as an OFREP event, which only says that there is one.
    refetch: Bytes,
    /// What SDKs are told.
    pub(crate) deltas: Deltas,
    closed: bool,
}

/// The events of one version.
#[derive(Debug)]
struct Batch {
    number: u64,
    env_id: EnvId,
    version: Version,
    made: Instant,
    /// Whether a stream has sent it.
    is_sent: AtomicBool,
    flags: Vec<FlagId>,
    text: Bytes,
}

impl Changes {
    /// Adds the events of the environment that is now served; `flags` are sorted.
    pub(super) fn add(&mut self, served: &Environment, flags: Vec<FlagId>) {
        let Head {
            env_id, version, ..
        } = *served.head();
        let text = Bytes::from(render(env_id, version, &flags));
        self.refetch = refetch(served);
        self.newest += 1;
        // A client that is still behind would only fetch these flags twice: the newer event says as much.
        self.batches.retain(|old| {
            !old.flags
                .iter()
                .all(|flag| flags.binary_search(flag).is_ok())
        });
        self.bytes = self.batches.iter().map(|batch| batch.text.len()).sum();
        // Room is made before the new batch is added, so the newest change is kept whatever its size.
        while self.batches.len() >= BATCHES || self.bytes > BYTES {
            let Some(oldest) = self.batches.pop_front() else {
                break;
            };
            self.bytes -= oldest.text.len();
        }
        self.batches.push_back(Batch {
            number: self.newest,
            env_id,
            version,
            made: Instant::now(),
            is_sent: AtomicBool::new(false),
            flags,
            text,
        });
    }

    /// Drops everything when no stream is left to read it.
    pub(super) fn forget(&mut self) {
        self.batches = VecDeque::new();
        self.deltas.forget();
    }

    /// Ends the streams: nothing more will come.
    pub(super) fn close(&mut self) {
        self.forget();
        self.closed = true;
    }

    /// Whether the environment is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// The position after the newest change.
    pub(crate) fn newest(&self) -> u64 {
        self.newest
    }

    /// Whether there are changes after a position.
    pub(crate) fn is_behind(&self, position: u64) -> bool {
        position < self.newest
    }

    /// The newest change as an OFREP event.
    pub(crate) fn refetch(&self) -> Bytes {
        self.refetch.clone()
    }

    /// A stream sends what comes after a position. The first one to do so is a step on the way of each version.
    pub(crate) fn sent_after(&self, position: u64) {
        for batch in self.batches.iter().rev() {
            if batch.number <= position || batch.is_sent.swap(true, Ordering::Relaxed) {
                return;
            }
            if let Some(way) = Way::of(batch.env_id.uuid(), batch.version) {
                way.step("stream", batch.made.elapsed());
            }
        }
    }

    /// The events after a position, oldest first.
    pub(crate) fn after(&self, position: u64) -> impl Iterator<Item = Bytes> {
        self.batches
            .iter()
            .filter(move |batch| batch.number > position)
            .map(|batch| batch.text.clone())
    }
}

/// The event that makes OFREP clients fetch their flags again. Its id is the tag: after a restore a version may stand for
/// other contents than those that a client has seen.
pub(crate) fn refetch(served: &Environment) -> Bytes {
    let tag = configuration_tag(served);
    format!(
        "id: {tag}\nevent: message\ndata: {{\"type\":\"refetchEvaluation\",\"etag\":\"{tag}\"}}\n\n"
    )
    .into()
}

fn render(env_id: EnvId, version: Version, flags: &[FlagId]) -> String {
    let mut text = String::with_capacity(flags.len() * 200);
    for flag_id in flags {
        write!(
            text,
            "id: {version}\nevent: flag-update\ndata: {{\"type\":\"flag_update\",\"flag_id\":\"{flag_id}\",\
             \"env_id\":\"{env_id}\",\"action\":\"upsert\"}}\n\n"
        )
        .expect("writing to a string does not fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use protocol::snapshot::Snapshot;
    use uuid::Uuid;

    use super::*;

    fn flag(number: u128) -> FlagId {
        Uuid::from_u128(number).into()
    }

    fn served(version: Version) -> Environment {
        let mut snapshot = Snapshot::default();
        snapshot.head.version = version;
        Environment::prepare(&snapshot).unwrap()
    }

    fn add(changes: &mut Changes, version: Version, flags: impl IntoIterator<Item = u128>) {
        changes.add(&served(version), flags.into_iter().map(flag).collect());
    }

    fn versions(changes: &Changes, position: u64) -> Vec<String> {
        let first_line = |text: Bytes| {
            String::from_utf8_lossy(&text)
                .lines()
                .next()
                .map(str::to_owned)
        };
        changes.after(position).filter_map(first_line).collect()
    }

    #[test]
    fn an_event_holds_exactly_what_the_contract_says() {
        let mut changes = Changes::default();
        add(&mut changes, 7, [1]);
        let text = changes.after(0).next().unwrap();
        assert_eq!(
            text,
            "id: 7\nevent: flag-update\ndata: {\"type\":\"flag_update\",\
             \"flag_id\":\"00000000-0000-0000-0000-000000000001\",\
             \"env_id\":\"00000000-0000-0000-0000-000000000000\",\"action\":\"upsert\"}\n\n"
        );
    }

    #[test]
    fn ofrep_clients_get_only_the_newest_change() {
        let mut changes = Changes::default();
        add(&mut changes, 7, [1]);
        add(&mut changes, 16, [1, 2]);
        let tag = configuration_tag(&served(16));
        assert!(tag.starts_with("10-"), "{tag}");
        assert_eq!(
            changes.refetch(),
            format!(
                "id: {tag}\nevent: message\ndata: {{\"type\":\"refetchEvaluation\",\"etag\":\"{tag}\"}}\n\n"
            )
        );
        assert!(changes.is_behind(1) && !changes.is_behind(changes.newest()));
    }

    #[test]
    fn a_reader_gets_what_came_after_its_position() {
        let mut changes = Changes::default();
        add(&mut changes, 1, [1]);
        let position = changes.newest();
        add(&mut changes, 2, [2]);
        add(&mut changes, 3, [3]);
        assert_eq!(versions(&changes, position), ["id: 2", "id: 3"]);
        assert!(versions(&changes, changes.newest()).is_empty());
    }

    #[test]
    fn a_newer_change_of_the_same_flags_replaces_the_older() {
        let mut changes = Changes::default();
        add(&mut changes, 1, [1]);
        add(&mut changes, 2, [1, 2]);
        add(&mut changes, 3, [2]);
        assert_eq!(versions(&changes, 0), ["id: 2", "id: 3"]);
    }

    #[test]
    fn beyond_the_bound_the_newest_are_kept() {
        let mut changes = Changes::default();
        for version in 1..=100 {
            add(&mut changes, version, [version.into()]);
        }
        let kept = versions(&changes, 0);
        assert_eq!(kept.len(), BATCHES);
        assert_eq!(kept.last().map(String::as_str), Some("id: 100"));

        add(&mut changes, 101, 1_000..20_000);
        add(&mut changes, 102, [5]);
        assert_eq!(versions(&changes, 0), ["id: 102"]);
    }
}
