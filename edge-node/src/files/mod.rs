//! An edge without a control plane: what it serves is written in files.
//!
//! It starts only with files that are right. Later changes are read as soon as they are made and served all at once; files that
//! are wrong change nothing, and are told in the log, by `/ready` and in the metrics until they are right.

mod keys;
mod served;
mod usage;
mod watch;

use std::{path::PathBuf, sync::Arc};

use ::files::Problem;
use parking_lot::Mutex;
use protocol::snapshot::KeyHash;
use serde_json::{Value, json};
use serving::{
    admin::{Readiness, ReadyCheck},
    settings::Reader,
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

pub use self::{
    keys::{ANYBODY, GivenKey},
    served::CannotServe,
};
pub(crate) use self::{served::Files, usage::take_usage, watch::follow};

/// How an edge serves files.
#[derive(Clone, Debug)]
pub struct FilesSettings {
    /// `EDGE_FLAGS`, or `--flags`: a folder or a file.
    pub path: PathBuf,
    /// `EDGE_FLAGS_ENV`, or `--env`: the slug of the environment whose flags callers get without a key; by default the only one.
    pub environment: Option<String>,
    /// `EDGE_FLAGS_KEYS`: API keys, each of an environment. With them, nobody is served without one.
    pub keys: Vec<GivenKey>,
    /// `EDGE_FLAGS_USAGE`: a file that counts and impressions are appended to, a line of JSON each; none.
    pub usage: Option<PathBuf>,
}

impl FilesSettings {
    /// Reads the settings; `None` if the edge does not serve files.
    pub(crate) fn load(reader: &mut Reader<'_>) -> Option<Self> {
        let path = PathBuf::from(reader.optional("EDGE_FLAGS")?);
        Some(Self {
            path,
            environment: reader.optional("EDGE_FLAGS_ENV"),
            keys: keys::load(reader),
            usage: reader.optional("EDGE_FLAGS_USAGE").map(PathBuf::from),
        })
    }

    /// The hash that stands for callers without a key, where those are served.
    pub(crate) fn anybody(&self) -> Option<KeyHash> {
        self.keys.is_empty().then_some(ANYBODY)
    }
}

/// What came of reading the files, for whoever looks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Status(Arc<Mutex<Read>>);

#[derive(Debug)]
struct Read {
    /// When the files were read that are served.
    at: OffsetDateTime,
    /// Flags that are served.
    flags: usize,
    /// What was wrong when they were last read.
    problems: Vec<Problem>,
}

impl Default for Read {
    fn default() -> Self {
        Self {
            at: OffsetDateTime::UNIX_EPOCH,
            flags: 0,
            problems: Vec::new(),
        }
    }
}

/// Problems that are told at once; all of them are found at the next start, or by `halyardctl validate`.
const TOLD: usize = 20;

impl Status {
    /// Files were read and are served.
    fn served(&self, at: OffsetDateTime, flags: usize) {
        metrics::counter!("halyard_edge_files_read_total", "result" => "served").increment(1);
        metrics::gauge!("halyard_edge_files_wrong").set(0);
        *self.0.lock() = Read {
            at,
            flags,
            problems: Vec::new(),
        };
    }

    /// Files were read that cannot be served.
    fn wrong(&self, problems: Vec<Problem>) {
        metrics::counter!("halyard_edge_files_read_total", "result" => "wrong").increment(1);
        metrics::gauge!("halyard_edge_files_wrong").set(1);
        let mut read = self.0.lock();
        // They may be read again and again meanwhile.
        if read.problems != problems {
            for problem in problems.iter().take(TOLD) {
                tracing::error!(%problem, "a file is wrong; what was read before it is still served");
            }
            read.problems = problems;
        }
    }

    /// Files are as they are served again.
    fn right(&self) {
        metrics::gauge!("halyard_edge_files_wrong").set(0);
        self.0.lock().problems.clear();
    }

    fn is_wrong(&self) -> bool {
        !self.0.lock().problems.is_empty()
    }

    fn to_json(&self) -> Value {
        let read = self.0.lock();
        let problems = read.problems.iter().take(TOLD).map(ToString::to_string);
        json!({
            "status": "ready",
            "link": "files",
            "flags": read.flags,
            "read_at": read.at.format(&Rfc3339).unwrap_or_default(),
            "problems": problems.collect::<Vec<_>>(),
        })
    }

    /// The answer of `/ready`: an edge that serves files is ready from its start on, and says what is wrong with them now.
    pub(crate) fn ready_check(&self) -> ReadyCheck {
        let status = self.clone();
        ReadyCheck::new(move || std::future::ready(Readiness::Ready(status.to_json())))
    }
}
