//! The list of actions.

use std::collections::BTreeSet;

use harness::App;
use serde_json::json;

use super::walk::actions;

#[tokio::test]
async fn every_action_is_listed_once_with_its_meaning() {
    let (_app, owner) = App::with_owner().await;
    let listed = owner.get("/v1/audit/actions").await;
    listed.expect_status(200);
    let data = listed.body["data"].as_array().unwrap();
    assert_eq!(listed.body["total"], data.len());
    let expected: BTreeSet<_> = actions::names().collect();
    assert_eq!(data.len(), expected.len());
    let names = data.iter().map(|one| one["action"].as_str().unwrap());
    assert_eq!(names.map(str::to_owned).collect::<BTreeSet<_>>(), expected);

    let mut meanings = BTreeSet::new();
    for one in data {
        let action = one["action"].as_str().unwrap();
        let word = action.split_once('.').unwrap().0;
        let meaning = one["description"].as_str().unwrap();
        assert_eq!(
            *one,
            json!({"action": action, "resource_type": word, "description": meaning})
        );
        assert!(meaning.len() > 10, "{one}");
        assert!(meanings.insert(meaning), "{one} means what another does");
    }
    let killed = data.iter().find(|one| one["action"] == "flag.killed");
    assert_eq!(
        killed.unwrap()["description"],
        "a flag was switched off in an environment by its kill switch"
    );
}

#[tokio::test]
async fn every_action_of_the_trail_is_in_the_list() {
    let (_app, owner) = App::with_owner().await;
    let listed = owner.get("/v1/audit/actions").await;
    let data = listed.body["data"].as_array().unwrap();
    let entries = super::column(&owner, "limit=100", "action").await;
    assert!(entries.len() > 3);
    for action in entries {
        assert!(data.iter().any(|one| one["action"] == action), "{action}");
    }
}
