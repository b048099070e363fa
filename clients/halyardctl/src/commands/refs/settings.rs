//! .halyard/refs.toml of a repository: what its references are found by, for everybody who scans it.

use std::{collections::BTreeMap, fs, io::ErrorKind, path::Path};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Deserialize;

use crate::api::Error;

/// Where it is, from the root.
pub(super) const FILE: &str = ".halyard/refs.toml";

/// What a repository says of its references.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Settings {
    /// Names that stand for a flag, by its key.
    pub(super) aliases: BTreeMap<String, Vec<String>>,
    /// Templates of such names.
    pub(super) alias_patterns: Vec<String>,
    /// Globs of the files that are looked at; all if there are none.
    include: Vec<String>,
    /// Globs of files that are not looked at.
    exclude: Vec<String>,
    /// How a line is linked to.
    pub(super) link: Option<String>,
}

impl Settings {
    /// Reads the file; without one nothing is set.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn read(root: &Path) -> Result<Self, Error> {
        let path = root.join(FILE);
        let shown = path.display().to_string();
        match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).map_err(|why| Error::while_doing(&shown, why)),
            Err(why) if why.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(why) => Err(Error::while_doing(&shown, why)),
        }
    }

    /// The globs of what is looked at, and of what is not.
    ///
    /// # Errors
    /// When one is no glob.
    pub(super) fn globs(&self) -> Result<(Gitignore, Gitignore), Error> {
        Ok((globs(&self.include)?, globs(&self.exclude)?))
    }
}

/// Globs as those of `.gitignore`, relative to the root.
fn globs(list: &[String]) -> Result<Gitignore, Error> {
    let mut builder = GitignoreBuilder::new("");
    let failed = |why| Error::while_doing(FILE, why);
    for glob in list {
        builder.add_line(None, glob).map_err(failed)?;
    }
    builder.build().map_err(failed)
}
