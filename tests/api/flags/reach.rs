//! Changes of a flag that have an effect in environments where the caller may not change flags, or which are protected.

use harness::user::DefaultProject;
use harness::{App, Response, User};
use serde_json::{Value, json};

pub struct Setup {
    pub app: App,
    pub owner: User,
    pub developer: User,
    pub project: DefaultProject,
    /// Path of the flag `f`.
    flag: String,
}

pub const DENIED: &str = "insufficient permissions for these environments";
pub const DENIED_MESSAGE: &str =
    "the change has an effect in environments where you may not change flags";

impl Setup {
    pub async fn new() -> Self {
        let (app, owner, project) = App::with_project().await;
        let developer = app.member(&owner, "developer").await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        for key in ["f", "base"] {
            owner.create(&flags, json!({"key": key, "name": key})).await;
        }
        Self {
            flag: format!("{flags}/f"),
            app,
            owner,
            developer,
            project,
        }
    }

    pub async fn state(&self, env_id: &str, body: Value) {
        let path = format!("{}/environments/{env_id}", self.flag);
        self.owner.change(&path, body).await;
    }

    pub async fn permit(&self, env_id: &str, can_toggle: bool, can_edit_rules: bool) {
        let row =
            json!({"env_id": env_id, "can_toggle": can_toggle, "can_edit_rules": can_edit_rules});
        let member = self.developer.member_id().await;
        let path = format!("/v1/members/{member}/permissions");
        self.owner
            .change(&path, json!({"permissions": [row]}))
            .await;
    }

    pub async fn protect(&self, protected: bool) {
        let DefaultProject { id, production, .. } = &self.project;
        let path = format!("/v1/projects/{id}/environments/{production}");
        self.owner
            .change(&path, json!({"protected": protected}))
            .await;
    }

    pub fn refusal(&self, error: &str, message: &str, protected: bool) -> Value {
        json!({
            "error": error, "message": message,
            "environments": [
                {"id": self.project.production, "slug": "production", "protected": protected},
            ],
        })
    }

    async fn delete(&self, by: &User) -> Response {
        by.delete(&self.flag).await
    }
}

/// A change of each field that changes answers.
fn changes() -> [Value; 3] {
    [
        json!({"default_value": true}),
        json!({"prerequisites": ["base"]}),
        json!({"mutual_exclusion_group": "g"}),
    ]
}

const PROTECTED: &str = "the change has an effect in protected environments; make it in a change set that others approve";

#[tokio::test]
async fn what_changes_answers_needs_the_permission_to_edit_rules_where_it_does() {
    let setup = Setup::new().await;
    let production = setup.project.production.clone();
    setup.state(&production, json!({"enabled": true})).await;
    setup.permit(&production, true, false).await;
    for body in changes() {
        let refused = setup.developer.put(&setup.flag, body.clone()).await;
        refused.expect(403, setup.refusal(DENIED, DENIED_MESSAGE, false));
        setup.owner.change(&setup.flag, body).await;
    }
    // The same values change nothing, and other fields no answers.
    for body in changes()
        .into_iter()
        .chain([json!({"name": "G", "tags": ["t"]})])
    {
        setup.developer.change(&setup.flag, body).await;
    }
    setup.permit(&production, false, true).await;
    let back = json!({"default_value": false});
    setup.developer.change(&setup.flag, back).await;
}

#[tokio::test]
async fn deleting_a_flag_needs_both_permissions_wherever_it_has_a_state() {
    let setup = Setup::new().await;
    let production = setup.project.production.clone();
    setup.state(&production, json!({"enabled": false})).await;
    for (can_toggle, can_edit_rules) in [(true, false), (false, true), (false, false)] {
        setup.permit(&production, can_toggle, can_edit_rules).await;
        let refused = setup.delete(&setup.developer).await;
        refused.expect(403, setup.refusal(DENIED, DENIED_MESSAGE, false));
    }
    setup.permit(&production, true, true).await;
    setup.permit(&setup.project.staging, false, false).await;
    setup.delete(&setup.developer).await.expect_status(204);
}

#[tokio::test]
async fn what_changes_answers_in_a_protected_environment_is_403_for_owners_too() {
    let setup = Setup::new().await;
    let production = setup.project.production.clone();
    setup.state(&production, json!({"enabled": true})).await;
    setup.protect(true).await;
    for by in [&setup.owner, &setup.developer] {
        for body in changes() {
            let refused = by.put(&setup.flag, body).await;
            let expected = setup.refusal("environment_protected", PROTECTED, true);
            refused.expect(403, expected);
        }
    }
    setup.owner.change(&setup.flag, json!({"name": "G"})).await;
}

#[tokio::test]
async fn without_an_effect_in_the_protected_environment_a_change_passes() {
    let setup = Setup::new().await;
    let production = setup.project.production.clone();
    // No state there.
    setup.protect(true).await;
    for body in changes() {
        setup.developer.change(&setup.flag, body).await;
    }
    // Off: prerequisites and group have no effect, and the default value has.
    setup.protect(false).await;
    setup.state(&production, json!({"enabled": false})).await;
    setup.protect(true).await;
    let body = json!({"prerequisites": [], "mutual_exclusion_group": ""});
    setup.developer.change(&setup.flag, body).await;
    let body = json!({"default_value": false});
    let refused = setup.developer.put(&setup.flag, body.clone()).await;
    refused.expect(403, setup.refusal("environment_protected", PROTECTED, true));
}

#[tokio::test]
async fn another_default_value_passes_where_everybody_gets_the_states_own() {
    let setup = Setup::new().await;
    let production = setup.project.production.clone();
    let to = |value: bool| json!({"default_value": value});
    let change = async |state: Value, flag: Value| {
        setup.protect(false).await;
        setup.state(&production, state).await;
        setup.owner.change(&setup.flag, flag).await;
        setup.owner.change(&setup.flag, to(true)).await;
        setup.protect(true).await;
        setup.developer.put(&setup.flag, to(false)).await
    };
    let own = json!({"enabled": true, "default_value": true});
    let plain = json!({"prerequisites": [], "mutual_exclusion_group": ""});
    change(own.clone(), plain.clone()).await.expect_status(200);
    let hides_not = [
        // Off, those who are not in the rollout, and from a due time on, all get the flag's.
        (json!({"enabled": false}), plain.clone()),
        (
            json!({"enabled": true, "percentage_rollout": 9_999}),
            plain.clone(),
        ),
        (
            json!({"percentage_rollout": null, "scheduled_disable_at": "2026-05-05T00:00:00Z"}),
            plain.clone(),
        ),
        // So do those who lack what it requires, or for whom another flag of its group wins.
        (
            json!({"scheduled_disable_at": null}),
            json!({"prerequisites": ["base"]}),
        ),
        (
            own,
            json!({"prerequisites": [], "mutual_exclusion_group": "g"}),
        ),
    ];
    for (state, flag) in hides_not {
        let refused = change(state, flag).await;
        refused.expect(403, setup.refusal("environment_protected", PROTECTED, true));
    }
}

#[tokio::test]
async fn a_flag_that_is_on_in_a_protected_environment_is_deleted_once_it_is_off() {
    let setup = Setup::new().await;
    let production = setup.project.production.clone();
    let message = "the flag is on in protected environments; switch it off there by approved requests, and try again";
    for on in [
        json!({"enabled": true}),
        json!({"enabled": false, "scheduled_enable_at": "2027-01-01T00:00:00Z"}),
    ] {
        setup.protect(false).await;
        setup.state(&production, on).await;
        setup.protect(true).await;
        let refused = setup.delete(&setup.owner).await;
        refused.expect(403, setup.refusal("environment_protected", message, true));
    }
    let body = json!({
        "flag_key": "f", "env_id": production, "change_type": "update_state",
        "payload": {"enabled": false, "scheduled_enable_at": null},
    });
    let asked = setup.developer.create("/v1/approvals", body).await;
    let review = format!("/v1/approvals/{}/review", asked.text("/id"));
    let approved = setup
        .owner
        .post(&review, json!({"action": "approve"}))
        .await;
    approved.expect_status(200);
    setup.delete(&setup.developer).await.expect_status(204);
}

#[tokio::test]
async fn a_deletion_that_waits_while_the_environment_is_protected_is_refused() {
    let setup = Setup::new().await;
    let production = setup.project.production.clone();
    setup.state(&production, json!({"enabled": true})).await;
    let mut holder = setup.app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM projects WHERE id = $1::uuid FOR UPDATE")
        .bind(&setup.project.id)
        .execute(&mut *holder)
        .await
        .unwrap();
    let deleting = {
        let (owner, path) = (setup.owner.clone(), setup.flag.clone());
        tokio::spawn(async move { owner.delete(&path).await })
    };
    setup.app.until_waiting_for_locks(1).await;
    sqlx::query("UPDATE environments SET protected = true WHERE id = $1::uuid")
        .bind(&production)
        .execute(&mut *holder)
        .await
        .unwrap();
    holder.commit().await.unwrap();
    let refused = deleting.await.unwrap();
    assert_eq!(
        refused.expect_status(403).body["error"],
        "environment_protected"
    );
    setup.owner.get(&setup.flag).await.expect_status(200);
}

#[tokio::test]
async fn a_change_by_a_member_who_is_removed_while_it_waits_is_refused() {
    let setup = Setup::new().await;
    let production = setup.project.production.clone();
    setup.state(&production, json!({"enabled": true})).await;
    let mut holder = setup.app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM projects WHERE id = $1::uuid FOR UPDATE")
        .bind(&setup.project.id)
        .execute(&mut *holder)
        .await
        .unwrap();
    let changing = {
        let (developer, path) = (setup.developer.clone(), setup.flag.clone());
        tokio::spawn(async move { developer.put(&path, json!({"default_value": true})).await })
    };
    setup.app.until_waiting_for_locks(1).await;
    let member = setup.owner.member_id_of(&setup.developer.email).await;
    setup.owner.remove(&format!("/v1/members/{member}")).await;
    holder.commit().await.unwrap();
    let refused = changing.await.unwrap();
    refused.expect(403, setup.refusal(DENIED, DENIED_MESSAGE, false));
}

#[tokio::test]
async fn a_change_of_a_flag_that_others_require_warns() {
    let setup = Setup::new().await;
    let base = format!("/v1/projects/{}/flags/base", setup.project.id);
    let body = json!({"prerequisites": ["base"]});
    setup.owner.change(&setup.flag, body).await;
    let changed = setup.owner.put(&base, json!({"default_value": true})).await;
    changed.expect_status(200);
    assert_eq!(changed.header("x-warnings"), "prerequisites: required by f");
    let renamed = setup.owner.put(&base, json!({"name": "Base"})).await;
    assert!(!renamed.headers.contains_key("x-warnings"));
    let deleted = setup.owner.delete(&base).await;
    deleted.expect_status(204);
    assert_eq!(deleted.header("x-warnings"), "prerequisites: required by f");
}

#[tokio::test]
async fn archiving_and_restoring_need_the_permissions_of_a_deletion() {
    let setup = Setup::new().await;
    let production = setup.project.production.clone();
    setup.state(&production, json!({"enabled": true})).await;
    let (archive, restore) = (
        format!("{}/archive", setup.flag),
        format!("{}/restore", setup.flag),
    );
    let denied = setup.refusal(DENIED, DENIED_MESSAGE, false);
    setup.permit(&production, true, false).await;
    let refused = setup.developer.post(&archive, Value::Null).await;
    refused.expect(403, denied.clone());
    setup.protect(true).await;
    let message = "the flag is on in protected environments; switch it off there by approved requests, and try again";
    let refused = setup.owner.post(&archive, Value::Null).await;
    refused.expect(403, setup.refusal("environment_protected", message, true));

    setup.protect(false).await;
    setup
        .owner
        .post(&archive, Value::Null)
        .await
        .expect_status(204);
    let refused = setup.developer.post(&restore, Value::Null).await;
    refused.expect(403, denied);
    setup.protect(true).await;
    let message =
        "the flag would be on in protected environments; set protected to false there first";
    let refused = setup.owner.post(&restore, Value::Null).await;
    refused.expect(403, setup.refusal("environment_protected", message, true));
    // It is on nowhere while it is archived.
    setup.delete(&setup.owner).await.expect_status(204);
}
