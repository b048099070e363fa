//! `POST /v1/explain`: what the edges answer, by their engine, with the reasons.

mod contexts;
mod lint;
mod versions;

use base::ids::{EnvId, OrgId};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use harness::user::DefaultProject;
use harness::{App, Caller, Response, User};
use serde_json::{Value, json};
use sqlx::Connection;
use uuid::Uuid;

use crate::trail;

/// A flag `f` of the default project that is on for those of plan `pro` in `dev`.
struct Setup {
    app: App,
    owner: User,
    project: DefaultProject,
}

impl Setup {
    async fn new() -> Self {
        let (app, owner, project) = App::with_project().await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag = json!({"key": "f", "name": "F"});
        owner.create(&flags, flag).await;
        let state = format!("{flags}/f/environments/{}", project.dev);
        owner.change(&state, for_plan("pro")).await;
        Self {
            app,
            owner,
            project,
        }
    }

    fn question(&self, plan: &str) -> Value {
        json!({
            "project_id": self.project.id, "env_id": self.project.dev, "flag_key": "f",
            "context": {"key": "user-1", "attributes": {"plan": plan}},
        })
    }

    /// The question with some fields replaced, or removed by `null`.
    fn question_with(&self, changes: &Value) -> Value {
        let mut question = self.question("pro");
        for (field, value) in changes.as_object().unwrap() {
            if value.is_null() {
                question.as_object_mut().unwrap().remove(field);
            } else {
                question[field] = value.clone();
            }
        }
        question
    }

    async fn explain(&self, question: Value) -> Response {
        self.owner.post("/v1/explain", question).await
    }

    /// One more explanation than may wait, of which one is refused: all others wait.
    async fn as_many_as_may_wait(&self) -> FuturesUnordered<impl Future<Output = Response>> {
        let mut waiting: FuturesUnordered<_> = (0..17)
            .map(|_| self.explain(self.question("pro")))
            .collect();
        let refused = waiting.next().await.unwrap();
        refused.expect_error(429, "too many explanations at once");
        assert_eq!(refused.header("retry-after"), "1");
        waiting
    }
}

/// A state that serves `true` to a plan.
fn for_plan(plan: &str) -> Value {
    json!({
        "enabled": true,
        "rules": [{
            "id": "plans", "value": true,
            "conditions": [{"attribute": "plan", "operator": "in", "values": [plan]}],
        }],
    })
}

#[tokio::test]
async fn a_served_rule_is_explained_step_by_step() {
    let setup = Setup::new().await;
    let mut told = setup.explain(setup.question("pro")).await;
    for step in told.body["steps"].as_array_mut().unwrap() {
        assert!(step["detail"].take().is_string());
    }
    told.expect(
        200,
        json!({
            "result": {"flag_key": "f", "value": true, "reason": "TARGETED", "variant_key": ""},
            "decided_by": "rules",
            "rule_id": "plans",
            "steps": [
                {"step": "enabled", "outcome": "passed", "detail": null},
                {"step": "rules", "outcome": "decided", "detail": null},
            ],
            "buckets": {"rollout": 2127, "mutex": null, "variant": null},
            "prerequisites": [],
            "mutex": null,
            "rules": [{
                "id": "plans",
                "matched": true,
                "admitted": true,
                "conditions": [{
                    "attribute": "plan", "operator": "in", "values": ["pro"], "attribute_value": "pro",
                    "missing": false, "matched": true,
                }],
                "segments": [],
            }],
            "warnings": [],
        }),
    );
}

#[tokio::test]
async fn an_explanation_answers_what_an_edge_answers() {
    let setup = Setup::new().await;
    let key = setup.owner.api_key(&setup.project.dev).await;
    let sdk = setup.app.anonymous().with_key(&key);
    for (flag, plan) in [("f", "pro"), ("f", "free"), ("unknown", "pro")] {
        let question = setup.question(plan);
        let asked = json!({"flag_key": flag, "context": question["context"]});
        let answered = sdk.post("/v1/evaluate", asked).await;
        let mut question = question;
        question["flag_key"] = json!(flag);
        let told = setup.explain(question).await;
        told.expect_status(200);
        answered.expect(200, told.body["result"].clone());
    }
}

#[tokio::test]
async fn a_draft_is_tried_in_place_of_the_stored_state_and_stays_a_draft() {
    let setup = Setup::new().await;
    let entries = trail::length(&setup.app, &setup.owner).await;
    let with_draft = setup.question_with(&json!({"state": for_plan("free")}));
    let told = setup.explain(with_draft).await;
    told.expect_status(200);
    assert_eq!(told.text("/result/reason"), "FALLTHROUGH");

    let off = setup.question_with(&json!({"state": {}}));
    let told = setup.explain(off).await;
    assert_eq!(told.text("/result/reason"), "DISABLED");

    let stored = setup.explain(setup.question("pro")).await;
    assert_eq!(stored.text("/result/reason"), "TARGETED");
    assert_eq!(trail::length(&setup.app, &setup.owner).await, entries);
}

#[tokio::test]
async fn a_draft_for_an_unknown_flag_is_not_looked_at() {
    let setup = Setup::new().await;
    let draft = json!({"flag_key": "unknown", "state": {"default_value": "of no type"}});
    let told = setup.explain(setup.question_with(&draft)).await;
    told.expect_status(200);
    assert_eq!(told.text("/result/reason"), "NOT_FOUND");
}

#[tokio::test]
async fn a_draft_that_breaks_a_rule_is_400() {
    let setup = Setup::new().await;
    for (state, message) in [
        (
            json!({"default_value": "x"}),
            "default_value must be a boolean",
        ),
        (json!({"enabled": null}), "enabled must not be null"),
    ] {
        let question = setup.question_with(&json!({"state": state}));
        setup.explain(question).await.expect_error(400, message);
    }
}

#[tokio::test]
async fn a_field_that_is_missing_or_of_a_wrong_type_is_400() {
    let setup = Setup::new().await;
    for field in ["project_id", "env_id", "flag_key", "context"] {
        let message = format!("{field} is required");
        let question = setup.question_with(&json!({field: null}));
        setup.explain(question).await.expect_error(400, &message);
        for wrong in [json!(7), json!([])] {
            let question = setup.question_with(&json!({field: wrong}));
            setup.explain(question).await.expect_status(400);
        }
    }
    let all = setup.explain(json!({"context": null})).await;
    all.expect_error(400, "project_id, env_id, flag_key and context are required");
    let long = "k".repeat(1_025);
    for (context, message) in [
        (json!({}), "context.key is required"),
        (json!({"key": " "}), "context.key is required"),
        (
            json!({"key": 7}),
            "context.key must be a string and context.attributes an object",
        ),
        (
            json!({"key": "k", "attributes": []}),
            "context.key must be a string and context.attributes an object",
        ),
        (
            json!({"key": long}),
            "context key is longer than 1024 characters",
        ),
    ] {
        let question = setup.question_with(&json!({"context": context}));
        setup.explain(question).await.expect_error(400, message);
    }
    let question = setup.question_with(&json!({"state": []}));
    setup.explain(question).await.expect_status(400);
}

#[tokio::test]
async fn a_project_or_environment_of_another_organization_is_404() {
    let setup = Setup::new().await;
    let foreign = setup.app.signup("globex").await.default_project().await;
    for (changes, message) in [
        (json!({"project_id": foreign.id}), "project not found"),
        (json!({"project_id": "x"}), "project not found"),
        (json!({"env_id": foreign.dev}), "environment not found"),
        (json!({"env_id": "x"}), "environment not found"),
    ] {
        let question = setup.question_with(&changes);
        setup.explain(question).await.expect_error(404, message);
    }
}

#[tokio::test]
async fn every_role_may_ask() {
    let setup = Setup::new().await;
    for role in ["admin", "developer", "viewer"] {
        let member = setup.app.member(&setup.owner, role).await;
        let caller: &Caller = &member;
        caller.act("/v1/explain", setup.question("pro")).await;
    }
}

#[tokio::test]
async fn one_organization_that_explains_all_the_time_holds_up_no_other() {
    let setup = Setup::new().await;
    let other = setup.app.signup("umbrella").await;
    let others = other.default_project().await;
    let org_id = OrgId::parse(&setup.owner.org_id).unwrap();
    let env_id = EnvId::parse(&setup.project.dev).unwrap();
    let held = setup.app.publisher.compile(org_id, env_id).await.unwrap();

    let mut waiting = setup.as_many_as_may_wait().await;
    let question = json!({
        "project_id": others.id, "env_id": others.dev, "flag_key": "f", "context": {"key": "user-1"},
    });
    for _ in 0..3 {
        other.act("/v1/explain", question.clone()).await;
    }
    assert!(waiting.next().now_or_never().is_none());
    drop(held);
    while let Some(answer) = waiting.next().await {
        answer.expect_status(200);
    }
}

#[tokio::test]
async fn a_draft_is_refused_before_it_waits() {
    let setup = Setup::new().await;
    let org_id = OrgId::parse(&setup.owner.org_id).unwrap();
    let env_id = EnvId::parse(&setup.project.dev).unwrap();
    let _held = setup.app.publisher.compile(org_id, env_id).await.unwrap();
    // It takes a hundred times the memory that it is sent in.
    let large = vec![json!({"": 0}); 100_000];
    let question = setup.question_with(&json!({"state": {"default_value": large}}));
    let refused = setup.explain(question).await;
    refused.expect_error(400, "default_value must be a boolean");
}

#[tokio::test]
async fn an_organization_without_free_connections_holds_no_room() {
    let setup = Setup::new().await;
    let org_id = OrgId::parse(&setup.owner.org_id).unwrap();
    let env_id = EnvId::parse(&setup.project.dev).unwrap();
    let held = setup.app.publisher.compile(org_id, env_id).await.unwrap();
    let mut waiting = setup.as_many_as_may_wait().await;

    let mut session = setup.app.session().await;
    let mut locked = session.begin().await.unwrap();
    let project_id: Uuid = setup.project.id.parse().unwrap();
    sqlx::query("SELECT FROM projects WHERE id = $1 FOR UPDATE")
        .bind(project_id)
        .execute(&mut *locked)
        .await
        .unwrap();
    let segments = format!("/v1/projects/{}/segments", setup.project.id);
    let writers: Vec<_> = (0..5)
        .map(|number| {
            let (owner, segments) = (setup.owner.clone(), segments.clone());
            let body = json!({"key": format!("s{number}"), "name": "S", "rules": []});
            tokio::spawn(async move { owner.post(&segments, body).await })
        })
        .collect();
    setup.app.until_waiting_for_locks(5).await;
    drop(held);
    while let Some(answer) = waiting.next().await {
        answer.expect_status(200);
    }
    locked.rollback().await.unwrap();
    for writer in writers {
        writer.await.unwrap();
    }
}

#[tokio::test]
async fn an_explanation_that_nobody_waits_for_keeps_its_place_until_it_is_compiled() {
    let setup = Setup::new().await;
    let mut session = setup.app.session().await;
    let mut locked = session.begin().await.unwrap();
    sqlx::query("LOCK TABLE segments IN ACCESS EXCLUSIVE MODE")
        .execute(&mut *locked)
        .await
        .unwrap();
    let (owner, question) = (setup.owner.clone(), setup.question("pro"));
    let left = tokio::spawn(async move { owner.post("/v1/explain", question).await });
    setup.app.until_waiting_for_locks(1).await;
    left.abort();
    let mut waiting = setup.as_many_as_may_wait().await;
    locked.rollback().await.unwrap();
    while let Some(answer) = waiting.next().await {
        answer.expect_status(200);
    }
}

#[tokio::test]
async fn explanations_have_a_rate_of_their_own() {
    let (_app, owner) = App::with_owner_and(&[("RATE_EXPLAIN", "2")]).await;
    let project = owner.default_project().await;
    let question = json!({
        "project_id": project.id, "env_id": project.dev, "flag_key": "f", "context": {"key": "user-1"},
    });
    for left in ["1", "0"] {
        let answer = owner.act("/v1/explain", question.clone()).await;
        assert_eq!(answer.header("x-ratelimit-limit"), "2");
        assert_eq!(answer.header("x-ratelimit-remaining"), left);
    }
    let refused = owner.post("/v1/explain", question).await;
    refused.expect_error(429, "rate limit exceeded");
    assert_eq!(refused.header("retry-after"), "30");
    owner.get("/v1/projects").await.expect_status(200);
}
