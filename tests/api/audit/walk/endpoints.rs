//! Endpoints as the table of accesses names them: a method, and a path with parameters.

use harness::access::{Row, rows};

use super::Walk;

impl Walk {
    /// The path of an endpoint, with or without its method.
    pub(super) fn path(&self, endpoint: &str) -> String {
        let path = endpoint.split_once(' ').map_or(endpoint, |(_, path)| path);
        let ids = self.ids.iter();
        ids.fold(path.to_owned(), |path, (name, id)| {
            path.replace(&format!("{{{name}}}"), id)
        })
    }
}

pub(super) fn method(endpoint: &str) -> &str {
    endpoint.split_once(' ').expect("method and path").0
}

pub(super) fn row(endpoint: &str) -> Row {
    let row = rows().into_iter().find(|row| row.name() == endpoint);
    row.unwrap_or_else(|| panic!("{endpoint} is in no row of the access table"))
}

/// Whether the path is the endpoint's with something in place of each parameter.
pub(super) fn is_made_of(path: &str, endpoint: &str) -> bool {
    let template = endpoint.split_once(' ').expect("method and path").1;
    let path = path.split('?').next().unwrap_or_default();
    let (parts, wanted): (Vec<_>, Vec<_>) =
        (path.split('/').collect(), template.split('/').collect());
    parts.len() == wanted.len()
        && parts
            .iter()
            .zip(&wanted)
            .all(|(part, wanted)| part == wanted || wanted.starts_with('{'))
}
