//! Parameters of paths and queries.

use super::{assert_each, items};

#[test]
fn every_part_of_a_path_is_a_required_parameter_with_description_and_example() {
    assert_each(|operation| {
        let parts = operation.path.split('/').filter_map(|part| {
            let name = part.strip_prefix('{')?;
            name.strip_suffix('}')
        });
        let incomplete = parts.filter(|name| {
            let mut own = items(&operation.says["parameters"]);
            !own.any(|one| {
                one["in"] == "path"
                    && one["name"] == **name
                    && one["required"] == true
                    && one["description"].is_string()
                    && one["example"].is_string()
            })
        });
        let incomplete: Vec<_> = incomplete.collect();
        (!incomplete.is_empty())
            .then(|| format!("describe {incomplete:?} in http/openapi/parameters.rs"))
    });
}

#[test]
fn parameters_of_queries_and_headers_are_described() {
    assert_each(|operation| {
        let own = items(&operation.says["parameters"]);
        let silent = own.filter(|one| !one["description"].is_string());
        let silent: Vec<_> = silent.map(|one| &one["name"]).collect();
        (!silent.is_empty()).then(|| format!("{silent:?} have no description"))
    });
}

/// Parameters of queries and headers that must be there.
const REQUIRED: [&str; 7] = [
    "token",
    "email",
    "env_id",
    "q",
    "from",
    "to",
    "Gateway-Redirect-Signature",
];

#[test]
fn parameters_of_queries_are_optional_where_the_service_does_without() {
    assert_each(|operation| {
        let own = items(&operation.says["parameters"]).filter(|one| one["in"] != "path");
        let required = own.filter(|one| {
            let is_known = REQUIRED.iter().any(|name| one["name"] == **name);
            one["required"] == true && !is_known
        });
        let required: Vec<_> = required.map(|one| &one["name"]).collect();
        (!required.is_empty()).then(|| format!("{required:?} are marked required"))
    });
}

#[test]
fn changes_that_edges_serve_can_wait_for_edges() {
    assert_each(|operation| {
        let successes = ["200", "201", "204"];
        let tells = successes.iter().any(|status| {
            let headers = &operation.says["responses"][*status]["headers"];
            headers.get("X-Edges-Lagging").is_some()
        });
        let can_wait = items(&operation.says["parameters"]).any(|one| one["name"] == "wait");
        (tells != can_wait).then(|| "`wait` and the headers that answer it go together".to_owned())
    });
    let waits = |one: &&harness::documented::Operation| {
        items(&one.says["parameters"]).any(|parameter| parameter["name"] == "wait")
    };
    let all = harness::documented::operations().iter();
    assert!(all.filter(waits).count() >= 18);
}
