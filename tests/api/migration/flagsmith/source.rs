//! A stand-in for Flagsmith, in the shapes that its servers send: lists of which it gives fewer at once than it is asked for, absolute
//! links to the next page, typed and plain values, and rows for identities and segments among the states of environments.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The id of the project there.
pub(super) const PROJECT: &str = "12";
/// The credential that it takes.
pub(super) const CREDENTIAL: &str = "master-0123456789";

/// Which addresses a server knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Those of current servers.
    Current,
    /// Those of current servers, with identities at the edge, which can be asked about or not.
    Edge { answers: bool },
    /// The older ones.
    Older,
}

/// A server. Dropping it stops it.
pub(super) struct Flagsmith {
    address: SocketAddr,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

struct Shared {
    dialect: Dialect,
    /// As `tests/platforms/flagsmith.py` makes it.
    project: Value,
    /// Ids of further projects, which are empty.
    others: Vec<u64>,
    origin: String,
    asked: Mutex<Vec<String>>,
}

impl Flagsmith {
    pub(super) async fn start(dialect: Dialect, project: Value) -> Self {
        Self::start_beside(dialect, project, Vec::new()).await
    }

    pub(super) async fn start_beside(dialect: Dialect, project: Value, others: Vec<u64>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            dialect,
            project,
            others,
            origin: format!("http://{address}"),
            asked: Mutex::default(),
        });
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&shared));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            shared,
            serving,
        }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The body of `connect`, `analyze` and `execute` for it.
    pub(super) fn body(&self, target: &str) -> Value {
        json!({
            "provider": "provider_c", "api_key": CREDENTIAL, "base_url": self.url(), "project_key": PROJECT,
            "target_project_id": target,
        })
    }

    /// What was asked for, without the query.
    pub(super) fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().unwrap().clone()
    }
}

impl Drop for Flagsmith {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    shared.asked.lock().unwrap().push(path.clone());
    let query: BTreeMap<String, String> = request
        .uri()
        .query()
        .unwrap_or_default()
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    if request
        .headers()
        .get("authorization")
        .map(|value| value.as_bytes())
        != Some(format!("Api-Key {CREDENTIAL}").as_bytes())
    {
        return refusal(
            StatusCode::UNAUTHORIZED,
            "Authentication credentials were not provided.",
        );
    }
    let unknown = || refusal(StatusCode::NOT_FOUND, "Not found.");
    let Some(below) = path.strip_prefix("/api/v1/") else {
        return unknown();
    };
    let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
    shared.serve(&parts, &path, &query).unwrap_or_else(unknown)
}

fn bare(value: Value) -> Response {
    axum::Json(value).into_response()
}

fn refusal(status: StatusCode, detail: &str) -> Response {
    (status, axum::Json(json!({"detail": detail}))).into_response()
}

impl Shared {
    fn serve(
        &self,
        parts: &[&str],
        path: &str,
        query: &BTreeMap<String, String>,
    ) -> Option<Response> {
        let paged = |rows: Vec<Value>| Some(self.page(rows, path, query));
        let bare = |value: Value| Some(bare(value));
        let is_older = self.dialect == Dialect::Older;
        let asked_for = query.get("environment").map(String::as_str);
        match *parts {
            ["environment-details"] if is_older => {
                bare(json!({"project": PROJECT.parse::<u64>().ok()?}))
            }
            ["projects"] if !is_older => {
                let others = self
                    .others
                    .iter()
                    .map(|id| json!({"id": id, "name": "Other", "use_edge_identities": false}));
                let mut projects: Vec<_> = others.collect();
                projects.push(self.about());
                bare(json!(projects))
            }
            ["projects", PROJECT] if !is_older => bare(self.about()),
            ["projects", id] if self.others.iter().any(|other| other.to_string() == id) => {
                bare(json!({"id": id.parse::<u64>().ok()?}))
            }
            ["environments"] => match query.get("project").map(String::as_str) {
                None => Some(refusal(StatusCode::BAD_REQUEST, "project is required")),
                Some(_) if is_older => None,
                Some(PROJECT) => paged(self.environments()),
                Some(_) => paged(Vec::new()),
            },
            ["projects", PROJECT, "environments"] if is_older => bare(json!(self.environments())),
            ["projects", PROJECT, "features"] => paged(self.features(asked_for)),
            ["projects", PROJECT, "segments"] => paged(self.rows("segments")),
            ["projects", PROJECT, "tags"] => bare(self.project["tags"].clone()),
            ["features", "featurestates"] if !is_older => {
                let environment = self.find("id", asked_for?)?;
                paged(states(&environment))
            }
            ["environments", key, ref rest @ ..] => self.serve_environment(key, rest, path, query),
            _ => None,
        }
    }

    fn serve_environment(
        &self,
        key: &str,
        rest: &[&str],
        path: &str,
        query: &BTreeMap<String, String>,
    ) -> Option<Response> {
        let paged = |rows: Vec<Value>| Some(self.page(rows, path, query));
        let environment = || self.named(key);
        match (rest, self.dialect) {
            (["featurestates"], Dialect::Older) => paged(states(&environment()?)),
            (["featurestates"], _) if query.get("anyIdentity").is_some_and(|any| any == "1") => {
                let environment = environment()?;
                let overrides = environment["overrides"].as_array()?;
                paged(overrides.iter().map(|row| self.as_seen(row)).collect())
            }
            (["identities"], Dialect::Older) => {
                let mut identities = identities(&environment()?);
                identities.push(json!({"id": 99, "identifier": "overrides nothing"}));
                paged(identities)
            }
            (["identities", id, "featurestates"], Dialect::Older) => {
                let environment = environment()?;
                let rows = environment["overrides"].as_array()?.iter();
                let own = rows.filter(|row| is_id(&row["identity"]["id"], id));
                Some(bare(json!(own.map(without_identifier).collect::<Vec<_>>())))
            }
            (["edge-identity-overrides"], Dialect::Edge { answers: true }) => {
                let environment = environment()?;
                let rows = environment["overrides"].as_array()?.iter();
                let results: Vec<_> = rows.map(|row| self.at_the_edge(row)).collect();
                Some(bare(json!({"results": results})))
            }
            (["edge-identity-overrides"], Dialect::Edge { answers: false }) => {
                Some(refusal(StatusCode::INTERNAL_SERVER_ERROR, "Server Error"))
            }
            (["edge-identity-overrides"], _) => {
                Some(refusal(StatusCode::BAD_REQUEST, "not an edge project"))
            }
            _ => None,
        }
    }

    fn about(&self) -> Value {
        let id: u64 = PROJECT.parse().unwrap();
        let is_edge = matches!(self.dialect, Dialect::Edge { .. });
        json!({"id": id, "name": "Shop", "use_edge_identities": is_edge, "enable_dynamo_db": is_edge})
    }

    fn rows(&self, name: &str) -> Vec<Value> {
        self.project[name].as_array().cloned().unwrap_or_default()
    }

    fn find(&self, field: &str, wanted: &str) -> Option<Value> {
        let mut environments = self.rows("environments").into_iter();
        environments.find(|one| one[field] == wanted || is_id(&one[field], wanted))
    }

    /// By its key, and where addresses are older, by its id.
    fn named(&self, name: &str) -> Option<Value> {
        let by_id = || {
            self.find("id", name)
                .filter(|_| self.dialect == Dialect::Older)
        };
        self.find("api_key", name).or_else(by_id)
    }

    fn environments(&self) -> Vec<Value> {
        let environments = self.rows("environments").into_iter();
        environments
            .map(|one| json!({"id": one["id"], "name": one["name"], "api_key": one["api_key"], "description": null}))
            .collect()
    }

    /// With the numbers of overrides that the environment has which is asked about.
    fn features(&self, environment: Option<&str>) -> Vec<Value> {
        let environment = environment.and_then(|id| self.find("id", id));
        let mut features = self.rows("features");
        for feature in &mut features {
            let count = |list: &str, field: &str| {
                let rows = environment.as_ref().and_then(|one| one[list].as_array());
                let own = |row: &&Value| row["feature"] == feature["id"] && !row[field].is_null();
                rows.map_or(0, |rows| rows.iter().filter(own).count())
            };
            let (segments, identities) = (
                count("states", "feature_segment"),
                count("overrides", "identity"),
            );
            feature["num_segment_overrides"] = json!(segments);
            feature["num_identity_overrides"] = json!(identities);
        }
        features
    }

    /// With its value plain, as some addresses have it.
    fn as_seen(&self, row: &Value) -> Value {
        let mut seen = row.clone();
        seen["feature_state_value"] = plain(&row["feature_state_value"]);
        seen
    }

    fn at_the_edge(&self, row: &Value) -> Value {
        let mut state = self.as_seen(row);
        let features = self.rows("features");
        let feature = features
            .iter()
            .find(|one| one["id"] == row["feature"])
            .unwrap();
        state["feature"] =
            json!({"id": feature["id"], "name": feature["name"], "type": feature["type"]});
        state.as_object_mut().unwrap().remove("identity");
        for allocation in state["multivariate_feature_state_values"]
            .as_array_mut()
            .unwrap()
        {
            let options = feature["multivariate_options"].as_array().unwrap();
            let id = &allocation["multivariate_feature_option"];
            let option = options.iter().find(|option| option["id"] == *id).unwrap();
            allocation["multivariate_feature_option"] = json!({"id": id, "value": plain(option)});
        }
        let identifier = &row["identity"]["identifier"];
        json!({"identifier": identifier, "identity_uuid": "59efa2a7-6a45-46d6-b953-a7073a90eacf", "feature_state": state})
    }

    /// A page of as many rows as this installation gives.
    fn page(&self, rows: Vec<Value>, path: &str, query: &BTreeMap<String, String>) -> Response {
        const SIZE: usize = 25;
        let number: usize = query
            .get("page")
            .and_then(|page| page.parse().ok())
            .unwrap_or(1);
        let count = rows.len();
        let others = query.iter().filter(|(name, _)| *name != "page");
        let others = others.fold(String::new(), |text, (name, value)| {
            format!("{text}&{name}={value}")
        });
        let next = (number * SIZE < count)
            .then(|| format!("{}{path}?page={}{others}", self.origin, number + 1));
        let results: Vec<_> = rows
            .into_iter()
            .skip((number - 1) * SIZE)
            .take(SIZE)
            .collect();
        axum::Json(json!({"count": count, "next": next, "previous": null, "results": results}))
            .into_response()
    }
}

fn is_id(id: &Value, text: &str) -> bool {
    id.as_u64().is_some_and(|id| text.parse() == Ok(id))
}

/// The rows of an environment, and those of its identities, which are named by their ids alone.
fn states(environment: &Value) -> Vec<Value> {
    let overrides = environment["overrides"].as_array().unwrap().iter();
    let mut rows: Vec<_> = overrides.map(without_identifier).collect();
    rows.extend(environment["states"].as_array().unwrap().clone());
    rows
}

fn without_identifier(row: &Value) -> Value {
    let mut row = row.clone();
    row["identity"] = row["identity"]["id"].clone();
    row
}

fn identities(environment: &Value) -> Vec<Value> {
    let overrides = environment["overrides"].as_array().unwrap().iter();
    let by_id: BTreeMap<String, Value> = overrides
        .map(|row| (row["identity"]["id"].to_string(), row["identity"].clone()))
        .collect();
    by_id.into_values().collect()
}

/// A value as it is, without the name of its type.
pub(super) fn plain(typed: &Value) -> Value {
    typed[match typed["type"].as_str() {
        Some("int") => "integer_value",
        Some("bool") => "boolean_value",
        _ => "string_value",
    }]
    .clone()
}
