//! The table and the API document say the same, in both directions. What the document says comes from the handlers' signatures,
//! which are what is enforced.

use std::collections::{BTreeMap, BTreeSet};

use harness::access::{Plan, ROLES, rows};
use harness::documented;
use serde_json::Value;

#[test]
fn the_table_and_the_api_document_name_the_same_endpoints() {
    let documented: BTreeSet<_> = operations(|_| ()).into_keys().collect();
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
fn the_api_document_says_of_each_endpoint_what_the_table_says() {
    let documented = operations(|operation| {
        let access = &operation["x-access"];
        let texts = |name: &str| {
            let items = access[name].as_array().into_iter().flatten();
            items
                .map(|item| item.as_str().unwrap().to_owned())
                .collect::<Vec<String>>()
        };
        (
            texts("roles"),
            texts("permissions"),
            access["plan"].as_str().map(str::to_owned),
            access["session"] == true,
        )
    });
    let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
    let table = rows().into_iter().map(|row| {
        let roles = ROLES
            .into_iter()
            .filter(|role| !row.is_public() && !row.is_scim() && row.admits(role));
        let plan = row.plan.name().map(str::to_owned);
        let keys = owned(row.keys.clone());
        (
            row.name(),
            (owned(roles.collect()), keys, plan, row.of_session),
        )
    });
    let table: BTreeMap<_, _> = table.collect();
    assert_eq!(documented, table);
}

#[test]
fn the_api_document_names_every_refusal_that_access_paths_and_bodies_lead_to() {
    let documented = operations(|operation| {
        let responses = operation["responses"].as_object().unwrap();
        for (status, response) in responses
            .iter()
            .filter(|(status, _)| status.as_str() >= "400")
        {
            let is_scim = operation["security"][0].get("scim_token").is_some();
            let (media_type, schema) = if is_scim {
                ("application/scim+json", "ScimErrorBody")
            } else {
                ("application/json", "ErrorBody")
            };
            let body = &response["content"][media_type]["schema"]["$ref"];
            let body = body.as_str().unwrap_or_default();
            let schema_of = |name: &str| format!("#/components/schemas/{name}");
            // Refusals of guarded environments, outdated reviews, change sets, and definitions have more members.
            let has_more = (status == "403" && body == schema_of("GuardedErrorBody"))
                || (status == "409" && body == schema_of("MovedErrorBody"))
                || (status == "409" && body == schema_of("ConflictsErrorBody"))
                || (status == "400" && body == schema_of("ProblemsErrorBody"))
                || (status == "412" && body == schema_of("OutdatedErrorBody"));
            assert!(has_more || body == schema_of(schema), "{status}: {body}");
        }
        responses.keys().cloned().collect::<BTreeSet<_>>()
    });
    for row in rows() {
        let mut expected = vec![];
        if row.is_public() {
            expected.extend((!row.unrated).then_some("429"));
        } else {
            expected.extend(["401", "429"]);
            if row.is_scim()
                || row.of_session
                || !ROLES.into_iter().all(|role| row.admits(role))
                || !row.keys.is_empty()
            {
                expected.push("403");
            }
        }
        if row.of_page {
            expected.push("403");
        }
        if row.takes_body() {
            expected.extend(["400", "408", "413"]);
            // A page that sends another type is none of ours: 403.
            expected.extend((!row.of_page).then_some("415"));
        }
        if row.path.contains('{') {
            expected.push("404");
        }
        if row.plan != Plan::Any {
            expected.push("402");
        }
        let found = &documented[&row.name()];
        let missing: Vec<_> = expected
            .iter()
            .filter(|status| !found.contains(**status))
            .collect();
        assert!(
            missing.is_empty(),
            "{} does not name {missing:?}",
            row.name()
        );
    }
}

/// Something about each operation of the management API, by method and path.
fn operations<T>(about: impl Fn(&Value) -> T) -> BTreeMap<String, T> {
    let documented = documented::by_endpoint().into_iter();
    let of_management = documented.filter(|(_, operation)| !operation.is_outside_management());
    of_management
        .map(|(name, operation)| (name, about(&operation.says)))
        .collect()
}
