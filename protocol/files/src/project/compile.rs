//! The compiled form of an environment that files describe.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

use definition::flags::{states::model::FlagState, warnings::Suspects};
use protocol::{
    ids,
    snapshot::{ApiKey, Flag, Head, Segment, Snapshot, Version},
};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Project, check};
use crate::{Document, Path, Problem, tree};

/// The id of a thing that has none in its file: the same at every reading, wherever that is.
pub(super) fn id(kind: &str, key: &str) -> Id {
    let hash = Sha256::new_with_prefix(b"halyard files\0")
        .chain_update(kind)
        .chain_update([0])
        .chain_update(key)
        .finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    Id(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

/// An id of any kind.
#[derive(Clone, Copy)]
pub(super) struct Id(Uuid);

macro_rules! becomes {
    ($($name:ident),*) => {$(
        impl From<Id> for definition::ids::$name {
            fn from(Id(id): Id) -> Self {
                Self(id)
            }
        }
    )*};
}

becomes!(EnvId, FlagId, SegmentId, OrgId, ProjectId);

impl Project {
    /// An environment as edges serve it at a time, by its slug; `None` without such an environment. Archived flags are not served.
    /// What is scheduled up to that time has happened: see [`Self::next_due`].
    pub fn snapshot(
        &self,
        slug: &str,
        version: Version,
        mut keys: Vec<ApiKey>,
        now: OffsetDateTime,
    ) -> Option<Snapshot> {
        let environment = &self
            .environments
            .iter()
            .find(|one| one.made.slug == slug)?
            .made;
        let flags = self.flags.values().filter(|flag| !flag.archived);
        let flags = flags.map(|written| Flag {
            state: written
                .states
                .get(slug)
                .map(|state| at(&state.made, now).compile()),
            ..written.flag.made.compile()
        });
        let segments = self.segments.values().map(|written| {
            let segment = &written.made;
            Segment {
                id: segment.id.into(),
                key: segment.key.clone(),
                match_type: segment.match_type.into(),
                rules: segment.rules.iter().map(Into::into).collect(),
            }
        });
        keys.sort_unstable_by_key(|key| key.hash);
        let org_id: definition::ids::OrgId = id("organization", "").into();
        let project_id: definition::ids::ProjectId = id("project", "").into();
        Some(Snapshot {
            head: Head {
                org_id: org_id.into(),
                project_id: project_id.into(),
                env_id: ids::EnvId::from(environment.id),
                slug: slug.to_owned(),
                version,
            },
            // Both maps are sorted by key, as a snapshot is.
            flags: flags.collect(),
            segments: segments.collect(),
            keys,
        })
    }

    /// When a schedule next takes effect in an environment, after a time.
    pub fn next_due(&self, slug: &str, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let states = self.flags.values().filter(|flag| !flag.archived);
        let states = states.filter_map(|flag| Some(&flag.states.get(slug)?.made));
        let due = states.flat_map(|state| [state.scheduled_enable_at, state.scheduled_disable_at]);
        due.flatten().filter(|due| *due > now).min()
    }

    /// What is valid and looks like a mistake: the file, and the words.
    pub fn warnings(&self) -> Vec<(String, String)> {
        let found = self.found();
        found
            .map(|(_, file, words)| (file.to_owned(), words))
            .collect()
    }

    /// The same at their places in the files that this was read from.
    pub fn suspects(&self, files: &[tree::File]) -> Vec<Problem> {
        let mut documents: BTreeMap<&str, Option<Document>> = BTreeMap::new();
        let mut suspects = Vec::new();
        for (key, name, words) in self.found() {
            let document = documents.entry(name).or_insert_with(|| {
                let file = files.iter().find(|file| file.name == name)?;
                file.parse().ok()
            });
            let at = match name.split_once('/') {
                Some(_) => Path::root(),
                None => Path::root().key("flags").key(key),
            };
            suspects.push(match document {
                Some(document) => check::told(document, &at, None, &words),
                None => Problem::of_file(name, words),
            });
        }
        suspects.sort();
        suspects
    }

    /// The key of the flag, the file, and the words.
    fn found(&self) -> impl Iterator<Item = (&str, &str, String)> {
        let segments: HashSet<&str> = self.segments.keys().map(String::as_str).collect();
        self.flags.iter().flat_map(move |(key, flag)| {
            let mut compiled = flag.flag.made.compile();
            let mut warnings = Vec::new();
            for (slug, state) in &flag.states {
                compiled.state = Some(state.made.compile());
                let found = Suspects::of_served(&compiled).warnings(&segments);
                let found = found.iter().map(|warning| {
                    let words = format!("environments.{slug}.{}", warning.text());
                    (key.as_str(), flag.flag.file.as_str(), words)
                });
                warnings.extend(found);
            }
            let missing = flag.flag.made.prerequisites.iter();
            let missing = missing.filter(|key| !self.flags.contains_key(*key));
            warnings.extend(missing.map(|missing| {
                let words = format!("prerequisites: no flag has the key {missing}");
                (key.as_str(), flag.flag.file.as_str(), words)
            }));
            warnings
        })
    }
}

/// A state with all that was scheduled up to a time done.
fn at(state: &FlagState, now: OffsetDateTime) -> Cow<'_, FlagState> {
    let mut state = Cow::Borrowed(state);
    while let Some(next) = state.toggled(now) {
        state = Cow::Owned(next);
    }
    state
}
