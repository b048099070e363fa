//! Providers by which members sign in.

use harness::{App, Gateways, User};
use serde_json::{Value, json};

use super::{Refused, States, Step, Walk, database};
use crate::oidc::{
    names::NameServer,
    peer::{CLIENT, Peer, SECRET},
};

const PROVIDERS: &str = "/v1/organization/sign-in/providers";
const DOMAINS: &str = "/v1/organization/sign-in/domains";

/// The app of a walk, and the name server that it asks.
pub(super) async fn app(gateways: &Gateways) -> (App, NameServer) {
    let names = NameServer::start().await;
    let servers = names.address.to_string();
    let app = gateways
        .app(&[
            ("FLEET_OPERATORS", "owner@acme.test"),
            ("SIGN_IN_ALLOWED_CIDRS", "127.0.0.0/8"),
            ("SIGN_IN_DNS_SERVERS", &servers),
        ])
        .await;
    (app, names)
}

impl Walk {
    pub(super) async fn sign_in(&mut self, owner: &User) {
        for user in [owner, &self.stranger.clone()] {
            self.app.set_plan(user, "enterprise").await;
        }
        let peer = Peer::start(self.app.clock.clone()).await;
        let (made, _) = self
            .step(Step {
                endpoint: "POST /v1/organization/sign-in/providers",
                path: PROVIDERS.to_owned(),
                by: Some(owner),
                body: json!({"name": "Login", "issuer": peer.issuer(), "client_id": CLIENT, "client_secret": SECRET}),
                status: 201,
                refused: Some(Refused::Body(json!({"name": "Login"}), 400)),
                writes: &["sign_in.provider_created"],
                states: States::Created,
            })
            .await;
        let provider = format!("{PROVIDERS}/{}", made.text("/id"));
        self.step(Step {
            endpoint: "PATCH /v1/organization/sign-in/providers/{providerID}",
            path: provider.clone(),
            by: Some(owner),
            body: json!({"provisions_members": true}),
            status: 200,
            refused: Some(Refused::Body(json!({"default_role": "owner"}), 400)),
            writes: &["sign_in.provider_updated"],
            states: States::Of(provider.clone()),
        })
        .await;
        let domain = self.domain(owner).await;
        self.signed_in(&peer).await;
        self.rules(owner, true).await;
        self.rules(owner, false).await;
        self.unbound(owner, &made.text("/id")).await;
        for (endpoint, path, action) in [
            (
                "DELETE /v1/organization/sign-in/domains/{domainID}",
                domain,
                ["sign_in.domain_removed"],
            ),
            (
                "DELETE /v1/organization/sign-in/providers/{providerID}",
                provider,
                ["sign_in.provider_deleted"],
            ),
        ] {
            self.step(Step {
                endpoint,
                path,
                by: Some(owner),
                body: Value::Null,
                status: 204,
                refused: None,
                writes: &action,
                states: States::Any,
            })
            .await;
        }
    }

    async fn domain(&mut self, owner: &User) -> String {
        let (added, _) = self
            .step(Step {
                endpoint: "POST /v1/organization/sign-in/domains",
                path: DOMAINS.to_owned(),
                by: Some(owner),
                body: json!({"domain": "walk.test"}),
                status: 201,
                refused: Some(Refused::Body(json!({"domain": "localhost"}), 400)),
                writes: &["sign_in.domain_added"],
                states: States::Created,
            })
            .await;
        let path = format!("{DOMAINS}/{}", added.text("/id"));
        let names: &NameServer = &self.names;
        names.add(&added.text("/record_name"), &added.text("/record_value"));
        self.step(Step {
            endpoint: "POST /v1/organization/sign-in/domains/{domainID}/check",
            path: format!("{path}/check"),
            by: Some(owner),
            body: Value::Null,
            status: 200,
            refused: None,
            writes: &["sign_in.domain_proven"],
            states: States::Any,
        })
        .await;
        path
    }

    /// Somebody becomes a member. What fails uses its attempt up, so this is no step that is taken twice.
    async fn signed_in(&mut self, peer: &Peer) {
        peer.claim(json!({"email": "ada@walk.test"}));
        let (begun, _) = self
            .step(Step {
                endpoint: "POST /v1/auth/oidc/start",
                path: "/v1/auth/oidc/start".to_owned(),
                by: None,
                body: json!({"email": "ada@walk.test"}),
                status: 200,
                refused: Some(Refused::Body(json!({}), 400)),
                writes: &[],
                states: States::Any,
            })
            .await;
        let (code, state) = peer.authorize(&begun.text("/redirect_url"));
        let body = json!({"code": code, "state": state, "attempt_key": begun.text("/attempt_key")});
        let known = database::entries(self.app.pool()).await.len();
        let path = "/v1/auth/oidc/finish";
        let answer = self.app.anonymous().act(path, body.clone()).await;
        self.note_secrets(&body);
        self.note_secrets(&answer.body);
        let entries = database::entries(self.app.pool()).await.split_off(known);
        let actions: Vec<_> = entries.iter().map(|entry| entry.action.as_str()).collect();
        let expected = [
            "sign_in.member_provisioned",
            "auth.email_verified",
            "auth.login",
        ];
        assert_eq!(actions, expected);
        self.walked.insert(format!("POST {path}"), true);
    }

    async fn unbound(&mut self, owner: &User, provider: &str) {
        let members = owner.get("/v1/members").await;
        let members = members.body["data"].as_array().expect("members").iter();
        let mut ada = members.filter(|one| one["email"] == "ada@walk.test");
        let ada = ada.next().expect("ada")["id"].as_str().expect("an id");
        self.step(Step {
            endpoint: "DELETE /v1/members/{memberID}/identities/{providerID}",
            path: format!("/v1/members/{ada}/identities/{provider}"),
            by: Some(owner),
            body: Value::Null,
            status: 204,
            refused: None,
            writes: &["sign_in.identity_unbound"],
            states: States::Any,
        })
        .await;
    }

    async fn rules(&mut self, owner: &User, only_by_provider: bool) {
        self.step(Step {
            endpoint: "PATCH /v1/organization/sign-in",
            path: "/v1/organization/sign-in".to_owned(),
            by: Some(owner),
            body: json!({"only_by_provider": only_by_provider}),
            status: 200,
            refused: Some(Refused::Body(json!({}), 400)),
            writes: &["sign_in.rules_changed"],
            states: States::Any,
        })
        .await;
    }
}
