//! Owners of flags.

use harness::{App, Setup, User};
use serde_json::{Value, json};

async fn member_id(owner: &User, member: &User) -> String {
    let members = owner.get("/v1/members").await;
    let mut members = members.body["data"].as_array().unwrap().iter();
    let found = members.find(|one| one["email"] == member.email).unwrap();
    found["id"].as_str().unwrap().to_owned()
}

async fn found(setup: &Setup, query: &str) -> Vec<(String, Value)> {
    let path = format!("/v1/projects/{}/overview{query}", setup.project.id);
    let answer = setup.owner.get(&path).await;
    let rows = answer.expect_status(200).body["data"].as_array().unwrap();
    let rows = rows.iter().map(|row| {
        let key = row["key"].as_str().unwrap().to_owned();
        (key, row["owner"].clone())
    });
    rows.collect()
}

#[tokio::test]
async fn a_flag_has_an_owner_until_that_member_leaves() {
    let setup = Setup::new().await;
    let (owner, flags) = (&setup.owner, setup.flags());
    let ada = setup.app.member(owner, "developer").await;
    let id = member_id(owner, &ada).await;
    let path = format!("{flags}/f");
    let mut flag = ada
        .create(&flags, json!({"key": "f", "name": "F", "owner_id": "me"}))
        .await
        .body;
    assert_eq!(flag["owner_id"], json!(id));
    owner.get(&path).await.expect(200, flag.clone());
    let listed = owner.get(&flags).await;
    assert_eq!(listed.body["data"][0]["owner_id"], json!(id));
    let shown = found(&setup, "").await;
    assert_eq!((shown[0].0.as_str(), &shown[0].1["id"]), ("f", &json!(id)));
    assert!(shown[0].1["name"].is_string());

    // No change of another field touches it; null clears it.
    flag["name"] = json!("G");
    flag["updated_at"] = json!("[time]");
    let renamed = owner.put(&path, json!({"name": "G"})).await;
    renamed.expect(200, flag.clone());
    let mine = owner.put(&path, json!({"owner_id": "me"})).await;
    let own = member_id(owner, owner).await;
    assert_eq!(mine.expect_status(200).body["owner_id"], json!(own));
    let cleared = owner.put(&path, json!({"owner_id": null})).await;
    assert_eq!(cleared.expect_status(200).body["owner_id"], Value::Null);
    let given = owner.put(&path, json!({"owner_id": id})).await;
    assert_eq!(given.expect_status(200).body["owner_id"], json!(id));

    let left = owner.delete(&format!("/v1/members/{id}")).await;
    left.expect_status(204);
    flag["owner_id"] = Value::Null;
    owner.get(&path).await.expect(200, flag);
    assert_eq!(found(&setup, "").await, [("f".to_owned(), Value::Null)]);
    let of_them = found(&setup, &format!("?owner_id={id}")).await;
    assert!(of_them.is_empty());
}

#[tokio::test]
async fn owner_id_must_be_the_id_of_a_member_of_the_organization() {
    let (app, owner) = App::with_owner().await;
    let flags = super::collection(&owner).await;
    let stranger = app.signup("globex").await;
    let foreign = member_id(&stranger, &stranger).await;
    owner.create(&flags, json!({"key": "f", "name": "F"})).await;
    let message = "owner_id must be the id of a member of the organization";
    for id in [foreign.as_str(), owner.id.as_str(), "nobody", "", "none"] {
        let body = json!({"key": "g", "name": "G", "owner_id": id});
        owner.post(&flags, body).await.expect_error(400, message);
        let path = format!("{flags}/f");
        let refused = owner.put(&path, json!({"owner_id": id})).await;
        refused.expect_error(400, message);
    }
}

#[tokio::test]
async fn flags_are_filtered_by_owner() {
    let setup = Setup::new().await;
    let (owner, flags) = (&setup.owner, setup.flags());
    let ada = setup.app.member(owner, "developer").await;
    for (user, key) in [(owner, "a"), (&ada, "b")] {
        let body = json!({"key": key, "name": key, "owner_id": "me"});
        user.create(&flags, body).await;
    }
    owner.create(&flags, json!({"key": "c", "name": "c"})).await;
    let keys = async |query: &str| {
        let rows = found(&setup, query).await.into_iter();
        rows.map(|(key, _)| key).collect::<Vec<_>>()
    };
    assert_eq!(keys("?owner_id=me").await, ["a"]);
    let id = member_id(owner, &ada).await;
    assert_eq!(keys(&format!("?owner_id={id}")).await, ["b"]);
    assert_eq!(keys("?owner_id=none").await, ["c"]);
    assert_eq!(keys("?owner_id=").await, ["a", "b", "c"]);
    let path = format!("/v1/projects/{}/overview?owner_id=x", setup.project.id);
    let refused = owner.get(&path).await;
    refused.expect_error(400, "owner_id must be the id of a member, me or none");
}

#[tokio::test]
async fn a_change_of_the_owner_is_in_the_history() {
    let setup = Setup::new().await;
    let (owner, flags) = (&setup.owner, setup.flags());
    owner.create(&flags, json!({"key": "f", "name": "F"})).await;
    let path = format!("{flags}/f");
    owner.change(&path, json!({"owner_id": "me"})).await;
    let history = owner.get(&format!("{path}/history")).await;
    let newest = &history.body["data"][0];
    assert_eq!(newest["changed"], json!(["owner_id"]));
    let dev = &setup.project.dev;
    let shown = async |version: i64| {
        let path = format!("{path}/history/{version}?env_id={dev}");
        owner.get(&path).await.expect_status(200).body["flag"]["owner_id"].clone()
    };
    assert_eq!(shown(1).await, Value::Null);
    assert_eq!(shown(2).await, json!(member_id(owner, owner).await));
}
