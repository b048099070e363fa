//! The real Unleash: started on a database of its own, filled through its admin API, and judged by its own engine
//! (`tests/platforms/unleash*`). And sources that speak as some Unleash does, of other versions or sizes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::{node::NodeServer, patience::eventually, places, postgres::Database, server::Server};

/// A token of an administrator there.
pub const ADMIN: &str = "*:*.0123456789abcdef";
/// A token of an SDK there, which may not read how flags are made.
pub const CLIENT: &str = "default:production.fedcba9876543210";

/// An Unleash that runs. Dropping it ends it.
pub struct Unleash {
    server: NodeServer,
    // After the process, which has sessions on it.
    _database: Database,
}

impl Unleash {
    /// Starts it, given the folder that it is installed in.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start(installed: &Path) -> Self {
        let database = Database::empty().await;
        let settings = [
            ("DATABASE_URL", database.url()),
            ("INIT_ADMIN_API_TOKENS", ADMIN),
            ("INIT_CLIENT_API_TOKENS", CLIENT),
            ("NODE_NO_WARNINGS", "1"),
        ];
        Self {
            server: NodeServer::start(&script("unleash.mjs"), &[installed], &settings).await,
            _database: database,
        }
    }

    /// Its address, without `/api`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.server.port)
    }

    /// A token for the frontend API in an environment.
    ///
    /// # Panics
    /// When it makes none.
    pub async fn frontend_token(&self, environment: &str) -> String {
        let body = json!({
            "type": "frontend", "tokenName": "compare", "environment": environment, "projects": ["default"],
        });
        let made = reqwest::Client::new()
            .post(format!("{}/api/admin/api-tokens", self.url()))
            .header("authorization", ADMIN)
            .json(&body)
            .send()
            .await
            .expect("an answer");
        let made: Value = made.json().await.expect("JSON");
        let token = made["secret"].as_str().expect("a token").to_owned();
        let client = reqwest::Client::new();
        let refreshed = client.post(format!("{}/older/refresh", self.url()));
        refreshed.send().await.expect("an answer");
        eventually("the frontend API has flags", async || {
            let asked = client.get(format!("{}/api/frontend?userId=u", self.url()));
            let asked = asked.header("authorization", &token).send();
            let found: Value = asked.await.ok()?.json().await.ok()?;
            (!found["toggles"].as_array()?.is_empty()).then_some(())
        })
        .await;
        token
    }

    /// Fills it, and tells what its engine answers for so many contexts: `tests/platforms/unleash.py` says in which form.
    ///
    /// # Panics
    /// When it refuses something.
    pub async fn fill_and_judge(&self, python: &Path, contexts: usize) -> Value {
        let judged = Command::new(python.join("bin/python"))
            .arg(script("unleash.py"))
            .args([&self.url(), ADMIN, &contexts.to_string()])
            .output()
            .await
            .expect("python starts");
        let errors = String::from_utf8_lossy(&judged.stderr);
        assert!(judged.status.success(), "{errors}");
        serde_json::from_slice(&judged.stdout).expect("answers")
    }
}

fn script(name: &str) -> PathBuf {
    places::repository().join("tests/platforms").join(name)
}

type Answer = Box<dyn Fn(&str, &Value) -> Option<Value> + Send + Sync>;

/// A source whose paths a test makes up. Dropping it stops it.
pub struct LikeUnleash {
    server: Server,
    shared: Arc<Shared>,
}

struct Shared {
    answer: Answer,
    refused: Mutex<Vec<(&'static str, u16)>>,
    asked: Mutex<Vec<String>>,
}

impl LikeUnleash {
    /// Answers with what is made of the path and query below `/api/admin` and the body, and 404 where that is nothing.
    #[must_use]
    pub fn start(answer: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            refused: Mutex::default(),
            asked: Mutex::default(),
        });
        let router = Router::new()
            .fallback(answered)
            .with_state(Arc::clone(&shared));
        Self {
            server: Server::start(|_| router),
            shared,
        }
    }

    /// Answers a path with a status from now on.
    ///
    /// # Panics
    /// When a thread of it has.
    pub fn refuse(&self, path: &'static str, status: u16) {
        let mut refused = self.shared.refused.lock().expect("a list");
        refused.push((path, status));
    }

    /// Its address, without `/api`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// What was asked for, below `/api/admin`.
    ///
    /// # Panics
    /// When a thread of it has.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().expect("a list").clone()
    }
}

async fn answered(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let status = axum::http::StatusCode::NOT_FOUND;
    let not_found = (status, axum::Json(json!({"message": "not found"})));
    let credential = request.headers().get("authorization");
    let is_admin = credential.is_some_and(|credential| credential == ADMIN);
    let uri = request.uri().to_string();
    let Some(path) = uri.strip_prefix("/api/admin").filter(|_| is_admin) else {
        return not_found.into_response();
    };
    shared.asked.lock().expect("a list").push(path.to_owned());
    let refused = shared.refused.lock().expect("a list").clone();
    if let Some((_, status)) = refused.iter().find(|(refused, _)| *refused == path) {
        let status = axum::http::StatusCode::from_u16(*status).expect("a status");
        return (status, axum::Json(json!({"message": "no"}))).into_response();
    }
    let body = axum::body::to_bytes(request.into_body(), 1 << 20).await;
    let body = serde_json::from_slice(&body.expect("a body")).unwrap_or_default();
    match (shared.answer)(path, &body) {
        Some(answer) => axum::Json(answer).into_response(),
        None => not_found.into_response(),
    }
}
