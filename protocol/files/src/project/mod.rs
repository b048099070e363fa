//! A project as files: flags, segments and environments of a folder, or of one file, checked by the same code as what is sent to
//! the API.
//!
//! In a folder, `flags/KEY.yaml` is a flag with its states, `segments/KEY.yaml` a segment, and `environments.yaml` lists the
//! environments. One file has the same under `environments`, `segments` and `flags`, the latter two by key. Fields have the names
//! of the API. Without a list, the environments are those that the states name.

mod check;
mod compile;
mod cycles;
pub mod fields;
mod layout;
mod states;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, path::Path as FilePath};

use definition::{
    environments::model::Environment,
    flags::{model::Flag, states::model::FlagState},
    segments::model::Segment,
};
use time::OffsetDateTime;

use crate::{Problem, tree};

/// What the files of a project say, all of it valid.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// In the order of their list.
    pub environments: Vec<Written<Environment>>,
    /// By key.
    pub segments: BTreeMap<String, Written<Segment>>,
    /// By key.
    pub flags: BTreeMap<String, WrittenFlag>,
}

/// A thing and where it is written.
#[derive(Clone, Debug)]
pub struct Written<T> {
    /// Relative to the folder.
    pub file: String,
    pub made: T,
}

/// A flag with its states.
#[derive(Clone, Debug)]
pub struct WrittenFlag {
    /// Its own fields.
    pub flag: Written<Flag>,
    /// Whether it is archived: kept, and not served.
    pub archived: bool,
    /// By the slug of the environment. Boxed, as a map has room for eleven where there is one.
    pub states: BTreeMap<String, Box<WrittenState>>,
}

/// A flag's state in an environment.
#[derive(Clone, Debug)]
pub struct WrittenState {
    pub made: FlagState,
    /// The places of its rules that are written without an id.
    pub unnamed: Vec<usize>,
}

impl Project {
    /// Reads a folder or a file, as of `now`, which becomes the time of all things.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, in the order of files and lines.
    pub fn read(path: &FilePath, now: OffsetDateTime) -> Result<Self, Vec<Problem>> {
        Self::of_files(&tree::read(path)?, now)
    }

    /// Reads files that are in memory already.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub fn of_files(files: &[tree::File], now: OffsetDateTime) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut parts = Vec::new();
        for (of_file, wrong) in layout::read_all(files, now) {
            parts.extend(of_file);
            problems.extend(wrong);
        }
        let project = check::assemble(parts, now, &mut problems);
        problems.sort();
        if problems.is_empty() {
            Ok(project)
        } else {
            Err(problems)
        }
    }
}
