//! Change sets. Their entries have no contents: what they did is told by the entries of their parts.

use harness::User;
use serde_json::{Value, json};

use super::{Refused, States, Step, Walk};

const SETS: &str = "/v1/projects/{projectID}/change-sets";

impl Walk {
    /// A set with a new flag, on all of its ways.
    pub(super) async fn change_sets(&mut self, owner: &User) {
        let reviewer = self.app.member(owner, "admin").await;
        let changes = json!({"flags": [{"key": "of-a-set", "name": "New"}]});
        let body = json!({"name": "A set", "changes": changes});
        let created = &["change_set.created"];
        let id = self.set(owner, "POST ", "", body, 201, created).await;
        self.ids.insert("changeSetID", id);
        let body = json!({"name": "The set"});
        let updated = &["change_set.updated"];
        self.set(owner, "PUT ", "/{changeSetID}", body, 200, updated)
            .await;
        let nothing = || json!(null);
        let question = json!({"env_id": self.ids["envID"], "context": {"key": "somebody"}});
        for (by, verb, body, tells) in [
            (owner, "explain", question, &[] as &[_]),
            (owner, "request", nothing(), &["change_set.requested"]),
            (
                &reviewer,
                "review",
                json!({"action": "approve"}),
                &["change_set.approved"],
            ),
            (owner, "reopen", nothing(), &["change_set.reopened"]),
            (owner, "request", nothing(), &["change_set.requested"]),
            (
                &reviewer,
                "review",
                json!({"action": "reject"}),
                &["change_set.rejected"],
            ),
            (owner, "reopen", nothing(), &["change_set.reopened"]),
            (
                owner,
                "apply",
                json!({"at": "2027-01-02T03:04:05Z"}),
                &["change_set.scheduled"],
            ),
            (
                owner,
                "apply",
                json!({}),
                &["flag.created", "change_set.applied"],
            ),
        ] {
            self.set(
                by,
                "POST ",
                &format!("/{{changeSetID}}/{verb}"),
                body,
                200,
                tells,
            )
            .await;
        }
        let verb = "/{changeSetID}/undo";
        let back = self
            .set(owner, "POST ", verb, nothing(), 201, created)
            .await;
        self.ids.insert("changeSetID", back);
        let deleted = &["change_set.deleted"];
        self.set(owner, "DELETE ", "/{changeSetID}", nothing(), 204, deleted)
            .await;
    }

    /// A step of a set, whose id it returns.
    async fn set(
        &mut self,
        by: &User,
        method: &str,
        rest: &str,
        body: Value,
        status: u16,
        writes: &[&'static str],
    ) -> String {
        let endpoint: &'static str = Box::leak(format!("{method}{SETS}{rest}").into_boxed_str());
        let is_read = matches!(
            rest.rsplit('/').next(),
            Some("request" | "reopen" | "undo" | "apply")
        );
        let refuses_body = !is_read && method != "DELETE " && method != "PUT ";
        let step = Step {
            endpoint,
            path: self.path(&format!("{SETS}{rest}")),
            by: Some(by),
            body,
            status,
            refused: refuses_body.then(|| Refused::Body(json!({}), 400)),
            writes,
            states: States::Any,
        };
        let (answer, _) = self.step(step).await;
        answer.body["id"].as_str().unwrap_or_default().to_owned()
    }
}
