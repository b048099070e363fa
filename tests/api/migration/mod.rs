//! Imports as such: endpoints, requests to sources, the job and what it writes. What becomes of the flags of each platform is tested
//! beside it (`launchdarkly`, `unleash`, `flagsmith`).

mod compare;
mod dry_run;
mod endpoints;
mod flagsmith;
mod job;
mod launchdarkly;
mod losses;
mod mapping;
mod outgoing;
mod refusals;
mod report;
mod unleash;
mod writing;

use harness::migration::{Imported, import};
use harness::{App, Response, Source, User};
use serde_json::Value;

/// An organization with an empty project, and a source.
struct Scene {
    app: App,
    owner: User,
    source: Source,
    /// The project to import into.
    target: String,
}

impl Scene {
    /// With a source that has environments of these keys.
    async fn set(environments: &[&str]) -> Self {
        Self::set_with(environments, &[("RATE_MIGRATION", "0")]).await
    }

    async fn set_with(environments: &[&str], settings: &[(&str, &str)]) -> Self {
        let (app, owner) = App::with_owner_and(settings).await;
        let body = serde_json::json!({"name": "Shop"});
        let project = owner.create("/v1/projects", body).await;
        Self {
            target: project.text("/id"),
            source: Source::start(environments),
            app,
            owner,
        }
    }

    /// What names the source and the target.
    fn body(&self) -> Value {
        self.source.body(&self.target)
    }

    async fn analyze(&self) -> Response {
        self.owner.post("/v1/migration/analyze", self.body()).await
    }

    async fn import(&self) -> Imported {
        import(&self.owner, &self.body()).await
    }

    /// A list of the target: `flags`, `segments` or `environments`.
    async fn list(&self, things: &str) -> Vec<Value> {
        let path = format!("/v1/projects/{}/{things}?limit=100", self.target);
        let listed = self.owner.get(&path).await;
        listed.expect_status(200);
        listed.body["data"].as_array().unwrap().clone()
    }

    /// The state of a flag in the environment of this slug.
    async fn state(&self, flag: &str, slug: &str) -> Value {
        let environments = self.list("environments").await;
        let found = environments.iter().find(|env| env["slug"] == slug);
        let id = found.unwrap()["id"].as_str().unwrap();
        let path = format!(
            "/v1/projects/{}/flags/{flag}/environments/{id}",
            self.target
        );
        let state = self.owner.get(&path).await;
        state.expect_status(200);
        state.body.clone()
    }
}

/// The errors of its status, each with the name of the item.
fn errors(imported: &Imported) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let errors = imported.status["errors"].as_array().unwrap().iter();
    errors
        .map(|entry| {
            let names = ["flag", "segment", "environment"];
            let name = names.iter().find_map(|name| entry.get(*name)).unwrap();
            (text(name), text(&entry["error"]))
        })
        .collect()
}

/// Said of a state that is on there.
const OFF: &str =
    "production: switched off here, because something that keeps users out is missing";
