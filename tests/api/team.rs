//! The team's list.

use harness::{App, User};
use serde_json::{Value, json};

use crate::mfa;

const PATH: &str = "/v1/team";

async fn invited(owner: &User, email: &str) -> String {
    let body = json!({"email": email, "role": "developer"});
    owner.create("/v1/members/invite", body).await.text("/id")
}

fn names(list: &Value) -> Vec<&str> {
    let all = list["data"].as_array().expect("a list");
    all.iter().filter_map(|one| one["name"].as_str()).collect()
}

#[tokio::test]
async fn it_shows_sign_ins_second_factors_and_permissions() {
    let (app, owner, project) = App::with_project().await;
    mfa::activate(&app, &owner).await;
    let member_id = invited(&owner, "ada@example.com").await;
    let row = json!({"env_id": project.dev, "can_toggle": true, "can_edit_rules": false});
    let path = format!("/v1/members/{member_id}/permissions");
    owner.change(&path, json!({"permissions": [row]})).await;

    let owner_shown = json!({
        "member_id": owner.member_id().await, "user_id": owner.id, "name": "Owner", "email": owner.email, "role": "owner",
        "custom_role_id": null, "joined_at": "[time]", "invited": false, "last_login_at": "[time]", "mfa_enabled": true,
        "permissions": [],
    });
    let ada_shown = json!({
        "member_id": member_id, "user_id": null, "name": "ada@example.com", "email": "ada@example.com", "role": "developer",
        "custom_role_id": null, "joined_at": "[time]", "invited": true, "last_login_at": null, "mfa_enabled": null,
        "permissions": [row],
    });
    let page = |data: Value| json!({"data": data, "total": 2, "limit": 50, "offset": 0, "has_more": false});
    let path = format!("{PATH}?project_id={}", project.id);
    owner
        .get(&path)
        .await
        .expect(200, page(json!([owner_shown, ada_shown])));
    let mut without = ada_shown.clone();
    without["permissions"] = json!([]);
    owner
        .get(PATH)
        .await
        .expect(200, page(json!([owner_shown, without])));
}

#[tokio::test]
async fn those_who_may_not_manage_members_see_their_own_sign_ins_alone() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    let viewer = app.member(&owner, "viewer").await;
    let admin = app.member(&owner, "admin").await;
    app.hold_to(&owner, &admin, &["members.read"]).await;
    for (user, own) in [(&viewer, 1), (&admin, 2)] {
        let list = user.get(PATH).await;
        for (index, one) in list.body["data"].as_array().unwrap().iter().enumerate() {
            let is_shown =
                [&one["last_login_at"], &one["mfa_enabled"]].map(|field| !field.is_null());
            assert_eq!(is_shown, [index == own; 2], "{one}");
            assert_eq!(one["invited"], json!(false));
        }
    }
}

#[tokio::test]
async fn an_account_from_elsewhere_looks_like_a_new_one_until_it_signs_in() {
    let (app, owner) = App::with_owner().await;
    let guest = app.signup("globex").await;
    mfa::activate(&app, &guest).await;
    invited(&owner, &guest.email).await;
    let fresh = invited(&owner, "new@example.com").await;
    let list = owner.get(PATH).await;
    let [_, known, new] = list.body["data"].as_array().unwrap().as_slice() else {
        panic!("{}", list.body);
    };
    assert_eq!(new["member_id"], json!(fresh));
    assert_eq!(known["name"], json!(guest.email));
    for field in ["user_id", "invited", "last_login_at", "mfa_enabled"] {
        assert_eq!(known[field], new[field], "{field}");
    }
}

#[tokio::test]
async fn all_words_of_a_search_are_in_the_name_or_the_address() {
    let (_app, owner) = App::with_owner().await;
    for email in [
        "ada.lovelace@example.com",
        "ada.byron@example.com",
        "a_b%c@example.com",
    ] {
        invited(&owner, email).await;
    }
    for (asked, found) in [
        ("LOVE%20ada", &["ada.lovelace@example.com"][..]),
        (
            "ada",
            &["ada.lovelace@example.com", "ada.byron@example.com"],
        ),
        ("own%20acme.test", &["Owner"]),
        ("_b%25", &["a_b%c@example.com"]),
        ("nobody", &[]),
    ] {
        let list = owner.get(&format!("{PATH}?q={asked}")).await;
        list.expect_status(200);
        assert_eq!(names(&list.body), found, "{asked}");
        assert_eq!(list.body["total"], json!(found.len()));
    }
    let page = owner.get(&format!("{PATH}?q=ada&limit=1&offset=1")).await;
    assert_eq!(names(&page.body), ["ada.byron@example.com"]);
    assert_eq!(
        (&page.body["total"], &page.body["has_more"]),
        (&json!(2), &json!(false))
    );
}

#[tokio::test]
async fn a_custom_role_lists_those_whom_it_restricts() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    let developer = app.member(&owner, "developer").await;
    let role_id = app.hold_to(&owner, &developer, &["flags.read"]).await;
    let list = owner.get(&format!("{PATH}?custom_role_id={role_id}")).await;
    assert_eq!(names(&list.body), ["developer"]);
    assert_eq!(list.body["data"][0]["custom_role_id"], json!(role_id));
    let none = owner.get(&format!("{PATH}?custom_role_id=nonsense")).await;
    assert_eq!(
        (names(&none.body).len(), &none.body["total"]),
        (0, &json!(0))
    );
}

#[tokio::test]
async fn one_member_is_found_by_id() {
    let (app, owner) = App::with_owner().await;
    let id = invited(&owner, "ada@example.com").await;
    let found = owner.get(&format!("{PATH}?member_id={id}")).await;
    assert_eq!(names(&found.body), ["ada@example.com"]);
    let stranger = app.signup("globex").await.member_id().await;
    for id in [stranger.as_str(), "nonsense"] {
        let none = owner.get(&format!("{PATH}?member_id={id}")).await;
        assert_eq!(none.body["total"], json!(0), "{id}");
    }
}

#[tokio::test]
async fn a_text_of_201_characters_is_400_and_an_unknown_project_404() {
    let (app, owner) = App::with_owner().await;
    let long = owner.get(&format!("{PATH}?q={}", "x".repeat(201))).await;
    long.expect_error(400, "q must be at most 200 characters");
    let other = app.signup("globex").await.default_project().await.id;
    for project in ["nothing", other.as_str()] {
        let unknown = owner.get(&format!("{PATH}?project_id={project}")).await;
        unknown.expect_error(404, "project not found");
    }
}
