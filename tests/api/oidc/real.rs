//! The same with a certified provider (`oidc-provider`), in a process of its own. `./dev test` installs it.

use std::{collections::BTreeMap, path::PathBuf, process::Stdio};

use harness::{App, Response, User, places};
use serde_json::json;
use time::OffsetDateTime;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};
use url::Url;

use super::{
    FINISH, NameServer, PROVIDERS, START, app_with,
    peer::{CLIENT, SECRET},
    prove, provider,
};

/// The folder with its packages, which `./dev test` fills. `None` on a machine that says that it cannot fetch packages.
fn packages() -> Option<PathBuf> {
    if std::env::var_os("HALYARD_WITHOUT_OIDC").is_some() {
        return None;
    }
    let folder = std::env::var_os("HALYARD_OIDC");
    let folder = folder.map_or_else(|| places::target().join("oidc"), PathBuf::from);
    assert!(
        folder.join("stamp").is_file(),
        "oidc-provider is not in {}: `./dev test` installs it; a machine without a network says HALYARD_WITHOUT_OIDC=1",
        folder.display()
    );
    Some(folder)
}

struct Real {
    issuer: String,
    _process: Child,
}

impl Real {
    async fn start(packages: &PathBuf, redirect: &str, alg: &str, port: u16) -> Self {
        let mut process = Command::new("node")
            .arg(places::repository().join("tests/oidc/provider.mjs"))
            .env("HALYARD_OIDC", packages)
            .env("HALYARD_REDIRECT", redirect)
            .env("HALYARD_CLIENT", CLIENT)
            .env("HALYARD_SECRET", SECRET)
            .env("HALYARD_ALG", alg)
            .env("HALYARD_PORT", port.to_string())
            .env("HALYARD_SUBJECT", "ada")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("node runs");
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let issuer = loop {
            let line = lines.next_line().await.expect("its output");
            let line = line.expect("it prints its issuer");
            if line.starts_with("http://") {
                break line;
            }
        };
        // What it says later has somewhere to go.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self {
            issuer,
            _process: process,
        }
    }

    fn port(&self) -> u16 {
        let url = Url::parse(&self.issuer).expect("an address");
        url.port().expect("a port")
    }
}

/// Goes where the provider sends a browser, until it is sent back: returns the query of the page.
async fn browse(from: &str, page: &str) -> BTreeMap<String, String> {
    let http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let mut cookies = BTreeMap::new();
    let mut at = Url::parse(from).expect("an address");
    for _ in 0..10 {
        if at.as_str().starts_with(page) {
            return at.query_pairs().into_owned().collect();
        }
        let sent: Vec<_> = cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let answer = http.get(at.clone()).header("cookie", sent.join("; "));
        let answer = answer.send().await.expect("an answer");
        for line in answer.headers().get_all("set-cookie") {
            let line = line.to_str().expect("text");
            let pair = line.split(';').next().and_then(|pair| pair.split_once('='));
            let (name, value) = pair.expect("a cookie");
            cookies.insert(name.to_owned(), value.to_owned());
        }
        let location = answer.headers().get("location").expect("a redirect");
        at = at
            .join(location.to_str().expect("text"))
            .expect("an address");
    }
    panic!("the provider sends the browser round and round");
}

async fn sign_in(app: &App, page: &str) -> Response {
    let begun = app.anonymous();
    let begun = begun.act(START, json!({"email": "ada@acme.test"})).await;
    let query = browse(&begun.text("/redirect_url"), page).await;
    let body = json!({
        "code": query["code"],
        "state": query["state"],
        "iss": query["iss"],
        "attempt_key": begun.text("/attempt_key"),
    });
    app.anonymous().post(FINISH, body).await
}

/// An app whose time is the provider's, and its owner.
async fn app() -> (App, User, NameServer) {
    let names = NameServer::start().await;
    let app = app_with(&names, &[]).await;
    let ahead = OffsetDateTime::now_utc() - app.clock.now();
    app.clock.advance(ahead.unsigned_abs());
    let owner = app.signup("acme").await;
    app.set_plan(&owner, "enterprise").await;
    prove(&owner, &names, "acme.test").await;
    (app, owner, names)
}

#[tokio::test]
async fn a_certified_provider_signs_in_with_every_accepted_algorithm_and_new_keys() {
    let Some(packages) = packages() else {
        eprintln!("not checked: HALYARD_WITHOUT_OIDC is set");
        return;
    };
    for alg in ["ES256", "RS256", "PS256", "EdDSA"] {
        let (app, owner, _names) = app().await;
        let page = owner.get("/v1/organization/sign-in").await;
        let page = page.text("/redirect_url");
        let real = Real::start(&packages, &page, alg, 0).await;
        let mut body = provider(&real.issuer);
        body["provisions_members"] = true.into();
        body["role_claim"] = "groups".into();
        body["role_mappings"] = json!([{"value": "leads", "role": "admin"}]);
        owner.create(PROVIDERS, body).await;
        let signed_in = sign_in(&app, &page).await;
        assert_eq!(signed_in.status, 200, "{alg}: {:#}", signed_in.body);
        assert_eq!(signed_in.text("/user/name"), "Ada Lovelace");
        let token = signed_in.text("/tokens/access_token");
        let me = app.anonymous().with_token(&token).get("/v1/me").await;
        assert_eq!(me.text("/role"), "admin");

        // It starts again with other keys.
        let port = real.port();
        drop(real);
        let _real = Real::start(&packages, &page, alg, port).await;
        app.clock.advance(std::time::Duration::from_secs(61));
        let again = sign_in(&app, &page).await;
        assert_eq!(again.status, 200, "{alg}: {:#}", again.body);
        assert_eq!(again.text("/user/id"), signed_in.text("/user/id"));
    }
}
