//! Operations of the standard and of real providers.

use serde_json::json;

use super::*;
use crate::scim::input::Wanted;

fn ada() -> Attributes {
    let body = json!({
        "userName": "ada", "externalId": "1", "name": {"givenName": "Ada", "familyName": "Byron"},
        "emails": [{"value": "ada@x.test", "type": "work", "primary": true}],
    });
    let body = Fields::of("body", body).unwrap();
    Wanted::check(body).unwrap().into_new().unwrap().attributes
}

fn check(operations: Value) -> Result<Edits, Refused> {
    let body = json!({"schemas": [PATCH_OP], "Operations": operations});
    Edits::check(Fields::of("body", body).unwrap())
}

fn patched(operations: Value) -> (Attributes, bool) {
    check(operations).unwrap().apply(&ada(), true).unwrap()
}

/// Value, type, primary.
fn emails(operations: Value) -> Vec<(String, Option<String>, bool)> {
    let emails = patched(operations).0.emails.0;
    let parts = |email: EmailAddress| (email.value, email.kind, email.primary);
    emails.into_iter().map(parts).collect()
}

fn email(value: &str, kind: Option<&str>, primary: bool) -> (String, Option<String>, bool) {
    (value.to_owned(), kind.map(str::to_owned), primary)
}

#[test]
fn deactivation_comes_in_many_forms() {
    for operation in [
        json!({"op": "replace", "path": "active", "value": false}),
        json!({"op": "Replace", "path": "active", "value": "False"}),
        json!({"OP": "ADD", "Path": "Active", "Value": "false"}),
        json!({"op": "replace", "value": {"active": false}}),
        json!({"op": "replace", "value": {"id": "x", "ACTIVE": "False", "title": 7}}),
    ] {
        let (attributes, active) = patched(json!([operation]));
        assert_eq!((attributes, active), (ada(), false), "{operation}");
    }
}

#[test]
fn parts_of_a_name_are_changed_alone() {
    for operation in [
        json!({"op": "replace", "path": "name.familyName", "value": "Lovelace"}),
        json!({"op": "add", "path": "name", "value": {"familyName": "Lovelace"}}),
        json!({"op": "replace", "value": {"name": {"familyName": "Lovelace"}}}),
        json!({"op": "replace", "value": {"name.familyName": "Lovelace"}}),
    ] {
        let name = patched(json!([operation])).0.name;
        assert_eq!(name.in_one_piece().as_deref(), Some("Ada Lovelace"));
    }
    let gone = patched(json!([{"op": "remove", "path": "name"}])).0.name;
    assert!(gone.is_empty());
    let part = patched(json!([{"op": "remove", "path": "name.givenName"}]))
        .0
        .name;
    assert_eq!(part.in_one_piece().as_deref(), Some("Byron"));
}

#[test]
fn an_address_is_selected_or_made() {
    let set =
        |path: &str, value: &str| emails(json!([{"op": "Replace", "path": path, "value": value}]));
    let work = email("new@x.test", Some("work"), true);
    assert_eq!(
        set(r#"emails[type eq "work"].value"#, "new@x.test"),
        std::slice::from_ref(&work)
    );
    assert_eq!(set("emails[primary eq true].value", "new@x.test"), [work]);
    let old = email("ada@x.test", Some("work"), true);
    let home = email("new@x.test", Some("home"), false);
    assert_eq!(
        set(r#"emails[type eq "home"].value"#, "new@x.test"),
        [old, home]
    );
}

#[test]
fn only_one_address_is_primary() {
    let add = |value: Value| emails(json!([{"op": "add", "path": "emails", "value": value}]));
    let old = |primary| email("ada@x.test", Some("work"), primary);
    assert_eq!(
        add(json!([{"value": "b@x.test", "primary": "True"}])),
        [old(false), email("b@x.test", None, true)]
    );
    assert_eq!(
        add(json!({"value": "b@x.test"})),
        [old(true), email("b@x.test", None, false)]
    );
    assert_eq!(
        add(json!({"value": "ada@x.test", "type": "work"})),
        [old(true)]
    );
    let two =
        json!([{"value": "a@x.test", "primary": true}, {"value": "b@x.test", "primary": true}]);
    assert!(check(json!([{"op": "replace", "path": "emails", "value": two}])).is_err());
}

#[test]
fn addresses_are_removed() {
    let remove = |operation| {
        emails(json!([
            {"op": "add", "path": "emails", "value": {"value": "b@x.test", "type": "home"}},
            operation,
        ]))
    };
    let home = email("b@x.test", Some("home"), false);
    assert_eq!(remove(json!({"op": "remove", "path": "emails"})), []);
    let work = json!({"op": "remove", "path": r#"emails[type eq "work"]"#});
    assert_eq!(remove(work), std::slice::from_ref(&home));
    let listed = json!({"op": "Remove", "path": "emails", "value": [{"value": "ADA@x.test"}]});
    assert_eq!(remove(listed), [home]);
}

#[test]
fn what_breaks_a_rule_is_refused_by_its_type() {
    let type_of = |operation: Value| {
        let refused = check(json!([operation])).and_then(|edits| edits.apply(&ada(), true));
        refused.expect_err(&operation.to_string()).error_type
    };
    for (operation, expected) in [
        (
            json!({"op": "move", "path": "active", "value": true}),
            ErrorType::InvalidSyntax,
        ),
        (
            json!({"path": "active", "value": true}),
            ErrorType::InvalidSyntax,
        ),
        (json!(7), ErrorType::InvalidSyntax),
        (
            json!({"op": "add", "path": "title", "value": "x"}),
            ErrorType::InvalidPath,
        ),
        (
            json!({"op": "add", "path": 7, "value": "x"}),
            ErrorType::InvalidPath,
        ),
        (
            json!({"op": "replace", "path": "active", "value": "perhaps"}),
            ErrorType::InvalidValue,
        ),
        (
            json!({"op": "replace", "path": "active"}),
            ErrorType::InvalidValue,
        ),
        (
            json!({"op": "replace", "path": "userName", "value": ""}),
            ErrorType::InvalidValue,
        ),
        (
            json!({"op": "replace", "path": "userName", "value": null}),
            ErrorType::InvalidValue,
        ),
        (
            json!({"op": "replace", "path": "emails", "value": "a@x.test"}),
            ErrorType::InvalidValue,
        ),
        (json!({"op": "add", "value": "x"}), ErrorType::InvalidValue),
        (json!({"op": "remove"}), ErrorType::NoTarget),
        (
            json!({"op": "replace", "path": r#"emails[value eq "z@x.test"].type"#, "value": "home"}),
            ErrorType::NoTarget,
        ),
        (
            json!({"op": "remove", "path": "userName"}),
            ErrorType::Mutability,
        ),
        (
            json!({"op": "remove", "path": "active"}),
            ErrorType::Mutability,
        ),
        (
            json!({"op": "replace", "path": "id", "value": "x"}),
            ErrorType::Mutability,
        ),
    ] {
        assert_eq!(type_of(operation.clone()), Some(expected), "{operation}");
    }
}

#[test]
fn a_request_has_at_most_100_operations() {
    let operation = json!({"op": "replace", "path": "active", "value": true});
    assert!(check(json!(vec![operation.clone(); 100])).is_ok());
    assert!(check(json!(vec![operation; 101])).is_err());
    assert!(check(json!([])).is_err());
    assert!(check(json!(null)).is_err());
}

#[test]
fn operations_add_at_most_20_addresses() {
    let add = |count: usize| {
        let one = |number| json!({"op": "add", "path": "emails", "value": {"value": format!("{number}@x.test")}});
        let operations: Vec<_> = (0..count).map(one).collect();
        check(json!(operations)).unwrap().apply(&ada(), true)
    };
    assert!(add(19).is_ok());
    assert!(add(20).is_err());
}
