//! Who may see and apply a set: those who may read and change all of its parts.

use harness::Setup;
use serde_json::{Value, json};

use super::{are_on, both_on, draft, path, step, with_flags};

#[tokio::test]
async fn without_the_keys_to_read_all_kinds_the_contents_are_not_shown() {
    let setup = with_flags().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    app.set_plan(owner, "enterprise").await;
    let member = app.member(owner, "developer").await;
    app.hold_to(owner, &member, &["flags.read", "flags.toggle"])
        .await;
    let set = draft(&member, &project.id, both_on(&["dev"])).await;
    let shown = member.get(&set).await;
    assert_eq!(shown.body["changes"], Value::Null);
    assert_eq!(shown.body["parts"], Value::Null);
    let difference = member.get(&format!("{set}/diff")).await;
    difference.expect_status(200);
    assert_eq!(difference.body["parts"], json!([]));
    let question = json!({"env_id": "dev", "context": {"key": "u"}});
    let told = step(&member, &set, "explain", question).await;
    assert_eq!(told.body["answers"][0]["flag_key"], "checkout");
    owner
        .change(
            &format!("{}/checkout/environments/dev", setup.flags()),
            json!({"enabled": true}),
        )
        .await;
    owner
        .change(
            &format!("{}/checkout/environments/dev", setup.flags()),
            json!({"enabled": false}),
        )
        .await;
    step(&member, &set, "apply", json!({}))
        .await
        .expect_status(200);

    let rename = json!({"flags": [{"key": "checkout", "name": "Other"}]});
    let set = draft(owner, &project.id, rename).await;
    owner
        .change(
            &format!("{}/checkout", setup.flags()),
            json!({"name": "Since"}),
        )
        .await;
    let refused = step(&member, &set, "apply", json!({})).await;
    refused.expect_error(403, "insufficient permissions: flags.update");
}

#[tokio::test]
async fn conflicts_over_what_is_gone_have_no_values_for_those_who_may_not_read_it() {
    let setup = with_flags().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    app.set_plan(owner, "enterprise").await;
    let member = app.member(owner, "developer").await;
    app.hold_to(owner, &member, &["flags.read", "flags.toggle"])
        .await;
    let beta = json!({"segments": [{"key": "beta", "name": "Later"}]});
    let set = draft(owner, &project.id, beta).await;
    owner.remove(&format!("{}/beta", setup.segments())).await;
    for (caller, base) in [(owner, json!({"name": "Beta"})), (&member, Value::Null)] {
        let refused = step(caller, &set, "apply", json!({})).await;
        refused.expect_status(409);
        let conflict = &refused.body["conflicts"][0];
        assert_eq!(conflict["key"], "beta");
        assert_eq!(conflict["base"], base);
    }
}

#[tokio::test]
async fn each_part_needs_its_own_right() {
    let setup = with_flags().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let developer = app.member(owner, "developer").await;
    let member = owner.member_id_of(&developer.email).await;
    let row = json!({"permissions": [{"env_id": project.production, "can_toggle": false, "can_edit_rules": true}]});
    owner
        .change(&format!("/v1/members/{member}/permissions"), row)
        .await;
    let set = draft(&developer, &project.id, both_on(&["dev", "production"])).await;
    let difference = developer.get(&format!("{set}/diff")).await;
    let words = "the change has states of environments where you may not change flags";
    assert_eq!(difference.body["refusal"], words);
    for verb in ["apply", "request"] {
        let refused = step(&developer, &set, verb, json!({})).await;
        refused.expect_status(403);
        assert_eq!(
            refused.body["error"],
            "insufficient permissions for these environments"
        );
    }
    assert_eq!(are_on(&setup, "dev").await, [false, false]);
    step(owner, &set, "apply", json!({}))
        .await
        .expect_status(200);
}

#[tokio::test]
async fn access_tokens_of_some_environments_have_no_change_sets() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let set = draft(owner, &project.id, both_on(&["dev"])).await;
    let token = owner
        .create(
            "/v1/me/tokens",
            json!({"name": "dev", "env_ids": [project.dev]}),
        )
        .await;
    let limited = owner.with_token(&token.text("/token"));
    let words = "the access token is limited to environments: change sets are of the whole project";
    limited.get(&set).await.expect_error(403, words);
    limited
        .get(&path(&project.id))
        .await
        .expect_error(403, words);
    let body = json!({"name": "Launch", "changes": both_on(&["dev"])});
    limited
        .post(&path(&project.id), body.clone())
        .await
        .expect_error(
            403,
            "the access token is limited to environments: this is of the whole project",
        );
    let token = owner
        .create(
            "/v1/me/tokens",
            json!({"name": "reader", "read_only": true}),
        )
        .await;
    let reader = owner.with_token(&token.text("/token"));
    reader.get(&set).await.expect_status(200);
    let question = json!({"env_id": "dev", "context": {"key": "u"}});
    step(&reader, &set, "explain", question)
        .await
        .expect_status(200);
    reader
        .post(&path(&project.id), body)
        .await
        .expect_error(403, "the access token is read-only");
}

#[tokio::test]
async fn sets_of_others_are_not_there() {
    let setup = with_flags().await;
    let set = draft(&setup.owner, &setup.project.id, both_on(&["dev"])).await;
    let stranger = setup.app.signup("stranger").await;
    stranger
        .get(&set)
        .await
        .expect_error(404, "change set not found");
    let own = stranger.default_project().await;
    let id = set.rsplit('/').next().unwrap();
    let under_own = format!("{}/{id}", path(&own.id));
    stranger
        .get(&under_own)
        .await
        .expect_error(404, "change set not found");
    step(&stranger, &under_own, "apply", json!({}))
        .await
        .expect_error(404, "change set not found");
}
