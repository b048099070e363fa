//! Lists: pages, filters, and which attributes are shown.

use harness::scim::{USER, USERS};
use harness::{IdentityProvider, Response};
use serde_json::{Value, json};

use super::{ADA, Scene, path, shown};

/// A list with these parameters.
async fn list(provider: &IdentityProvider, parameters: &[(&str, &str)]) -> Response {
    let request = provider.request(reqwest::Method::GET, USERS);
    provider.send(request.query(parameters)).await
}

async fn filtered(provider: &IdentityProvider, filter: &str) -> Vec<String> {
    let answer = list(provider, &[("filter", filter)]).await;
    answer.expect_status(200);
    let users = answer.body["Resources"].as_array().expect("a list");
    assert_eq!(answer.body["totalResults"], users.len(), "{filter}");
    let name = |user: &Value| user["userName"].as_str().expect("a name").to_owned();
    users.iter().map(name).collect()
}

/// Five users: the owner, and four by the provider.
async fn five() -> Scene {
    let scene = Scene::set().await;
    for name in ["a", "b", "c", "d"] {
        let body = json!({
            "userName": name, "externalId": format!("X{name}"),
            "emails": [{"value": format!("{name}@work.test"), "type": "work"}, {"value": format!("{name}@home.test")}],
            "active": name != "c",
        });
        scene.provider.create(USERS, body).await;
    }
    scene
}

#[tokio::test]
async fn members_are_listed_of_whom_nothing_was_ever_said() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    let expected = json!({
        "id": owner.id, "userName": owner.email, "name": {"formatted": "Owner"},
        "emails": [{"value": owner.email, "primary": true}],
    });
    let answer = provider.get(USERS).await;
    answer.expect(
        200,
        json!({
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
            "totalResults": 1, "startIndex": 1, "itemsPerPage": 1, "Resources": [shown(expected.clone())],
        }),
    );
    assert_eq!(answer.header("content-type"), "application/scim+json");
    let answer = provider.get(&path(&owner.id)).await;
    answer.expect(200, shown(expected));
}

#[tokio::test]
async fn pages_are_counted_from_1_and_have_at_most_100_users() {
    let scene = five().await;
    let (_, owner, provider) = scene.parts();
    for (start_index, count, first, items) in [
        ("1", "100", 1, 5),
        ("2", "3", 2, 3),
        ("5", "3", 5, 1),
        ("6", "3", 6, 0),
        ("0", "2", 1, 2),
        ("-7", "2", 1, 2),
        ("1", "0", 1, 0),
        ("1", "-1", 1, 0),
        ("1", "101", 1, 5),
        ("x", "y", 1, 5),
        (
            "9223372036854775807",
            "9223372036854775807",
            9_223_372_036_854_775_807_i64,
            0,
        ),
    ] {
        let parameters = [("startIndex", start_index), ("count", count)];
        let answer = list(provider, &parameters).await;
        answer.expect_status(200);
        let told =
            ["startIndex", "itemsPerPage", "totalResults"].map(|name| answer.body[name].clone());
        assert_eq!(
            told,
            [json!(first), json!(items), json!(5)],
            "{parameters:?}"
        );
        let users = answer.body["Resources"].as_array().map(Vec::len);
        assert_eq!(users, Some(items));
    }
    let one_by_one = async |n: usize| {
        let at = n.to_string();
        list(provider, &[("startIndex", &at), ("count", "1")])
            .await
            .text("/Resources/0/userName")
    };
    let mut names = Vec::new();
    for n in 1..=5 {
        names.push(one_by_one(n).await);
    }
    assert_eq!(names, [owner.email.as_str(), "a", "b", "c", "d"]);
}

#[tokio::test]
async fn filters_are_comparisons_joined_by_and() {
    let scene = five().await;
    let (_, owner, provider) = scene.parts();
    let a = provider.get(USERS).await.text("/Resources/1/id");
    let of_owner = format!("userName eq \"{}\"", owner.email.to_uppercase());
    let address_of_owner = format!("emails.value eq \"{}\"", owner.email);
    for (filter, expected) in [
        ("userName eq \"A\"", vec!["a"]),
        (&of_owner, vec![owner.email.as_str()]),
        (&address_of_owner, vec![owner.email.as_str()]),
        ("externalId eq \"xB\"", vec!["b"]),
        ("emails.value eq \"D@home.test\"", vec!["d"]),
        (
            "emails.value eq \"d@home.test\" and emails.value eq \"d@work.test\"",
            vec!["d"],
        ),
        (
            "emails.value eq \"d@home.test\" and emails.value eq \"a@home.test\"",
            vec![],
        ),
        ("active eq false", vec!["c"]),
        ("active eq true", vec![owner.email.as_str(), "a", "b", "d"]),
        ("active eq true and userName eq \"c\"", vec![]),
        (&format!("id eq \"{a}\""), vec!["a"]),
        ("id eq \"nobody\"", vec![]),
        ("userName eq \"a\" and userName eq \"b\"", vec![]),
        ("userName eq \"nobody\"", vec![]),
        (
            "urn:ietf:params:scim:schemas:core:2.0:User:userName eq \"a\"",
            vec!["a"],
        ),
    ] {
        assert_eq!(filtered(provider, filter).await, expected, "{filter}");
    }
}

#[tokio::test]
async fn other_filters_are_400() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    let words = "filters are made of `eq` on userName, emails.value, externalId, id and active, joined by `and`";
    for filter in [
        "",
        "userName sw \"a\"",
        "userName eq \"a\" or userName eq \"b\"",
        "not (userName eq \"a\")",
        "title eq \"a\"",
        "userName eq 'a'",
        "userName eq",
        "meta.lastModified gt \"2026-01-01T00:00:00Z\"",
    ] {
        let answer = list(provider, &[("filter", filter)]).await;
        answer.expect_scim_error(400, "invalidFilter", words);
    }
    let long = format!("userName eq \"{}\"", "a".repeat(2_000));
    let answer = list(provider, &[("filter", &long)]).await;
    answer.expect_scim_error(400, "invalidFilter", "the filter is too long");
}

#[tokio::test]
async fn answers_have_the_attributes_that_are_asked_for() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    let at = path(&owner.id);
    let only = provider
        .get(&format!("{at}?attributes=userName,EMAILS.value"))
        .await;
    only.expect(
        200,
        json!({"schemas": [USER], "id": owner.id, "userName": owner.email, "emails": [{"value": owner.email}]}),
    );
    let without = provider
        .get(&format!("{at}?excludedAttributes=name,emails,meta,id"))
        .await;
    without.expect(
        200,
        json!({"schemas": [USER], "id": owner.id, "userName": owner.email, "active": true}),
    );
    let listed = provider.get(&format!("{USERS}?attributes=active")).await;
    assert_eq!(
        listed.body["Resources"],
        json!([{"schemas": [USER], "id": owner.id, "active": true}])
    );
    let made = json!({"userName": ADA});
    let made = provider
        .post(&format!("{USERS}?attributes=userName"), made)
        .await;
    made.expect(
        201,
        json!({"schemas": [USER], "id": "[uuid]", "userName": ADA}),
    );
    let both = provider
        .get(&format!("{at}?attributes=name&excludedAttributes=emails"))
        .await;
    both.expect_scim_error(
        400,
        "invalidValue",
        "attributes and excludedAttributes exclude each other",
    );
}

#[tokio::test]
async fn nobody_sees_the_users_of_another_organization() {
    let scene = five().await;
    let (owner, other) = scene.another("other").await;
    let answer = other.get(USERS).await;
    assert_eq!(answer.body["totalResults"], 1);
    assert_eq!(answer.text("/Resources/0/id"), owner.id);
    assert_eq!(filtered(&other, "userName eq \"a\"").await, [""; 0]);
}
