//! A scan as it was asked for: options and the settings of the repository together.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{
    patterns::{Patterns, Template},
    repository::Repository,
    settings::Settings,
    tree::{Reference, Scanned, Tree, scan},
};
use crate::{api::Error, arguments::Named};

/// What was found in a tree, with the keys that were looked for.
#[derive(Debug)]
pub(super) struct Looked {
    pub(super) keys: Vec<String>,
    pub(super) scanned: Scanned,
}

impl Looked {
    /// The key of a reference.
    pub(super) fn key(&self, reference: &Reference) -> &str {
        &self.keys[reference.key]
    }
}

/// Looks for flags in a tree, without some files and folders of it.
///
/// # Errors
/// When an option or a setting cannot be understood, or the tree cannot be walked.
pub(super) fn look(
    repository: &Repository,
    settings: &Settings,
    path: &Path,
    without: &[PathBuf],
    keys: &BTreeSet<String>,
    named: &Named,
) -> Result<Looked, Error> {
    let templates = named.patterns.iter().chain(&settings.alias_patterns);
    let templates: Vec<_> = templates
        .map(|text| Template::parse(text))
        .collect::<Result<_, _>>()?;
    let aliases = aliases(settings, &named.aliases)?;
    let patterns = Patterns::new(keys, &templates, &aliases, named.quoted)?;
    let (include, exclude) = settings.globs()?;
    let shown = path.display().to_string();
    let path = path
        .canonicalize()
        .map_err(|why| Error::while_doing(&shown, why))?;
    let there = without.iter().filter_map(|one| one.canonicalize().ok());
    let tree = Tree {
        root: repository.root.clone(),
        without: there.filter(|one| *one != path).collect(),
        path,
        include,
        exclude,
    };
    Ok(Looked {
        scanned: scan(&tree, &patterns)?,
        keys: patterns.keys().to_vec(),
    })
}

/// The folders of flags as files, which name every flag. The folder of all may be that of the code, too.
pub(super) fn of_flags(dir: &Path) -> Vec<PathBuf> {
    let folders = ["", "flags", "segments"].into_iter();
    folders.map(|folder| dir.join(folder)).collect()
}

/// Aliases of the settings and of options.
fn aliases(settings: &Settings, given: &[String]) -> Result<BTreeMap<String, Vec<String>>, Error> {
    let mut aliases = settings.aliases.clone();
    for pair in given {
        let (key, name) = pair.split_once('=').unwrap_or_default();
        if key.is_empty() || name.is_empty() {
            return Err(Error::Usage(format!("--alias {pair:?} is not KEY=NAME")));
        }
        aliases
            .entry(key.to_owned())
            .or_default()
            .push(name.to_owned());
    }
    Ok(aliases)
}
