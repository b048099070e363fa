//! Filters of the audit trail.

use harness::{App, User};
use serde_json::{Value, json};

use super::{column, project};

/// Two projects with a flag each, changed by two users.
struct Setup {
    app: App,
    owner: User,
    developer: User,
    projects: [String; 2],
    flag: String,
}

impl Setup {
    async fn new() -> Self {
        let (app, owner) = App::with_owner().await;
        let developer = app.member(&owner, "developer").await;
        let projects = [project(&owner, "one").await, project(&owner, "two").await];
        let mut flag = String::new();
        for project in &projects {
            let path = format!("/v1/projects/{project}/flags");
            let body = json!({"key": "a-flag", "name": "A flag"});
            let created = developer.create(&path, body).await;
            flag = created.text("/id");
        }
        let path = format!("/v1/projects/{}/flags/a-flag", projects[1]);
        owner.change(&path, json!({"name": "B"})).await;
        Self {
            app,
            owner,
            developer,
            projects,
            flag,
        }
    }

    async fn actions(&self, query: &str) -> Vec<Value> {
        column(&self.owner, query, "action").await
    }
}

#[tokio::test]
async fn each_filter_keeps_what_fits() {
    let setup = Setup::new().await;
    let [one, two] = &setup.projects;
    for (query, expected) in [
        (
            format!("project_id={one}"),
            vec!["flag.created", "project.created"],
        ),
        (
            format!("project_id={two}"),
            vec!["flag.updated", "flag.created", "project.created"],
        ),
        ("action=flag.updated".to_owned(), vec!["flag.updated"]),
        (
            "resource_type=flag".to_owned(),
            vec!["flag.updated", "flag.created", "flag.created"],
        ),
        (
            format!("resource_id={}", setup.flag),
            vec!["flag.updated", "flag.created"],
        ),
        (
            format!("actor_id={}", setup.developer.id),
            vec!["flag.created", "flag.created", "auth.login"],
        ),
    ] {
        assert_eq!(setup.actions(&query).await, expected, "{query}");
        let page = setup.owner.get(&format!("/v1/audit?{query}&limit=1")).await;
        assert_eq!(page.body["total"], expected.len(), "{query}");
        assert_eq!(page.body["has_more"], expected.len() > 1, "{query}");
    }
}

#[tokio::test]
async fn a_person_is_found_by_the_id_of_the_membership_too() {
    let setup = Setup::new().await;
    let member = setup.owner.member_id_of(&setup.developer.email).await;
    let by_member = setup.actions(&format!("actor_id={member}")).await;
    let by_user = setup
        .actions(&format!("actor_id={}", setup.developer.id))
        .await;
    assert_eq!(by_member, by_user);
    let stranger = setup.app.signup("stranger").await;
    let query = format!("actor_id={member}");
    assert_eq!(column(&stranger, &query, "id").await, [""; 0]);
}

#[tokio::test]
async fn several_filters_keep_what_fits_all_of_them() {
    let setup = Setup::new().await;
    let (two, flag) = (&setup.projects[1], &setup.flag);
    let (owner, developer) = (&setup.owner.id, &setup.developer.id);
    let all = format!(
        "project_id={two}&action=flag.updated&resource_type=flag&resource_id={flag}&actor_id={owner}"
    );
    assert_eq!(setup.actions(&all).await, ["flag.updated"]);
    for none in [
        format!("action=flag.updated&actor_id={developer}"),
        format!("action=flag.updated&project_id={}", setup.projects[0]),
        "action=flag.updated&resource_type=project".to_owned(),
    ] {
        assert_eq!(setup.actions(&none).await, [""; 0], "{none}");
    }
}

#[tokio::test]
async fn a_filter_that_names_nothing_is_met_by_nothing() {
    let setup = Setup::new().await;
    let nobody = "0199d6c5-0a3f-7c41-8d1c-111111111111";
    for filter in [
        "project_id",
        "action",
        "resource_type",
        "resource_id",
        "actor_id",
        "env_id",
    ] {
        for value in ["nonsense", nobody, "%25", "flag."] {
            let path = format!("/v1/audit?{filter}={value}&limit=7");
            setup.owner.get(&path).await.expect(
                200,
                json!({"data": [], "total": 0, "limit": 7, "offset": 0, "has_more": false}),
            );
        }
    }
}

#[tokio::test]
async fn what_another_organization_has_is_met_by_nothing() {
    let setup = Setup::new().await;
    let stranger = setup.app.signup("stranger").await;
    for query in [
        format!("project_id={}", setup.projects[1]),
        format!("resource_id={}", setup.flag),
        format!("actor_id={}", setup.owner.id),
        "action=flag.updated".to_owned(),
        "resource_type=flag".to_owned(),
    ] {
        assert_eq!(column(&stranger, &query, "id").await, [""; 0], "{query}");
    }
}

#[tokio::test]
async fn an_empty_filter_counts_as_absent() {
    let setup = Setup::new().await;
    let empty = "project_id=&action=&resource_type=&resource_id=&actor_id=&env_id=&from=&to=";
    assert_eq!(setup.actions(empty).await, setup.actions("").await);
}

#[tokio::test]
async fn ids_are_found_in_either_case() {
    let setup = Setup::new().await;
    let (two, flag) = (&setup.projects[1], &setup.flag);
    for (filter, id) in [
        ("project_id", two),
        ("resource_id", flag),
        ("actor_id", &setup.owner.id),
    ] {
        let (lower, upper) = (id.clone(), id.to_uppercase());
        let found = setup.actions(&format!("{filter}={upper}")).await;
        assert_eq!(found, setup.actions(&format!("{filter}={lower}")).await);
        assert!(!found.is_empty());
    }
}

#[tokio::test]
async fn a_filter_given_twice_or_with_nul_is_refused() {
    let (_app, owner) = App::with_owner().await;
    let twice = owner.get("/v1/audit?action=a.b&action=c.d").await;
    twice.expect(400, json!({"error": "[text]"}));
    let nul = owner.get("/v1/audit?action=%00").await;
    nul.expect_error(400, "text must not contain NUL characters");
}

#[tokio::test]
async fn entries_of_a_deleted_project_stay() {
    let setup = Setup::new().await;
    let one = &setup.projects[0];
    setup.owner.remove(&format!("/v1/projects/{one}")).await;
    assert_eq!(
        setup.actions(&format!("project_id={one}")).await,
        ["project.deleted", "flag.created", "project.created"]
    );
}
