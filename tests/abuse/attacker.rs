//! A tenant that means harm: its organization, its many addresses, and what it was answered.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use harness::user::DefaultProject;
use harness::{Caller, Edge, Stack, User, eventually};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection, query};
use tokio::time::sleep;

/// After a refusal it tries again soon, so that it is not busy with being refused alone.
const PAUSE: Duration = Duration::from_millis(5);

/// Sends a body that was made before.
pub trait Prepared {
    /// The same request with that body.
    fn prepared(self, body: &Bytes) -> Self;
}

impl Prepared for RequestBuilder {
    fn prepared(self, body: &Bytes) -> Self {
        self.header(CONTENT_TYPE, "application/json")
            .body(body.clone())
    }
}

/// The attacker.
pub struct Attacker {
    pub owner: User,
    pub project: DefaultProject,
    /// An API key of its development environment.
    pub key: String,
    /// The control plane, and an edge.
    pub control: String,
    pub edge: String,
    database: String,
    mails: PathBuf,
    registration: Caller,
    http: Client,
    addresses: AtomicU32,
    answers: Mutex<BTreeMap<String, usize>>,
}

impl Attacker {
    /// Anybody can register.
    pub async fn new(stack: &Stack, edge: &Edge, mails: &Path) -> Self {
        let owner = stack.signup("attacker").await;
        let project = owner.default_project().await;
        Self {
            key: owner.api_key(&project.dev).await,
            control: stack.url.clone(),
            edge: edge.url(),
            database: stack.database().url().to_owned(),
            mails: mails.to_owned(),
            registration: stack.anonymous(),
            http: Client::builder()
                .no_proxy()
                .pool_max_idle_per_host(64)
                .build()
                .expect("a client without special demands can be built"),
            addresses: AtomicU32::new(0),
            answers: Mutex::default(),
            owner,
            project,
        }
    }

    /// The path of a flag's state in the development environment.
    pub fn state(&self, flag: &str) -> String {
        let DefaultProject { id, dev, .. } = &self.project;
        format!("/v1/projects/{id}/flags/{flag}/environments/{dev}")
    }

    /// The path of the project's flags.
    pub fn flags(&self) -> String {
        format!("/v1/projects/{}/flags", self.project.id)
    }

    /// Makes a flag of this type.
    pub async fn make_flag(&self, key: &str, flag_type: &str) {
        let flag = json!({"key": key, "name": key, "flag_type": flag_type});
        let made = self.managed(Method::POST, &self.flags()).json(&flag);
        self.prepare(made).await;
    }

    /// Sends a request of the preparation, which must be accepted: an abuse that is not prepared shows nothing.
    pub async fn prepare(&self, request: RequestBuilder) {
        let answer = request.send().await.expect("the service answers");
        let status = answer.status();
        let body = answer.text().await.unwrap_or_default();
        assert!(status.is_success(), "{status} {body}");
    }

    /// A request to the management API, as its owner.
    pub fn managed(&self, method: Method, path: &str) -> RequestBuilder {
        self.anonymous(method, path)
            .bearer_auth(&self.owner.access_token)
    }

    /// A request to the management API without credentials.
    pub fn anonymous(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.control))
    }

    /// A request to the edge.
    pub fn sdk(&self, path: &str) -> RequestBuilder {
        self.sdk_with(&self.key, path)
    }

    /// The same with another API key: each has a rate of its own.
    pub fn sdk_with(&self, key: &str, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.edge);
        self.http.post(url).header("x-api-key", key)
    }

    /// So many more API keys of its development environment.
    pub async fn more_keys(&self, number: usize) -> Vec<String> {
        let mut keys = Vec::new();
        for _ in 0..number {
            keys.push(self.owner.api_key(&self.project.dev).await);
        }
        keys
    }

    /// Waits until the edge has what was stored and says that this flag takes too much work: an abuse that does not cause the
    /// work that it is about shows nothing.
    pub async fn is_spent(&self, flag: &str, context: &Value) {
        let question = Self::body(&json!({"flag_key": flag, "context": context}));
        let what = format!("{flag} takes too much work");
        eventually(&what, async || {
            let request = self.sdk("/v1/evaluate").prepared(&question);
            let answer: Value = request.send().await.ok()?.json().await.ok()?;
            (answer["reason"] == "ERROR").then_some(())
        })
        .await;
    }

    /// A body that is made once.
    pub fn body(body: &Value) -> Bytes {
        body.to_string().into()
    }

    /// One of `number` addresses, in turns.
    pub fn address(&self, number: u32) -> String {
        let next = self.addresses.fetch_add(1, Ordering::Relaxed) % number;
        format!("203.0.{}.{}", next / 250, next % 250 + 1)
    }

    /// Registers another organization, whose owner has a verified address.
    pub async fn another_owner(&self, name: &str) -> User {
        let owner = User::register(&self.registration, name).await;
        let mut database = self.database().await;
        let verified = query("UPDATE users SET email_verified = true WHERE email = $1")
            .bind(&owner.email)
            .execute(&mut database)
            .await;
        verified.expect("the table of users");
        owner
    }

    /// How many mails left for an address.
    pub fn mails_to(&self, address: &str) -> usize {
        let line = format!("To: {address}");
        let files = fs::read_dir(&self.mails).expect("the folder of mails");
        let texts = files.filter_map(|file| fs::read_to_string(file.ok()?.path()).ok());
        texts
            .filter(|text| text.lines().any(|it| it == line))
            .count()
    }

    /// Sends it, counts the answer, and reads it.
    pub async fn send(&self, request: RequestBuilder) {
        let answer = match request.send().await {
            Ok(answer) => {
                let status = answer.status().as_u16().to_string();
                match answer.bytes().await {
                    Ok(_) => status,
                    Err(_) => format!("{status} cut"),
                }
            }
            Err(_) => "none".to_owned(),
        };
        self.count(&answer);
        if !answer.starts_with('2') {
            sleep(PAUSE).await;
        }
    }

    /// Counts an answer.
    pub fn count(&self, answer: &str) {
        let mut answers = self.answers.lock().expect("nobody panics with it");
        *answers.entry(answer.to_owned()).or_default() += 1;
    }

    /// Sends what is made, from so many connections at once, for ever.
    pub async fn flood(&self, connections: usize, make: impl Fn(usize) -> RequestBuilder) {
        let make = &make;
        join_all((0..connections).map(|number| async move {
            let mut next = number;
            loop {
                self.send(make(next)).await;
                next += connections;
            }
        }))
        .await;
    }

    /// Sends a request of the preparation. Whether it was accepted.
    pub async fn is_accepted(&self, request: RequestBuilder) -> bool {
        let status = request.send().await.map(|answer: Response| answer.status());
        status.is_ok_and(|status| status.is_success())
    }

    /// A connection to the database, for what would take too long over the API.
    pub async fn database(&self) -> PgConnection {
        PgConnection::connect(&self.database)
            .await
            .expect("the database of the service answers")
    }

    /// How often it was answered with what.
    pub fn answers(&self) -> String {
        let answers = self.answers.lock().expect("nobody panics with it");
        let mut text = String::new();
        for (answer, times) in answers.iter() {
            write!(text, "{times} × {answer} ").expect("a text takes everything");
        }
        text
    }
}
