//! The services that were logged in to, with their tokens: a file that only its owner can read, and that is replaced as a whole.

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder, Permissions},
    io::{ErrorKind, Write},
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
};

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use tempfile::NamedTempFile;

use crate::{api::Error, environment};

/// The name of a context that was given none.
pub const DEFAULT: &str = "default";

/// A service, and who we are there.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Context {
    /// The address.
    pub url: String,
    /// The access token; absent after `logout`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "stored"
    )]
    pub token: Option<SecretString>,
}

/// All contexts.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Contexts {
    /// The name of the one that is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// By their names.
    #[serde(default)]
    pub contexts: BTreeMap<String, Context>,
}

impl Contexts {
    /// Reads the file; without a file there are none.
    ///
    /// # Errors
    /// When it cannot be read. What it says is not repeated.
    pub fn load() -> Result<Self, Error> {
        match environment::folder() {
            Some(folder) => Self::load_from(&file(&folder)),
            None => Ok(Self::default()),
        }
    }

    fn load_from(file: &Path) -> Result<Self, Error> {
        let name = file.display();
        match fs::read_to_string(file) {
            Ok(text) => toml::from_str(&text)
                .map_err(|_| Error::Failed(format!("{name} is not a file of contexts"))),
            Err(why) if why.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(why) => Err(Error::while_doing(&name.to_string(), why)),
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// When it cannot be written; then it is as before.
    pub fn store(&self) -> Result<(), Error> {
        let folder = environment::folder();
        let folder = folder
            .ok_or_else(|| Error::Failed("neither XDG_CONFIG_HOME nor HOME is set".to_owned()))?;
        self.store_in(&folder)
            .map_err(|why| Error::while_doing(&file(&folder).display().to_string(), why))
    }

    fn store_in(&self, folder: &Path) -> std::io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700).create(folder)?;
        // Also where it was there before.
        fs::set_permissions(folder, Permissions::from_mode(0o700))?;
        let text = toml::to_string(self).map_err(std::io::Error::other)?;
        // Such a file is made so that only its owner can read it.
        let mut new = NamedTempFile::new_in(folder)?;
        new.write_all(text.as_bytes())?;
        new.as_file().sync_all()?;
        new.persist(file(folder))?;
        Ok(())
    }

    /// The context of this name, or the current one.
    ///
    /// # Errors
    /// When there is none of the name.
    pub fn chosen(&self, name: Option<&str>) -> Result<Option<&Context>, Error> {
        let Some(name) = name else {
            let current = self.current.as_ref();
            return Ok(current.and_then(|name| self.contexts.get(name)));
        };
        let found = self.contexts.get(name);
        found.map(Some).ok_or_else(|| self.unknown(name))
    }

    /// The error for a name that there is not.
    #[must_use]
    pub fn unknown(&self, name: &str) -> Error {
        let names: Vec<_> = self.contexts.keys().map(String::as_str).collect();
        Error::Usage(match names[..] {
            [] => format!("no context named {name}; run `halyardctl login`"),
            _ => format!("no context named {name}; there are: {}", names.join(", ")),
        })
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("contexts.toml")
}

fn stored<S: Serializer>(token: &Option<SecretString>, to: S) -> Result<S::Ok, S::Error> {
    match token {
        Some(token) => to.serialize_str(token.expose_secret()),
        None => to.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Contexts {
        let context = Context {
            url: "https://flags.test".to_owned(),
            token: Some("halp_secret".into()),
        };
        Contexts {
            current: Some("a".to_owned()),
            contexts: [("a".to_owned(), context)].into(),
        }
    }

    #[test]
    fn only_the_owner_can_read_the_file_and_its_folder() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("halyard");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        some().store_in(&folder).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&file(&folder)), 0o600);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn what_is_stored_is_read_again() {
        let home = tempfile::tempdir().unwrap();
        assert!(
            Contexts::load_from(&file(home.path()))
                .unwrap()
                .contexts
                .is_empty()
        );
        some().store_in(home.path()).unwrap();
        some().store_in(home.path()).unwrap();
        let read = Contexts::load_from(&file(home.path())).unwrap();
        let context = read.chosen(None).unwrap().unwrap();
        assert_eq!(context.url, "https://flags.test");
        assert_eq!(
            context.token.as_ref().unwrap().expose_secret(),
            "halp_secret"
        );
    }

    #[test]
    fn no_error_and_no_debug_output_has_a_token() {
        let home = tempfile::tempdir().unwrap();
        fs::write(file(home.path()), "contexts = \"halp_secret\"").unwrap();
        let error = Contexts::load_from(&file(home.path())).unwrap_err();
        assert!(!format!("{error} {error:?} {:?}", some()).contains("halp_secret"));
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_there_are() {
        let told = some().chosen(Some("b")).unwrap_err().to_string();
        assert_eq!(told, "no context named b; there are: a");
    }
}
