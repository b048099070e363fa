//! From files to what is served.

use std::{fmt, time::Duration};

use ::files::{
    Problem,
    project::Project,
    tree::{self, File},
};
use protocol::{
    eval::Environment,
    snapshot::{Digest, Snapshot},
    wire::message::{Epoch, Listed, Push},
};
use serving::clock::Clock;
use time::OffsetDateTime;

use super::{FilesSettings, Status, keys::api_key};
use crate::{Edge, Listing, Outcome};

/// There is one history of files, as long as the process runs.
const EPOCH: Epoch = Epoch([0xf1; 16]);

/// Why an edge does not start with its files: everything that is wrong with them.
#[derive(Debug, thiserror::Error)]
pub struct CannotServe(pub Vec<Problem>);

impl fmt::Display for CannotServe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

/// The files that an edge serves.
pub(crate) struct Files {
    pub(super) settings: FilesSettings,
    pub(super) status: Status,
    edge: Edge,
    clock: Clock,
    /// The texts that are served.
    read: Vec<File>,
    /// The texts that were wrong when they were last read, if they were.
    refused: Option<Vec<File>>,
    project: Project,
    version: u64,
}

impl Files {
    /// Reads the files and serves them.
    pub(crate) fn serve(
        settings: FilesSettings,
        edge: Edge,
        clock: Clock,
    ) -> Result<Self, CannotServe> {
        let mut files = Self {
            settings,
            status: Status::default(),
            edge,
            clock,
            read: Vec::new(),
            refused: None,
            project: Project::default(),
            version: 0,
        };
        let read = tree::read(&files.settings.path).map_err(CannotServe)?;
        files.apply(&read).map_err(CannotServe)?;
        files.read = read;
        for (file, warning) in files.project.warnings().iter().take(super::TOLD) {
            tracing::warn!(file, "{warning}");
        }
        Ok(files)
    }

    pub(crate) fn status(&self) -> Status {
        self.status.clone()
    }

    /// Reads the files again, and serves them if they have changed and are right, or if something that they schedule is due.
    pub(super) fn reread(&mut self) {
        let read = match tree::read(&self.settings.path) {
            Ok(read) => read,
            Err(problems) => return self.status.wrong(problems),
        };
        if read == self.read && !self.is_due() {
            if self.status.is_wrong() {
                tracing::info!("the files are as they are served again");
                self.refused = None;
                self.status.right();
            }
            return;
        }
        if self.refused.as_ref() == Some(&read) {
            return;
        }
        match self.apply(&read) {
            Ok(()) => {
                self.read = read;
                self.refused = None;
                tracing::info!(version = self.version, "serving changed files");
            }
            Err(problems) => {
                self.refused = Some(read);
                self.status.wrong(problems);
            }
        }
    }

    /// How long until something that the files schedule is due.
    pub(super) fn due_in(&self) -> Option<Duration> {
        let now = self.clock.now();
        let due = self.slugs().ok()?;
        let due = due
            .iter()
            .filter_map(|slug| self.project.next_due(slug, now));
        due.min().map(|due| (due - now).unsigned_abs())
    }

    /// Whether something that is scheduled was due since the files were served.
    fn is_due(&self) -> bool {
        let served =
            OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.version) * 1_000_000);
        let Ok(served) = served else { return false };
        let slugs = self.slugs().unwrap_or_default();
        let mut due = slugs
            .iter()
            .filter_map(|slug| self.project.next_due(slug, served));
        due.any(|due| due <= self.clock.now())
    }

    /// Checks everything before anything is served.
    fn apply(&mut self, read: &[File]) -> Result<(), Vec<Problem>> {
        let now = self.clock.now();
        let project = Project::of_files(read, now)?;
        let former = std::mem::replace(&mut self.project, project);
        let served = self.snapshots(now).and_then(|snapshots| {
            let prepared = snapshots.into_iter().map(|snapshot| {
                // Edges check it again; but of several environments none must be served when one cannot be.
                let prepared = Environment::prepare(&snapshot).map_err(|error| {
                    let slug = &snapshot.head.slug;
                    vec![Problem::of_file(
                        "",
                        format!("the environment {slug}: {error}"),
                    )]
                })?;
                let digest = prepared.digest();
                Ok((snapshot, digest))
            });
            prepared.collect::<Result<Vec<_>, Vec<Problem>>>()
        });
        let snapshots = match served {
            Ok(snapshots) => snapshots,
            Err(problems) => {
                self.project = former;
                return Err(problems);
            }
        };
        self.version = snapshots
            .first()
            .map_or(self.version, |(one, _)| one.head.version);
        let flags = snapshots.iter().map(|(snapshot, _)| snapshot.flags.len());
        let flags = flags.max().unwrap_or(0);
        self.push(snapshots);
        self.status.served(now, flags);
        Ok(())
    }

    fn push(&self, snapshots: Vec<(Snapshot, Digest)>) {
        let listed = snapshots.iter().map(|(snapshot, digest)| Listed {
            env_id: snapshot.head.env_id,
            version: snapshot.head.version,
            digest: Some(*digest),
        });
        let listing = Listing {
            environments: listed.collect(),
            confirmed: Vec::new(),
        };
        self.edge.expect(EPOCH, &listing);
        for (snapshot, digest) in snapshots {
            let env_id = snapshot.head.env_id;
            let outcome = self.edge.apply(&Push::Snapshot(snapshot, digest));
            if !matches!(outcome, Outcome::Applied { .. }) {
                tracing::error!(env.id = %env_id, ?outcome, "files were not served");
            }
        }
    }

    /// Every environment that somebody may ask for.
    fn snapshots(&self, now: OffsetDateTime) -> Result<Vec<Snapshot>, Vec<Problem>> {
        let clock = u64::try_from(self.clock.unix_ms()).unwrap_or(0);
        let version = clock.max(self.version + 1);
        let slugs = self.slugs()?;
        let snapshots = slugs.iter().map(|slug| {
            let given = self.settings.keys.iter();
            let given = given.filter(|key| key.environment == *slug);
            let mut keys: Vec<_> = given.map(|key| api_key(key.hash)).collect();
            keys.extend(self.settings.anybody().map(api_key));
            self.project
                .snapshot(slug, version, keys, now)
                .ok_or_else(|| {
                    let there = self.project.environments.iter();
                    let there: Vec<_> = there.map(|one| one.made.slug.as_str()).collect();
                    let words = format!("no environment {slug}; there are: {}", there.join(", "));
                    vec![Problem::of_file("", words)]
                })
        });
        snapshots.collect()
    }

    /// The slugs of the environments that are served.
    fn slugs(&self) -> Result<Vec<String>, Vec<Problem>> {
        if !self.settings.keys.is_empty() {
            let slugs = self.settings.keys.iter().map(|key| key.environment.clone());
            let mut slugs: Vec<_> = slugs.collect();
            slugs.sort_unstable();
            slugs.dedup();
            return Ok(slugs);
        }
        if let Some(slug) = &self.settings.environment {
            return Ok(vec![slug.clone()]);
        }
        match &self.project.environments[..] {
            [only] => Ok(vec![only.made.slug.clone()]),
            [] => Err(vec![Problem::of_file("", "the files name no environment")]),
            several => {
                let slugs: Vec<_> = several.iter().map(|one| one.made.slug.as_str()).collect();
                let words = format!("say which environment by --env: {}", slugs.join(", "));
                Err(vec![Problem::of_file("", words)])
            }
        }
    }
}
