//! Mail about sets that wait for approval, and about decisions on them.

use std::time::Duration;

use serde_json::{Value, json};

use super::{both_on, draft, protect, step, with_flags};

const QUARTER: Duration = Duration::from_secs(15 * 60);

#[tokio::test]
async fn a_request_is_mailed_to_others_who_may_review_and_the_last_word_to_its_authors() {
    let setup = with_flags().await;
    let (app, owner) = (&setup.app, &setup.owner);
    owner.prove_address(app.pool()).await;
    protect(&setup, 2).await;
    let developer = app.member(owner, "developer").await;
    let author = app.member(owner, "admin").await;
    let other = app.member(owner, "admin").await;
    let set = draft(&developer, &setup.project.id, both_on(&["production"])).await;
    let page = set.replace(&format!("/v1/projects/{}", setup.project.id), "/p/default");
    author.change(&set, json!({"name": "Black Friday"})).await;
    for (reviewer, action, words) in [
        (
            owner,
            "approve",
            "approved your change,\nand it can be applied.\n",
        ),
        (&other, "reject", "rejected your change.\n"),
    ] {
        let so_far = app.mails().await.len();
        step(&developer, &set, "request", Value::Null)
            .await
            .expect_status(200);
        let asked = app.mails().await.split_off(so_far);
        let mut to: Vec<_> = asked.iter().map(|mail| &*mail.to).collect();
        to.sort_unstable();
        let mut expected = [&*owner.email, &*other.email];
        expected.sort_unstable();
        assert_eq!(to, expected);
        let text = asked[0].text.replace("\r\n", "\n");
        assert!(
            text.contains("\nProject: default\nChange set: Black Friday\n"),
            "{text}"
        );
        assert!(asked[0].link().ends_with(&page), "{text}");

        let said = json!({"action": action, "note": "Seen by two."});
        if action == "approve" {
            step(&other, &set, "review", said.clone())
                .await
                .expect_status(200);
            assert_eq!(app.mails().await.len(), so_far + 2);
        }
        step(reviewer, &set, "review", said)
            .await
            .expect_status(200);
        let told = app.mails().await.split_off(so_far + 2);
        let mut to: Vec<_> = told.iter().map(|mail| &*mail.to).collect();
        to.sort_unstable();
        let mut expected = [&*developer.email, &*author.email];
        expected.sort_unstable();
        assert_eq!(to, expected);
        let text = told[0].text.replace("\r\n", "\n");
        let about = "\nProject: default\nChange set: Black Friday\n> Seen by two.\n\n";
        let (_, said) = text.split_once(" of acme ").expect(&text);
        assert!(said.starts_with(&format!("{words}{about}")), "{text}");
        assert!(told[0].link().ends_with(&page), "{text}");
        app.clock.advance(QUARTER);
        step(&developer, &set, "reopen", Value::Null)
            .await
            .expect_status(200);
    }
}
