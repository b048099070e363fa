//! A source of imports, on loopback: it speaks as LaunchDarkly's API does, as far as tests of importing as such need it, and can be slow,
//! fail, and lead astray. What the platforms really send is the concern of the tests of each.

mod trouble;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::watch;
use url::form_urlencoded;

pub use self::trouble::Trouble;
use crate::server::Server;

/// The project's key there.
pub const PROJECT: &str = "shop";
/// The credential that it takes.
pub const CREDENTIAL: &str = "api-0123456789abcdef";

/// A source. Dropping it stops it.
pub struct Source {
    server: Server,
    shared: Arc<Shared>,
}

struct Shared {
    contents: Mutex<Contents>,
    troubles: Mutex<VecDeque<Trouble>>,
    asked: Mutex<Vec<(std::time::Instant, String)>>,
    /// What is in the path and query of requests that are not answered now.
    held: watch::Sender<Option<&'static str>>,
    /// What is answered where everything about flags is asked for.
    flags: Mutex<Option<String>>,
}

#[derive(Default)]
struct Contents {
    environments: Vec<Value>,
    flags: Vec<Value>,
    segments: BTreeMap<String, Vec<Value>>,
}

impl Source {
    /// A source with environments of these keys and nothing else.
    #[must_use]
    pub fn start(environments: &[&str]) -> Self {
        let environments = environments.iter().map(|key| {
            json!({"_id": key, "key": key, "name": format!("The {key}"), "color": "417505", "tags": []})
        });
        let shared = Arc::new(Shared {
            contents: Mutex::new(Contents {
                environments: environments.collect(),
                ..Contents::default()
            }),
            troubles: Mutex::default(),
            asked: Mutex::default(),
            held: watch::Sender::new(None),
            flags: Mutex::default(),
        });
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&shared));
        Self {
            server: Server::start(|_| router),
            shared,
        }
    }

    /// A source that holds a project: `environments`, `flags`, and `segments` by the key of the environment, in LaunchDarkly's shapes.
    ///
    /// # Panics
    /// When one of these is missing.
    #[must_use]
    pub fn holding(project: &Value) -> Self {
        let source = Self::start(&[]);
        let list = |value: &Value| value.as_array().expect("a list").clone();
        let segments = project["segments"].as_object().expect("a map").iter();
        *lock(&source.shared.contents) = Contents {
            environments: list(&project["environments"]),
            flags: list(&project["flags"]),
            segments: segments
                .map(|(key, segments)| (key.clone(), list(segments)))
                .collect(),
        };
        source
    }

    /// The body of `connect`, `analyze` and `execute` for it.
    #[must_use]
    pub fn body(&self, target: &str) -> Value {
        json!({
            "provider": "provider_a", "api_key": CREDENTIAL, "base_url": self.url(), "project_key": PROJECT,
            "target_project_id": target,
        })
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// Adds a flag: a plain switch that is on in all environments, with more or other fields.
    pub fn flag(&self, key: &str, more: Value) {
        let mut contents = lock(&self.shared.contents);
        let environments: serde_json::Map<_, _> = contents
            .environments
            .iter()
            .filter_map(|environment| environment["key"].as_str())
            .map(|key| (key.to_owned(), state()))
            .collect();
        let flag = json!({
            "key": key, "name": key, "description": "", "kind": "boolean", "creationDate": 1_693_905_528_781_u64,
            "tags": [], "archived": false, "temporary": true,
            "variations": [{"_id": "1", "value": true}, {"_id": "2", "value": false}],
            "defaults": {"onVariation": 0, "offVariation": 1},
            "environments": environments,
        });
        contents.flags.push(merged(flag, &more));
    }

    /// Adds a segment to an environment: whoever has one of these keys.
    pub fn segment(&self, environment: &str, key: &str, included: &[&str]) {
        let mut contents = lock(&self.shared.contents);
        let segment = json!({
            "key": key, "name": key, "tags": [], "creationDate": 1_693_905_528_781_u64, "included": included,
            "excluded": [], "includedContexts": [], "excludedContexts": [], "rules": [], "deleted": false,
        });
        let of_environment = contents.segments.entry(environment.to_owned());
        of_environment.or_default().push(segment);
    }

    /// Answers the next requests so instead, one after the other.
    pub fn trouble(&self, troubles: impl IntoIterator<Item = Trouble>) {
        lock(&self.shared.troubles).extend(troubles);
    }

    /// Holds all answers until [`Self::release`].
    pub fn hold(&self) {
        self.hold_about("");
    }

    /// Holds the answers that tell everything about flags: an import reads them when it has begun.
    pub fn hold_flags(&self) {
        self.hold_about("summary=0");
    }

    /// Holds the answers to what has this in its path or query.
    pub fn hold_about(&self, part: &'static str) {
        self.shared.held.send_replace(Some(part));
    }

    /// Has one flag, with the variations of this text.
    pub fn answer_flags(&self, variations: &str) {
        let state = state();
        let flags = format!(
            r#"{{"items": [{{"key": "large", "variations": {variations}, "environments": {{"production": {state}}}}}], "totalCount": 1}}"#
        );
        *lock(&self.shared.flags) = Some(flags);
    }

    /// Gives the answers that are held.
    pub fn release(&self) {
        self.shared.held.send_replace(None);
    }

    /// What was asked for, path and query, and when.
    #[must_use]
    pub fn asked(&self) -> Vec<(std::time::Instant, String)> {
        lock(&self.shared.asked).clone()
    }
}

/// The state of a plain switch that is on.
#[must_use]
pub fn state() -> Value {
    json!({
        "on": true, "archived": false, "salt": "s", "version": 1, "lastModified": 1_693_905_528_795_u64,
        "targets": [], "contextTargets": [], "rules": [], "fallthrough": {"variation": 0}, "offVariation": 1,
        "prerequisites": [],
    })
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path();
    let query = request.uri().query().unwrap_or_default();
    let asked = format!("{path}?{query}");
    let now = std::time::Instant::now();
    lock(&shared.asked).push((now, asked.clone()));
    let mut held = shared.held.subscribe();
    let is_free = |held: &Option<&str>| held.is_none_or(|held| !asked.contains(held));
    held.wait_for(is_free).await.expect("the source is there");
    let trouble = lock(&shared.troubles).pop_front();
    if let Some(trouble) = trouble {
        return trouble.answer();
    }
    let given = request.headers().get("authorization");
    let given = given.map_or("", |given| given.to_str().expect("text"));
    if given.trim_start_matches("Api-Key ") != CREDENTIAL {
        let words = format!("Invalid key {given}");
        return json_answer(401, &json!({"code": "unauthorized", "message": words}));
    }
    if let Some(path) = path.strip_prefix("/api/v1/") {
        return as_flagsmith(path);
    }
    if let Some(flags) = lock(&shared.flags).clone()
        && asked.contains("summary=0")
    {
        return Response::new(Body::from(flags));
    }
    lock(&shared.contents).answer(path, query)
}

/// How an item is shown in a list.
type Shown<'a> = &'a dyn Fn(&Value) -> Value;

impl Contents {
    fn answer(&self, path: &str, query: &str) -> Response {
        let fields: Vec<_> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect();
        let field = |wanted: &str| {
            let found = fields.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.as_str())
        };
        let parts: Vec<_> = path.trim_start_matches("/api/v2/").split('/').collect();
        let asked = fields.iter().filter(|(name, _)| name == "env");
        let asked: Vec<_> = asked.map(|(_, key)| key.as_str()).collect();
        let is_whole = matches!(field("summary"), Some("0" | "false")) && !asked.is_empty();
        let of_flag = |flag: &Value| flag_of(flag, &asked, is_whole);
        let (items, shown, most): (Vec<&Value>, Shown<'_>, usize) = match parts[..] {
            ["projects", PROJECT, "environments"] => {
                (self.environments.iter().collect(), &environment_of, 1_000)
            }
            ["projects", PROJECT] => {
                let items: Vec<_> = self.environments.iter().map(environment_of).collect();
                let environments = json!({"totalCount": items.len(), "items": items});
                let project = json!({
                    "_links": {}, "_id": "0", "key": PROJECT, "name": "Shop", "tags": [],
                    "includeInSnippetByDefault": false, "environments": environments,
                });
                return json_answer(200, &project);
            }
            ["flags", PROJECT] => {
                if asked.len() > 3 {
                    let words =
                        json!({"code": "invalid_request", "message": "too many environments"});
                    return json_answer(400, &words);
                }
                let is_archived = field("filter") == Some("state:archived");
                let flags = self.flags.iter();
                let flags = flags.filter(|flag| (flag["archived"] == true) == is_archived);
                (flags.collect(), &of_flag, 100)
            }
            ["segments", PROJECT, environment] => {
                let segments = self.segments.get(environment).into_iter().flatten();
                (segments.collect(), &segment_of, 50)
            }
            _ => {
                let words = json!({"code": "not_found", "message": "Invalid resource identifier"});
                return json_answer(404, &words);
            }
        };
        json_answer(200, &page(&items, shown, most, (path, query), &fields))
    }
}

/// The part of a list that the fields of a query ask for, of at most so many items.
fn page(
    items: &[&Value],
    shown: Shown<'_>,
    most: usize,
    (path, query): (&str, &str),
    fields: &[(String, String)],
) -> Value {
    let number = |wanted: &str, otherwise: usize| {
        let given = fields.iter().find(|(name, _)| name == wanted);
        given.map_or(otherwise, |(_, text)| text.parse().unwrap_or(otherwise))
    };
    let (offset, limit) = (number("offset", 0), number("limit", 20).min(most));
    let total = items.len();
    let page = items.iter().skip(offset).take(limit);
    let page: Vec<_> = page.map(|item| shown(item)).collect();
    let link = |query: &str| json!({"href": format!("{path}?{query}"), "type": "application/json"});
    let mut links = json!({"self": link(query)});
    let next = offset + page.len();
    // Lists of segments leave the link out.
    if next < total && !path.contains("/segments/") {
        let kept = fields.iter().filter(|(name, _)| name != "offset");
        let next = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(kept)
            .append_pair("offset", &next.to_string())
            .finish();
        links["next"] = link(&next);
    }
    json!({"items": page, "totalCount": total, "_links": links})
}

/// An environment as it is shown, as far as the official client insists on it.
fn environment_of(environment: &Value) -> Value {
    merged(
        json!({
            "_links": {}, "_id": "0", "apiKey": "sdk-x", "mobileKey": "mob-x", "defaultTtl": 0, "secureMode": false,
            "defaultTrackEvents": false, "requireComments": false, "confirmChanges": false, "tags": [], "critical": false,
        }),
        environment,
    )
}

fn segment_of(segment: &Value) -> Value {
    merged(
        json!({
            "_links": {}, "name": "", "tags": [], "creationDate": 0, "lastModifiedDate": 0, "rules": [], "version": 1,
            "deleted": false, "generation": 1,
        }),
        segment,
    )
}

/// A flag as a list shows it: with the environments that were asked for, and with their rules only where all of it was.
fn flag_of(flag: &Value, asked: &[&str], is_whole: bool) -> Value {
    let complete = json!({
        "_links": {}, "_version": 1, "experiments": {"baselineIdx": 0, "items": []}, "customProperties": {}, "tags": [],
        "temporary": true, "archived": false,
    });
    let mut flag = merged(complete, flag);
    let Some(environments) = flag["environments"].as_object_mut() else {
        return flag;
    };
    environments.retain(|key, _| asked.is_empty() || asked.contains(&key.as_str()));
    for config in environments.values_mut() {
        let complete = json!({
            "archived": false, "salt": "s", "sel": "s", "lastModified": 0, "version": 1, "trackEvents": false,
            "trackEventsFallthrough": false, "_environmentName": "", "_site": {"href": "/", "type": "text/html"},
        });
        *config = merged(complete, config);
        if !is_whole {
            let config = config.as_object_mut().expect("an object");
            config.retain(|name, _| !RULES.contains(&name.as_str()));
        }
    }
    flag
}

/// The fields of an environment that are shown only where all of it is.
const RULES: [&str; 6] = [
    "targets",
    "contextTargets",
    "rules",
    "fallthrough",
    "offVariation",
    "prerequisites",
];

/// As Flagsmith, it has one project with one environment, in which nobody has values of their own.
fn as_flagsmith(path: &str) -> Response {
    let environment = json!({"id": 7, "name": "Production", "api_key": "production"});
    let listed = match path {
        "projects/" => return json_answer(200, &json!([{"id": 1, "name": "Shop"}])),
        "environments/" => vec![environment],
        "projects/1/features/" | "environments/production/featurestates/" => Vec::new(),
        _ => return json_answer(404, &json!({"detail": "Not found."})),
    };
    let page = json!({"count": listed.len(), "next": null, "previous": null, "results": listed});
    json_answer(200, &page)
}

fn json_answer(status: u16, body: &Value) -> Response {
    Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .expect("an answer")
}

fn merged(mut object: Value, more: &Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more.clone());
    }
    object
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
