//! Sign-in by providers of an organization: what owners set up, who is signed in, and what attacks come to.

mod attacks;
mod identities;
mod members;
pub mod names;
pub mod peer;
mod races;
mod real;
mod records;
mod required;
mod settings;

use harness::{App, Response, User};
use serde_json::{Value, json};

use self::{
    names::NameServer,
    peer::{CLIENT, Peer, SECRET},
};

const PROVIDERS: &str = "/v1/organization/sign-in/providers";
const DOMAINS: &str = "/v1/organization/sign-in/domains";
const START: &str = "/v1/auth/oidc/start";
const FINISH: &str = "/v1/auth/oidc/finish";

/// An organization on Enterprise with a provider and the proven domain `acme.test`.
struct Scene {
    app: App,
    owner: User,
    peer: Peer,
    names: NameServer,
    /// Of the provider.
    id: String,
}

/// A sign-in that has begun.
struct Begun {
    redirect_url: String,
    attempt_key: String,
}

async fn app_with(names: &NameServer, more: &[(&str, &str)]) -> App {
    let servers = names.address.to_string();
    let settings = [
        ("SIGN_IN_ALLOWED_CIDRS", "127.0.0.0/8"),
        ("SIGN_IN_DNS_SERVERS", &servers),
        ("SIGN_IN_TIMEOUT", "2s"),
    ];
    App::start_with(&[&settings, more].concat()).await
}

fn provider(issuer: &str) -> Value {
    json!({"name": "Acme login", "issuer": issuer, "client_id": CLIENT, "client_secret": SECRET})
}

/// Adds a domain and proves it by its record.
async fn prove(owner: &User, names: &NameServer, domain: &str) {
    let added = owner.create(DOMAINS, json!({"domain": domain})).await;
    names.add(&added.text("/record_name"), &added.text("/record_value"));
    let path = format!("{DOMAINS}/{}/check", added.text("/id"));
    owner.act(&path, Value::Null).await;
}

impl Scene {
    async fn start() -> Self {
        Self::with(json!({}), &[]).await
    }

    /// One whose provider has other fields, too, in an app with other settings.
    async fn with(fields: Value, settings: &[(&str, &str)]) -> Self {
        let names = NameServer::start().await;
        let app = app_with(&names, settings).await;
        let owner = app.signup("acme").await;
        app.set_plan(&owner, "enterprise").await;
        let peer = Peer::start(app.clock.clone()).await;
        let mut body = provider(peer.issuer());
        for (name, value) in fields.as_object().expect("fields") {
            body[name] = value.clone();
        }
        let id = owner.create(PROVIDERS, body).await.text("/id");
        prove(&owner, &names, "acme.test").await;
        Self {
            app,
            owner,
            peer,
            names,
            id,
        }
    }

    fn path(&self) -> String {
        format!("{PROVIDERS}/{}", self.id)
    }

    async fn begin(&self) -> Begun {
        let body = json!({"email": "ada@acme.test"});
        let begun = self.app.anonymous().act(START, body).await;
        Begun {
            redirect_url: begun.text("/redirect_url"),
            attempt_key: begun.text("/attempt_key"),
        }
    }

    async fn finish(&self, begun: &Begun) -> Response {
        let (code, state) = self.peer.authorize(&begun.redirect_url);
        let body = json!({"code": code, "state": state, "attempt_key": begun.attempt_key});
        self.app.anonymous().post(FINISH, body).await
    }

    /// Signs in as the provider says now.
    async fn sign_in(&self) -> Response {
        self.finish(&self.begin().await).await
    }

    /// Invites ada@acme.test, who has no account.
    async fn invite(&self, role: &str) {
        let body = json!({"email": "ada@acme.test", "role": role});
        self.owner.create("/v1/members/invite", body).await;
    }

    /// Ada's membership as owners see it; `null` without one.
    async fn ada(&self) -> Value {
        let members = self.owner.get("/v1/members").await;
        let all = members.body["data"].as_array().expect("members");
        let ada = all.iter().find(|one| one["email"] == "ada@acme.test");
        ada.cloned().unwrap_or_default()
    }

    /// The newest entries of an action.
    async fn entries(&self, action: &str) -> Vec<Value> {
        let path = format!("/v1/audit?action={action}");
        let entries = self.owner.get(&path).await;
        entries.body["data"].as_array().expect("entries").clone()
    }
}
