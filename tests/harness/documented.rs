//! The API document names every status that is ever answered: each answer that a test sees is held against it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use reqwest::Method;

/// An operation of the document, and the statuses that it names.
struct Operation {
    method: String,
    path: Vec<String>,
    statuses: BTreeSet<String>,
}

static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let document = serde_json::to_value(control_plane::app::document()).expect("a JSON document");
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let statuses = operation["responses"].as_object().expect("responses");
            operations.push(Operation {
                method: method.to_uppercase(),
                path: path.split('/').map(str::to_owned).collect(),
                statuses: statuses.keys().cloned().collect(),
            });
        }
    }
    operations
});

impl Operation {
    /// The number of segments that are the same, none of them a parameter; `None` for another path.
    fn matches(&self, path: &[&str]) -> Option<usize> {
        let is_parameter = |part: &str| part.starts_with('{');
        let mut pairs = self.path.iter().zip(path);
        let fits = self.path.len() == path.len()
            && pairs.all(|(part, given)| is_parameter(part) || part == given);
        fits.then(|| self.path.iter().filter(|part| !is_parameter(part)).count())
    }
}

/// Checks an answer. Faults (5xx) are no part of an API, and what edges answer has a document of its own.
///
/// # Panics
/// When the document does not name the status.
pub(crate) fn check(method: &Method, path: &str, status: u16) {
    let parts: Vec<_> = path.split('/').collect();
    let of_method = OPERATIONS
        .iter()
        .filter(|operation| operation.method == method.as_str());
    let closest = of_method
        .filter_map(|operation| Some((operation.matches(&parts)?, operation)))
        .max_by_key(|(same, _)| *same);
    if let Some((_, operation)) = closest {
        assert!(
            status >= 500 || operation.statuses.contains(&status.to_string()),
            "{method} {path} answered {status}, which the API document does not name"
        );
    }
}

#[test]
#[should_panic(expected = "answered 418")]
fn a_status_that_is_not_named_is_found() {
    check(&Method::GET, "/v1/projects/some-id/flags/some-key", 200);
    check(&Method::GET, "/v1/no/such/path", 418);
    check(&Method::GET, "/v1/projects/some-id/flags/some-key", 418);
}
