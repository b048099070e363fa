//! What git knows of a tree: its root, its name, and what is checked out.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::{api::Error, arguments::InRepository};

/// A repository, as far as it is known.
#[derive(Debug)]
pub(super) struct Repository {
    /// The folder that paths are relative to.
    pub(super) root: PathBuf,
    /// Such as `acme/shop`; `None` if nobody says.
    pub(super) name: Option<String>,
    pub(super) branch: Option<String>,
    /// In hex digits.
    pub(super) commit: Option<String>,
}

impl Repository {
    /// The repository of a path: what was given, else what git says.
    ///
    /// # Errors
    /// When the path does not exist.
    pub(super) fn of(path: &Path, given: &InRepository) -> Result<Self, Error> {
        let shown = path.display().to_string();
        let path = path
            .canonicalize()
            .map_err(|why| Error::while_doing(&shown, why))?;
        let folder = if path.is_dir() {
            path.as_path()
        } else {
            path.parent().unwrap_or(&path)
        };
        let root = git(folder, &["rev-parse", "--show-toplevel"]).map(PathBuf::from);
        let root = root.and_then(|root| root.canonicalize().ok());
        let root = root.filter(|root| path.starts_with(root));
        let is_git = root.is_some();
        let ask = |words: &[&str]| is_git.then(|| git(folder, words)).flatten();
        Ok(Self {
            name: given
                .repository
                .clone()
                .or_else(|| name(&ask(&["remote", "get-url", "origin"])?)),
            branch: given
                .branch
                .clone()
                .or_else(|| ask(&["branch", "--show-current"])),
            commit: given.commit.clone().or_else(|| ask(&["rev-parse", "HEAD"])),
            root: root.unwrap_or_else(|| folder.to_owned()),
        })
    }

    /// Its name.
    ///
    /// # Errors
    /// When nobody says it.
    pub(super) fn name(&self) -> Result<&str, Error> {
        self.name.as_deref().ok_or_else(|| {
            Error::Usage(
                "git does not say what the repository is called: say --repository NAME".to_owned(),
            )
        })
    }
}

/// What a command of git prints; `None` where there is no git, or it fails.
fn git(folder: &Path, words: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(words)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim_end().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// The path of an address of git, without its host: `acme/shop`. A path of this machine says its last part.
fn name(address: &str) -> Option<String> {
    let address = address.trim_end_matches('/').trim_end_matches(".git");
    let path = match address.split_once("://") {
        Some((scheme, rest)) if scheme != "file" => rest.split_once('/')?.1,
        Some((_, rest)) => rest.rsplit('/').next()?,
        None => match address.split_once(':') {
            Some((_, path)) => path,
            None => address.rsplit('/').next()?,
        },
    };
    let path = path.trim_matches('/');
    (!path.is_empty()).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_called_by_its_path_without_its_host() {
        for (address, expected) in [
            ("git@github.com:acme/shop.git", Some("acme/shop")),
            (
                "https://user:secret@git.example.com/acme/web/shop.git/",
                Some("acme/web/shop"),
            ),
            (
                "ssh://git@git.example.com:2222/acme/shop",
                Some("acme/shop"),
            ),
            ("/srv/git/shop.git", Some("shop")),
            ("file:///srv/git/shop.git", Some("shop")),
            ("https://git.example.com", None),
        ] {
            assert_eq!(name(address).as_deref(), expected, "{address}");
        }
    }
}
