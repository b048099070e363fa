//! Unknown fields of bodies and parameters of queries.
//!
//! Unknown fields inside rules, conditions and variants are refused: a misspelt condition must never make a rule that matches
//! every context. All others are named in the answer's `X-Ignored-Fields`, except those that answers of the same resource show,
//! so that they can be sent back. Parameters of the query are named with a `?` before them. Operations are described by the API
//! document, so that a new endpoint needs no code here.

mod known;
mod nearest;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderValue, Method},
    middleware::Next,
    response::Response,
};
use serving::{
    error::ApiError,
    layers::cors::IGNORED_FIELDS,
    place::{Place, Step},
    unread::{Listener, Unread},
};
use url::form_urlencoded;

pub use self::known::Known;
use self::{known::Operation, nearest::nearest};
use base::input::visible;

/// Fields named in one answer at most.
const MOST: usize = 20;

/// Fields and parameters examined at most: a body of 1 MiB may have 200,000.
const MOST_EXAMINED: usize = 1_000;

/// Lists whose items may have known fields only.
const STRICT: [&str; 3] = ["rules", "conditions", "variants"];

/// Names unread parts of the request in the answer.
pub async fn report(State(known): State<Arc<Known>>, mut request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>();
    let operation = path.and_then(|path| known.operation(path.as_str(), request.method()));
    let Some(operation) = operation else {
        return next.run(request).await;
    };
    let ignored = Arc::new(Ignored {
        known,
        operation,
        noted: Mutex::default(),
    });
    if let Some(query) = request.uri().query() {
        ignored.read_query(query, request.method());
    }
    let listener: Arc<dyn Listener> = Arc::clone(&ignored) as _;
    request.extensions_mut().insert(Unread::heard_by(listener));
    let mut response = next.run(request).await;
    if let Some(names) = ignored.header() {
        response.headers_mut().insert(IGNORED_FIELDS, names);
    }
    response
}

/// The fields to name in an answer.
struct Ignored {
    known: Arc<Known>,
    operation: Arc<Operation>,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    names: Vec<String>,
    examined: usize,
}

impl Ignored {
    fn read_query(&self, query: &str, method: &Method) {
        for (name, _) in form_urlencoded::parse(query.as_bytes()) {
            // Every write accepts `wait`.
            let is_wait = name == "wait" && *method != Method::GET;
            let is_read = is_wait || self.operation.reads_parameter(&name);
            if !is_read && self.may_examine_another() {
                self.name(format!("?{}", visible(&name)));
            }
        }
    }

    /// Whether another field may be examined.
    fn may_examine_another(&self) -> bool {
        let mut noted = self.noted();
        noted.examined += 1;
        noted.names.len() < MOST && noted.examined <= MOST_EXAMINED
    }

    fn name(&self, name: String) {
        let mut noted = self.noted();
        if !noted.names.contains(&name) {
            noted.names.push(name);
        }
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn header(&self) -> Option<HeaderValue> {
        let names = self.noted().names.join(",");
        if names.is_empty() {
            return None;
        }
        HeaderValue::try_from(names).ok()
    }
}

impl Listener for Ignored {
    fn hear(&self, place: Place) -> Result<(), ApiError> {
        let Some((Step::Field(name), parents)) = place.steps().split_last() else {
            return Ok(());
        };
        if is_strict(parents) {
            let fields = self.known.fields_at(&self.operation, parents);
            return Err(ApiError::bad_request(no_field(&place, name, &fields)));
        }
        if self.may_examine_another() && !self.known.shows(&self.operation, parents, name) {
            self.name(visible(&place.to_string()));
        }
        Ok(())
    }
}

fn is_strict(parents: &[Step]) -> bool {
    parents.windows(2).any(|steps| match steps {
        [Step::Field(list), Step::Item(_)] => STRICT.contains(&list.as_str()),
        _ => false,
    })
}

fn no_field(place: &Place, name: &str, fields: &[&str]) -> String {
    match nearest(name, fields) {
        Some(meant) => format!("{place} is no field; did you mean {meant}?"),
        None => format!("{place} is no field; there are {}", fields.join(", ")),
    }
}
