//! A walk through all writing endpoints: each is refused, fails at commit, and succeeds, and the audit log is read after each.

mod access_tokens;
mod accounts;
pub mod actions;
mod approvals;
mod billing;
mod change_sets;
mod database;
mod edges;
mod endpoints;
mod members;
mod metrics;
mod mfa;
mod migration;
mod projects;
mod references;
mod roles;
mod scim;
mod sign_in;
mod silent;
mod webhooks;

use std::collections::{BTreeMap, BTreeSet};

use harness::{App, Caller, Gateways, Response, User};
use reqwest::Method;
use serde_json::{Value, json};

pub use self::database::Entry;
use self::endpoints::{is_made_of, method, row};
use crate::oidc::names::NameServer;

const OWN_SITE: &str = "same-origin";

/// What the walk leaves behind.
pub struct Walk {
    pub app: App,
    gateways: Gateways,
    names: NameServer,
    /// The endpoints that succeeded, such as `POST /v1/projects`, and whether they told it.
    pub walked: BTreeMap<String, bool>,
    /// Texts that must be in no entry: what was sent and answered, and what was stored of it at any time.
    pub secrets: BTreeSet<String>,
    pace: Pace,
    /// What stands for the parameters of paths now.
    ids: BTreeMap<&'static str, String>,
    /// A table in which the next step may leave a trace when it fails: that somebody has to look what became of it.
    leaves: Option<&'static str>,
    /// An owner of another organization.
    stranger: User,
    /// The cookie of the page that makes the next steps, as a browser sends it.
    cookie: Option<String>,
}

/// How thorough a walk is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Each step is refused and taken.
    Brisk,
    /// Between the two its commit fails.
    Thorough,
}

/// A call that succeeds.
struct Step<'a> {
    /// Method and path as the API document writes them.
    endpoint: &'static str,
    /// The path with its parameters.
    path: String,
    /// Who calls; `None` has no token.
    by: Option<&'a User>,
    body: Value,
    status: u16,
    refused: Option<Refused>,
    /// The actions that it writes, in their order; of those without any nothing is expected to fail with them.
    writes: &'a [&'a str],
    /// What the last of the entries shows.
    states: States,
}

/// What is refused at the same endpoint, and how.
enum Refused {
    Body(Value, u16),
    Path(String, u16),
    /// The same from a page of another site.
    Elsewhere,
}

/// The states of an entry.
enum States {
    /// There is nothing to show, or the step looks itself.
    Any,
    /// Nothing before; after, what the call answers.
    Created,
    /// What this path shows before the call and after it; nothing where it answers 404.
    Of(String),
}

impl Walk {
    /// Walks through everything.
    pub async fn new(pace: Pace) -> Self {
        let gateways = Gateways::start().await;
        let (app, names) = sign_in::app(&gateways).await;
        let stranger = app.signup("stranger").await;
        database::prepare(app.pool()).await;
        let mut walk = Self {
            app,
            gateways,
            names,
            ids: BTreeMap::new(),
            leaves: None,
            walked: BTreeMap::new(),
            secrets: BTreeSet::new(),
            pace,
            stranger,
            cookie: None,
        };
        let owner = walk.accounts().await;
        walk.members(&owner).await;
        walk.access_tokens(&owner).await;
        walk.service_accounts(&owner).await;
        walk.mfa(&owner).await;
        walk.projects(&owner).await;
        walk.billing(&owner).await;
        walk.roles(&owner).await;
        walk.webhooks(&owner).await;
        walk.migration(&owner).await;
        walk.scim(&owner).await;
        walk.sign_in(&owner).await;
        walk.silent(&owner).await;
        walk.edges(&owner).await;
        walk.metrics(&owner).await;
        walk.ending(&owner).await;
        walk
    }

    /// Refuses, fails and takes a step; gives the answer and the entries.
    async fn step(&mut self, step: Step<'_>) -> (Response, Vec<Entry>) {
        assert!(
            is_made_of(&step.path, step.endpoint),
            "{} is no {}",
            step.path,
            step.endpoint
        );
        self.refuse(&step).await;
        if self.pace == Pace::Thorough && !step.writes.is_empty() {
            self.fail(&step).await;
        }

        let before = self.shown(&step).await;
        let known = database::entries(self.app.pool()).await.len();
        let answer = self
            .call(step.by, step.endpoint, &step.path, &step.body)
            .await;
        assert_eq!(
            answer.status, step.status,
            "{}: {}",
            step.endpoint, answer.body
        );
        self.note_secrets(&step.body);
        self.note_secrets(&answer.body);
        let stored = database::stored_secrets(self.app.pool()).await;
        self.secrets.extend(stored);

        let entries = database::entries(self.app.pool()).await.split_off(known);
        self.walked
            .insert(step.endpoint.to_owned(), !entries.is_empty());
        let actions: Vec<_> = entries.iter().map(|entry| &entry.action).collect();
        assert_eq!(actions, step.writes, "{}", step.endpoint);
        for entry in &entries {
            check(entry, &step);
        }
        if let Some(last) = entries.last() {
            let expected = match step.states {
                States::Any => None,
                States::Created => Some((Value::Null, answer.body.clone())),
                States::Of(_) => Some((before, self.shown(&step).await)),
            };
            if let Some(expected) = expected {
                let found = (last.before.clone(), last.after.clone());
                assert_eq!(found, expected, "{}", step.endpoint);
            }
        }
        (answer, entries)
    }

    /// Every refusal that fits writes nothing: a bad body, no token, another organization's thing, a tag that nothing has.
    async fn refuse(&self, step: &Step<'_>) {
        let known = database::entries(self.app.pool()).await;
        let mut refusals = 0;
        if let Some(refused) = &step.refused {
            let (path, body, status, site) = match refused {
                Refused::Body(body, status) => (&step.path, body, *status, OWN_SITE),
                Refused::Path(path, status) => (path, &step.body, *status, OWN_SITE),
                Refused::Elsewhere => (&step.path, &step.body, 403, "cross-site"),
            };
            let answer = self
                .call_from(site, None, step.by, step.endpoint, path, body)
                .await;
            assert_eq!(answer.status, status, "{}: {}", step.endpoint, answer.body);
            refusals += 1;
        }
        if !row(step.endpoint).is_public() {
            assert_eq!(
                self.call(None, step.endpoint, &step.path, &step.body)
                    .await
                    .status,
                401
            );
            refusals += 1;
        }
        // Identity providers may send what they like.
        if !row(step.endpoint).is_public() && !row(step.endpoint).is_scim() {
            let tag = Some("\"-7\"");
            let (by, path) = (step.by, &step.path);
            let answer = self
                .call_from(OWN_SITE, tag, by, step.endpoint, path, &step.body)
                .await;
            let compared = (412, "changed meanwhile");
            let untagged = (400, "If-Match: what this changes has no entity tag");
            let words = answer.body["error"].as_str().unwrap_or_default();
            let refused = (answer.status, words);
            assert!(
                [compared, untagged].contains(&refused),
                "{}: {refused:?}",
                step.endpoint
            );
            refusals += 1;
        }
        if step.endpoint.contains('{') {
            let answer = self
                .call(Some(&self.stranger), step.endpoint, &step.path, &step.body)
                .await;
            assert_eq!(answer.status, 404, "{}: {}", step.endpoint, answer.body);
            refusals += 1;
        }
        assert!(refusals > 0, "{} was never refused", step.endpoint);
        let now = database::entries(self.app.pool()).await;
        assert_eq!(now, known, "{} was refused, and told", step.endpoint);
    }

    /// When the entry cannot be committed, nothing of the change is: they are one transaction.
    async fn fail(&mut self, step: &Step<'_>) {
        let left = self.leaves.take();
        // Nothing is on its way that would change tables meanwhile.
        self.app.mails().await;
        let pool = self.app.pool();
        let known = database::contents(pool).await;
        database::fail_commits_with_entries(pool, true).await;
        let answer = self
            .call(step.by, step.endpoint, &step.path, &step.body)
            .await;
        database::fail_commits_with_entries(pool, false).await;
        assert_eq!(answer.status, 500, "{}: {}", step.endpoint, answer.body);
        self.app.mails().await;
        let mut now = database::contents(pool).await;
        now.retain(|table, content| {
            known.get(table) != Some(content) && left != Some(table.as_str())
        });
        let tables = now.keys();
        assert_eq!(
            tables.len(),
            0,
            "{} failed, and left {tables:?}",
            step.endpoint
        );
    }

    async fn call(&self, by: Option<&User>, endpoint: &str, path: &str, body: &Value) -> Response {
        self.call_from(OWN_SITE, None, by, endpoint, path, body)
            .await
    }

    async fn call_from(
        &self,
        site: &str,
        tag: Option<&str>,
        by: Option<&User>,
        endpoint: &str,
        path: &str,
        body: &Value,
    ) -> Response {
        let anonymous = self.app.anonymous();
        let caller: &Caller = by.map_or(&anonymous, |user| &**user);
        let method: Method = method(endpoint).parse().expect("a method");
        let mut request = caller.request(method, path);
        if row(endpoint).of_page {
            request = request
                .header("sec-fetch-site", site)
                .header("content-type", "application/json");
        }
        if let Some(tag) = tag {
            request = request.header("if-match", tag);
        }
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        let request = match body {
            Value::Null => request,
            body => request.json(body),
        };
        caller.send(request).await
    }

    async fn shown(&self, step: &Step<'_>) -> Value {
        let (States::Of(path), Some(user)) = (&step.states, step.by) else {
            return Value::Null;
        };
        let answer = user.get(path).await;
        match answer.status {
            404 => Value::Null,
            // A state that was never stored.
            200 if answer.body == json!({"enabled": false}) => Value::Null,
            200 => answer.body,
            status => panic!("{path}: {status}"),
        }
    }

    /// Collects what the bodies of requests and answers hold of secrets.
    fn note_secrets(&mut self, body: &Value) {
        const SECRET: [&str; 14] = [
            "password",
            "new_password",
            "otp",
            "code",
            "mfa_code",
            "token",
            "access_token",
            "refresh_token",
            "new_key",
            "secret",
            "qr_uri",
            "provisioning_uri",
            "backup_codes",
            "edge_key",
        ];
        match body {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let is_key = name == "key" && is_key_text(value);
                    if SECRET.contains(&name.as_str()) || is_key {
                        self.note(value);
                    } else {
                        self.note_secrets(value);
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.note_secrets(item)),
            _ => {}
        }
    }

    fn note(&mut self, value: &Value) {
        match value {
            Value::String(text) => drop(self.secrets.insert(text.clone())),
            Value::Array(items) => items.iter().for_each(|item| self.note(item)),
            other => panic!("a secret that is no text: {other}"),
        }
    }
}

/// What holds for every entry.
fn check(entry: &Entry, step: &Step<'_>) {
    let told = format!("{}: {entry:?}", step.endpoint);
    let (resource_type, happened) = entry.action.split_once('.').expect("two words");
    assert!(actions::is_named(resource_type, happened), "{told}");
    assert_eq!(entry.resource_type, resource_type, "{told}");
    assert!(entry.resource_id.is_some(), "{told}");
    assert_eq!(entry.actor_type, "user", "{told}");
    assert!(entry.actor_id.is_some(), "{told}");
    assert_eq!(entry.ip_address.as_deref(), Some("127.0.0.1"), "{told}");
    if let Some(user) = step.by {
        assert_eq!(entry.actor_id.as_deref(), Some(&*user.id), "{told}");
        assert_eq!(entry.org_id, user.org_id, "{told}");
    }
    match happened {
        "created" | "invited" | "registered" => {
            assert_eq!(entry.before, Value::Null, "{told}");
            assert_ne!(entry.after, Value::Null, "{told}");
        }
        "updated" | "archived" => {
            assert_ne!(entry.before, Value::Null, "{told}");
            assert_ne!(entry.after, Value::Null, "{told}");
        }
        "deleted" | "removed" => {
            assert_ne!(entry.before, Value::Null, "{told}");
            assert_eq!(entry.after, Value::Null, "{told}");
        }
        _ => {}
    }
    let is_in_project = actions::IN_PROJECT.contains(&resource_type);
    let has_project = entry.project_id.is_some();
    assert_eq!(is_in_project, has_project, "{told}");
}

fn is_key_text(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    text.starts_with("srv_") || text.starts_with("cli_")
}
