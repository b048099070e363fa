//! Custom roles: on every endpoint a member is held to the keys of theirs, and gets nothing by them that the role denies.

use domain::roles::keys::KEYS;
use harness::access::{ROLES, Row, protected};
use harness::{App, User};
use serde_json::json;

use super::things::Things;
use super::{Complaints, call, in_order, is_admitted};

/// An organization with one of everything, and an owner of it who has a custom role beside one who has none.
struct Scene {
    app: App,
    owner: User,
    held: User,
    role_id: String,
    things: Things,
}

impl Scene {
    async fn set() -> Self {
        let (app, owner) = App::with_owner().await;
        let things = Things::of(&app, &owner).await;
        let held = app.member(&owner, "owner").await;
        let role_id = app.hold_to(&owner, &held, &[]).await;
        Self {
            app,
            owner,
            held,
            role_id,
            things,
        }
    }

    /// Gives the custom role these keys instead of those it had.
    async fn replace_keys(&self, keys: &[&str]) {
        let path = format!("/v1/roles/{}", self.role_id);
        let role = json!({"name": "Held", "permissions": keys});
        self.owner.change(&path, role).await;
    }

    async fn call(&self, row: &Row) -> u16 {
        call(&self.held, row, &self.things.path(row), "{}").await
    }
}

#[tokio::test]
async fn a_custom_role_without_the_key_is_403() {
    let scene = Scene::set().await;
    let mut complaints = Complaints::default();
    for row in protected().iter().filter(|row| !row.keys.is_empty()) {
        let others: Vec<_> = KEYS
            .iter()
            .copied()
            .filter(|key| !row.keys.contains(key))
            .collect();
        scene.replace_keys(&others).await;
        let status = scene.call(row).await;
        complaints.check(status == 403, row, "all but its key", status);
    }
}

#[tokio::test]
async fn a_custom_role_with_only_the_key_is_admitted() {
    let scene = Scene::set().await;
    let mut complaints = Complaints::default();
    for row in in_order(protected()) {
        for key in &row.keys {
            scene.replace_keys(&[key]).await;
            let status = scene.call(&row).await;
            complaints.check(is_admitted(status), &row, key, status);
        }
    }
}

#[tokio::test]
async fn what_needs_no_key_is_open_to_a_custom_role_without_any() {
    let scene = Scene::set().await;
    let mut complaints = Complaints::default();
    for row in in_order(protected()) {
        if row.keys.is_empty() {
            let status = scene.call(&row).await;
            complaints.check(is_admitted(status), &row, "no key", status);
        }
    }
}

#[tokio::test]
async fn a_custom_role_never_widens_the_role() {
    let Scene {
        app, owner, things, ..
    } = Scene::set().await;
    let mut complaints = Complaints::default();
    for role in ROLES {
        let member = app.member(&owner, role).await;
        app.hold_to(&owner, &member, KEYS).await;
        for row in protected().iter().filter(|row| !row.admits(role)) {
            let status = call(&member, row, &things.path(row), "{}").await;
            complaints.check(status == 403, row, role, status);
        }
    }
}

#[tokio::test]
async fn a_custom_role_goes_on_holding_when_the_plan_falls() {
    let scene = Scene::set().await;
    scene.app.set_plan(&scene.owner, "free").await;
    let mut complaints = Complaints::default();
    for row in protected().iter().filter(|row| !row.keys.is_empty()) {
        let status = scene.call(row).await;
        complaints.check(status == 403, row, "no key, on free", status);
    }
}
