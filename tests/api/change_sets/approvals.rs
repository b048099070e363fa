//! Protected environments: a set waits for as many people as they want.

use harness::{Setup, User};
use serde_json::{Value, json};

use super::{are_on, both_on, draft, protect, step, with_flags};

/// A developer who drafts, and two who review.
async fn people(setup: &Setup) -> [User; 3] {
    let Setup { app, owner, .. } = setup;
    [
        app.member(owner, "developer").await,
        app.member(owner, "admin").await,
        app.member(owner, "admin").await,
    ]
}

#[tokio::test]
async fn a_set_with_an_effect_in_a_protected_environment_needs_the_approval_of_others() {
    let setup = with_flags().await;
    protect(&setup, 2).await;
    let [developer, one, other] = people(&setup).await;
    let set = draft(
        &developer,
        &setup.project.id,
        both_on(&["dev", "production"]),
    )
    .await;
    let difference = developer.get(&format!("{set}/diff")).await;
    assert_eq!(difference.body["protected"], json!(["production"]));
    assert_eq!(difference.body["required_approvals"], 2);
    let refused = step(&developer, &set, "apply", json!({})).await;
    refused.expect(
        403,
        json!({
            "error": "approval_required",
            "message": "the change set has an effect in protected environments, and 0 of the 2 people who must approve it have \
                        done so; request approval",
            "environments": [{"id": setup.project.production, "slug": "production", "protected": true}],
        }),
    );

    let requested = step(&developer, &set, "request", Value::Null).await;
    requested.expect_status(200);
    assert_eq!(requested.body["status"], "pending");
    assert_eq!(requested.body["required_approvals"], 2);
    assert_eq!(requested.body["protected"], json!(["production"]));
    let waits = "the change set waits for approvals";
    step(&developer, &set, "apply", json!({}))
        .await
        .expect_error(409, waits);

    let approve = json!({"action": "approve", "note": "fine"});
    let approved = step(&one, &set, "review", approve.clone()).await;
    assert_eq!(approved.body["status"], "pending");
    let review = json!({"reviewer_id": one.id, "action": "approve", "note": "fine", "reviewed_at": "[time]"});
    let mut expected = approved.body.clone();
    expected["reviews"] = json!([review]);
    approved.expect(200, expected);
    let again = step(&one, &set, "review", approve.clone()).await;
    again.expect_error(409, "you have approved this change set already");
    step(&one, &set, "apply", json!({}))
        .await
        .expect_error(409, waits);
    let approved = step(&other, &set, "review", approve.clone()).await;
    assert_eq!(approved.body["status"], "approved");
    let late = step(&setup.owner, &set, "review", approve).await;
    late.expect_error(409, "the change set waits for no approval");

    assert_eq!(are_on(&setup, "production").await, [false, false]);
    step(&developer, &set, "apply", json!({}))
        .await
        .expect_status(200);
    assert_eq!(are_on(&setup, "production").await, [true, true]);
}

#[tokio::test]
async fn nobody_reviews_what_they_drafted_edited_or_requested() {
    let setup = with_flags().await;
    protect(&setup, 1).await;
    let [developer, editor, requestor] = people(&setup).await;
    let set = draft(&developer, &setup.project.id, both_on(&["production"])).await;
    editor.change(&set, json!({"description": "More"})).await;
    step(&requestor, &set, "request", Value::Null)
        .await
        .expect_status(200);
    for own in [&editor, &requestor] {
        let refused = step(own, &set, "review", json!({"action": "approve"})).await;
        refused.expect_error(
            403,
            "a change set must be reviewed by somebody who has not drafted, edited or requested it",
        );
    }
    let wrong = step(&setup.owner, &set, "review", json!({"action": "apply"})).await;
    wrong.expect_error(400, "action must be approve or reject");
    step(&setup.owner, &set, "review", json!({"action": "approve"}))
        .await
        .expect_status(200);
}

#[tokio::test]
async fn a_rejected_set_is_reopened_without_its_approvals() {
    let setup = with_flags().await;
    protect(&setup, 2).await;
    let [developer, one, other] = people(&setup).await;
    let set = draft(&developer, &setup.project.id, both_on(&["production"])).await;
    step(&developer, &set, "request", Value::Null)
        .await
        .expect_status(200);
    step(&one, &set, "review", json!({"action": "approve"}))
        .await
        .expect_status(200);
    let rejected = step(
        &other,
        &set,
        "review",
        json!({"action": "reject", "note": "not yet"}),
    )
    .await;
    assert_eq!(rejected.body["status"], "rejected");
    let refused = step(&developer, &set, "apply", json!({})).await;
    refused.expect_error(409, "the change set is not a draft: reopen it first");
    let reopened = step(&developer, &set, "reopen", Value::Null).await;
    assert_eq!(reopened.body["status"], "draft");
    assert_eq!(reopened.body["reviews"], json!([]));
    step(&developer, &set, "apply", json!({}))
        .await
        .expect_status(403);
}

#[tokio::test]
async fn an_approval_counts_as_long_as_its_giver_may_review_and_the_number_is_that_of_now() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    protect(&setup, 1).await;
    let [developer, one, _] = people(&setup).await;
    let set = draft(&developer, &project.id, both_on(&["production"])).await;
    step(&developer, &set, "request", Value::Null)
        .await
        .expect_status(200);
    step(&one, &set, "review", json!({"action": "approve"}))
        .await
        .expect_status(200);
    protect(&setup, 2).await;
    let refused = step(&developer, &set, "apply", json!({})).await;
    refused.expect_status(403);
    assert_eq!(refused.body["error"], "approval_required");
    protect(&setup, 1).await;
    let member = owner.member_id_of(&one.email).await;
    owner
        .put(&format!("/v1/members/{member}"), json!({"role": "viewer"}))
        .await
        .expect_status(204);
    step(&developer, &set, "apply", json!({}))
        .await
        .expect_status(403);
    owner
        .put(&format!("/v1/members/{member}"), json!({"role": "admin"}))
        .await
        .expect_status(204);
    step(&developer, &set, "apply", json!({}))
        .await
        .expect_status(200);
}

#[tokio::test]
async fn a_flags_own_fields_and_segments_with_an_effect_there_are_approved_too() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let state = format!("{}/checkout/environments/production", setup.flags());
    let rules = json!({"enabled": true, "rules": [{"segment_keys": ["beta"], "value": true}]});
    owner.change(&state, rules).await;
    protect(&setup, 1).await;
    let [developer, one, _] = people(&setup).await;
    for changes in [
        json!({"segments": [{"key": "beta", "match_type": "any"}]}),
        json!({"flags": [{"key": "checkout", "default_value": true}]}),
        json!({"flags": [{"key": "checkout", "archived": true}]}),
    ] {
        let set = draft(&developer, &project.id, changes).await;
        step(&developer, &set, "apply", json!({}))
            .await
            .expect_status(403);
        let requested = step(&developer, &set, "request", Value::Null).await;
        assert_eq!(requested.body["protected"], json!(["production"]));
        step(&one, &set, "review", json!({"action": "approve"}))
            .await
            .expect_status(200);
        step(&developer, &set, "apply", json!({}))
            .await
            .expect_status(200);
    }
}

#[tokio::test]
async fn conflicts_are_told_when_approval_is_asked_for_and_given() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    protect(&setup, 1).await;
    let [developer, one, _] = people(&setup).await;
    let rename = |name: &str| json!({"flags": [{"key": "checkout", "name": name}]});
    let set = draft(&developer, &project.id, rename("A")).await;
    owner
        .change(&format!("{}/checkout", setup.flags()), json!({"name": "B"}))
        .await;
    step(&developer, &set, "request", Value::Null)
        .await
        .expect_status(409);
    developer
        .change(&set, json!({"changes": rename("A")}))
        .await;
    step(&developer, &set, "request", Value::Null)
        .await
        .expect_status(200);
    owner
        .change(&format!("{}/checkout", setup.flags()), json!({"name": "C"}))
        .await;
    let refused = step(&one, &set, "review", json!({"action": "approve"})).await;
    refused.expect_status(409);
    let seen = json!({"action": "approve", "seen_version": refused.body["current_version"]});
    let approved = step(&one, &set, "review", seen).await;
    assert_eq!(approved.body["status"], "approved");
    // It is applied as it was approved: over what the reviewer has seen.
    let applied = step(&developer, &set, "apply", json!({})).await;
    applied.expect_status(200);
    let part = &applied.body["parts"][0];
    assert_eq!(part["before"], json!({"name": "C"}));
    assert_eq!(part["after"], json!({"name": "A"}));
}

#[tokio::test]
async fn what_has_changed_since_the_approval_is_409_also_for_an_applier_who_has_seen_it() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    protect(&setup, 1).await;
    let [developer, one, _] = people(&setup).await;
    let changes = json!({"flags": [
        {"key": "checkout", "name": "A", "states": {"production": {"enabled": true}}},
    ]});
    let set = draft(&developer, &project.id, changes.clone()).await;
    let approve = async || {
        for (caller, verb, body) in [
            (&developer, "request", Value::Null),
            (&one, "review", json!({"action": "approve"})),
        ] {
            let done = step(caller, &set, verb, body).await;
            done.expect_status(200);
        }
    };
    approve().await;
    let flag = format!("{}/checkout", setup.flags());
    owner.change(&flag, json!({"name": "B"})).await;
    let version = owner.get(&format!("{set}/diff")).await.body["version"].clone();
    let words = "what the change set changes has changed since it was approved: reopen it, update the draft, and let it be approved \
                 again";
    let conflict = json!({
        "kind": "flag", "key": "checkout", "env_slug": null, "field": "name", "base": "Checkout", "proposed": "A", "current": "B",
    });
    for body in [json!({}), json!({"seen_version": version})] {
        let refused = step(&developer, &set, "apply", body).await;
        let told = json!({"error": words, "conflicts": [conflict], "current_version": version});
        refused.expect(409, told);
    }
    assert_eq!(are_on(&setup, "production").await, [false, false]);
    step(&developer, &set, "reopen", Value::Null)
        .await
        .expect_status(200);
    developer.change(&set, json!({"changes": changes})).await;
    approve().await;
    step(&developer, &set, "apply", json!({}))
        .await
        .expect_status(200);
    assert_eq!(owner.get(&flag).await.body["name"], "A");
}

#[tokio::test]
async fn what_has_changed_since_the_first_of_two_approvals_is_409_also_for_a_reviewer_who_has_seen_it()
 {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    protect(&setup, 2).await;
    let [developer, one, other] = people(&setup).await;
    let changes = json!({"flags": [
        {"key": "checkout", "name": "A", "states": {"production": {"enabled": true}}},
    ]});
    let set = draft(&developer, &project.id, changes).await;
    let approve = json!({"action": "approve"});
    for (caller, verb, body) in [
        (&developer, "request", Value::Null),
        (&one, "review", approve.clone()),
    ] {
        let done = step(caller, &set, verb, body).await;
        assert_eq!(done.expect_status(200).body["status"], "pending");
    }
    let flag = format!("{}/checkout", setup.flags());
    owner.change(&flag, json!({"name": "B"})).await;
    let version = owner.get(&format!("{set}/diff")).await.body["version"].clone();
    for body in [
        approve,
        json!({"action": "approve", "seen_version": version}),
    ] {
        let refused = step(&other, &set, "review", body).await;
        refused.expect_status(409);
        let words = "what the change set changes has changed since it was approved: reopen it, update the draft, and let it be \
                     approved again";
        assert_eq!(refused.body["error"], words);
        assert_eq!(refused.body["conflicts"][0]["current"], "B");
    }
    assert_eq!(owner.get(&set).await.body["status"], "pending");
    step(&developer, &set, "reopen", Value::Null)
        .await
        .expect_status(200);
}

/// Each of the four others can come in between once, which is less often than it is tried.
#[tokio::test]
async fn approval_is_requested_while_others_change_the_project() {
    let setup = with_flags().await;
    let beta = format!("{}/beta", setup.segments());
    for round in 0..10 {
        let set = draft(&setup.owner, &setup.project.id, both_on(&["dev"])).await;
        let others = (0..4).map(async |number| {
            let body = json!({"name": format!("Beta {round} {number}")});
            setup.owner.put(&beta, body).await.status
        });
        let others = futures_util::future::join_all(others);
        let asked = step(&setup.owner, &set, "request", Value::Null);
        let (asked, others) = tokio::join!(asked, others);
        asked.expect_status(200);
        assert_eq!(others, [200; 4]);
    }
}
