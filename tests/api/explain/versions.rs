//! Explaining what a flag answered at an earlier version.

use serde_json::{Value, json};

use super::{Setup, for_plan};

impl Setup {
    fn flag(&self) -> String {
        format!("/v1/projects/{}/flags/f", self.project.id)
    }

    async fn put_state(&self, state: Value) {
        let path = format!("{}/environments/{}", self.flag(), self.project.dev);
        self.owner.change(&path, state).await;
    }

    /// What a plan was answered at a version: value and reason.
    async fn answered(&self, plan: &str, version: i64) -> (Value, Value) {
        let mut question = self.question(plan);
        question["version"] = json!(version);
        let told = self.explain(question).await;
        let result = &told.expect_status(200).body["result"];
        (result["value"].clone(), result["reason"].clone())
    }
}

#[tokio::test]
async fn a_version_is_explained_as_the_flag_was_then() {
    let setup = Setup::new().await;
    setup.put_state(for_plan("team")).await;
    let flag = json!({"default_value": true});
    setup.owner.change(&setup.flag(), flag).await;
    setup.put_state(json!({"enabled": false})).await;

    let targeted = (json!(true), json!("TARGETED"));
    let is = |value: bool, reason: &str| (json!(value), json!(reason));
    assert_eq!(setup.answered("pro", 1).await, is(false, "DISABLED"));
    assert_eq!(setup.answered("pro", 2).await, targeted);
    assert_ne!(setup.answered("team", 2).await, targeted);
    assert_eq!(setup.answered("team", 3).await, targeted);
    assert_ne!(setup.answered("pro", 3).await, targeted);
    assert_eq!(setup.answered("pro", 4).await, is(true, "FALLTHROUGH"));
    assert_eq!(setup.answered("pro", 5).await, is(true, "DISABLED"));
}

#[tokio::test]
async fn a_flag_that_was_deleted_is_explained_as_it_was() {
    let setup = Setup::new().await;
    setup.put_state(json!({"enabled": false})).await;
    setup.owner.remove(&setup.flag()).await;
    let targeted = (json!(true), json!("TARGETED"));
    assert_eq!(setup.answered("pro", 2).await, targeted);
    let (_, reason) = setup.answered("pro", 4).await;
    assert_eq!(reason, "NOT_FOUND");
}

#[tokio::test]
async fn an_unknown_version_to_explain_is_404() {
    let setup = Setup::new().await;
    for (flag, version) in [("f", 0), ("f", 3), ("other", 1), ("no key", 1)] {
        let question = setup.question_with(&json!({"flag_key": flag, "version": version}));
        let refused = setup.explain(question).await;
        refused.expect_error(404, "flag version not found");
    }
}

#[tokio::test]
async fn a_draft_and_a_version_together_are_400() {
    let setup = Setup::new().await;
    let question = setup.question_with(&json!({"state": {"enabled": true}, "version": 1}));
    let refused = setup.explain(question).await;
    refused.expect_error(400, "state and version cannot be given together");
}
