//! Which flags are looked for.

use std::{collections::BTreeSet, path::Path};

use serde_json::Value;

use super::super::{Session, files::project};
use crate::{
    api::{Error, Request, operations},
    arguments::Paging,
    environment,
};

/// The keys of flags as files; `None` if what is wrong with them was told.
pub(super) fn of_files(dir: &Path) -> Option<BTreeSet<String>> {
    match project::load(dir, environment::now()) {
        Ok(loaded) => Some(loaded.project.flags.into_keys().collect()),
        Err(problems) => {
            project::tell(&problems);
            None
        }
    }
}

/// The keys of a project's flags, also of archived ones: code may name them still.
///
/// # Errors
/// As those of [`Session::send`].
pub(super) async fn of_project(
    session: &Session,
    project: &str,
) -> Result<BTreeSet<String>, Error> {
    let mut keys = BTreeSet::new();
    for archived in [false, true] {
        let request = Request::new(&operations::LIST_ARCHIVED_FLAGS, &[project])
            .query("archived", Some(archived));
        let list = session.list(&request, &Paging::default()).await?;
        let flags = list["data"].as_array().into_iter().flatten();
        keys.extend(
            flags
                .filter_map(|flag| flag["key"].as_str())
                .map(str::to_owned),
        );
    }
    Ok(keys)
}

/// A text of an answer.
pub(super) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}
