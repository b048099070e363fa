//! The table, the API document and the control plane's own table of permission keys say the same, in both directions.

use std::collections::{BTreeMap, BTreeSet};

use control_plane::roles::permissions::{self, Needs};
use harness::App;
use harness::access::{protected, rows};

#[tokio::test]
async fn the_table_and_the_api_document_name_the_same_endpoints() {
    let app = App::start().await;
    let document = app.anonymous().get("/openapi.json").await;
    document.expect_status(200);
    let mut documented = BTreeSet::new();
    for (path, operations) in document.body["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            documented.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    let rows = rows();
    let table: BTreeSet<_> = rows.iter().map(harness::access::Row::name).collect();
    assert_eq!(table.len(), rows.len(), "a row twice");
    let missing: Vec<_> = documented.difference(&table).collect();
    let stale: Vec<_> = table.difference(&documented).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "not in the table: {missing:?}; not served: {stale:?}"
    );
}

#[test]
fn the_service_asks_custom_roles_for_the_keys_of_the_table() {
    let asked = permissions::TABLE.iter().map(|(method, path, needs)| {
        let keys = match *needs {
            Needs::Nothing => vec![],
            Needs::One(key) => vec![key],
            Needs::AnyOf(keys) => keys.to_vec(),
        };
        (format!("{method} {path}"), keys)
    });
    let asked: BTreeMap<_, _> = asked.collect();
    assert_eq!(asked.len(), permissions::TABLE.len(), "an endpoint twice");
    let expected = protected().into_iter().map(|row| (row.name(), row.keys));
    assert_eq!(asked, expected.collect());
}
