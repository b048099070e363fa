//! What arrives: the log of it, and the trouble that a test wants.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, FromRequest, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Form, Json, Router};
use serde_json::{Value, json};

use super::account::Account;
use super::api::Answer;
use super::lock;
use super::parameters::invalid;
use crate::server::Cut;

/// More than any caller should be willing to read: 2 MiB.
const HUGE: usize = 2 * 1024 * 1024;
/// The gateway takes bodies up to here.
const MAX_BODY: usize = 1024 * 1024;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// Of the body, in order; those of the query for GET.
    pub fields: Vec<(String, String)>,
    pub idempotency_key: Option<String>,
    pub authorization: Option<String>,
    is_form: bool,
}

impl Request {
    /// The value of a field.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn asks_the_same_as(&self, other: &Self) -> bool {
        self.path == other.path && self.fields == other.fields
    }
}

/// What can go wrong with a request. Only [`Effect::Done`] changes anything at the gateway.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// Answered with this status and an error object.
    Status(u16),
    /// Answered with 200 and a page.
    Junk,
    /// Answered with 200 and JSON that is no object of the gateway.
    OtherShape,
    /// Answered with 200 and 2 MiB of JSON.
    Huge,
    /// Never answered.
    Hang(Effect),
    /// The connection is closed instead of an answer.
    Close(Effect),
}

/// What the caller cannot know when no answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    None,
    Done,
}

/// The log, and what is to go wrong.
#[derive(Default)]
pub(super) struct Arrivals(Mutex<Plan>);

#[derive(Default)]
struct Plan {
    requests: Vec<Request>,
    troubles: VecDeque<Trouble>,
    delay: Duration,
}

impl Arrivals {
    pub(super) fn all(&self) -> Vec<Request> {
        self.plan().requests.clone()
    }

    pub(super) fn trouble(&self, trouble: Trouble, times: usize) {
        self.plan()
            .troubles
            .extend(std::iter::repeat_n(trouble, times));
    }

    pub(super) fn calm(&self) {
        let mut plan = self.plan();
        plan.troubles.clear();
        plan.delay = Duration::ZERO;
    }

    pub(super) fn slow(&self, delay: Duration) {
        self.plan().delay = delay;
    }

    fn arrive(&self, request: &Request) -> (Option<Trouble>, Duration) {
        let mut plan = self.plan();
        plan.requests.push(request.clone());
        (plan.troubles.pop_front(), plan.delay)
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the handler of all requests needs.
#[derive(Clone)]
struct Gateway {
    account: Arc<Mutex<Account>>,
    arrivals: Arc<Arrivals>,
}

pub(super) fn router(account: &Arc<Mutex<Account>>, arrivals: &Arc<Arrivals>) -> Router {
    Router::new().fallback(receive).with_state(Gateway {
        account: Arc::clone(account),
        arrivals: Arc::clone(arrivals),
    })
}

async fn receive(
    State(gateway): State<Gateway>,
    ConnectInfo(cut): ConnectInfo<Cut>,
    request: axum::extract::Request,
) -> Response {
    let Some(request) = read(request).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let (trouble, delay) = gateway.arrivals.arrive(&request);
    tokio::time::sleep(delay).await;
    match trouble {
        None => send(gateway.answer(&request)),
        Some(Trouble::Status(status)) => {
            let kind = if status == 429 {
                "rate_limit_error"
            } else {
                "api_error"
            };
            send(invalid(status).says(kind, "Something went wrong on our end."))
        }
        Some(Trouble::Junk) => {
            let page = "<html><body>please wait</body></html>";
            ([(header::CONTENT_TYPE, "text/html")], page).into_response()
        }
        Some(Trouble::OtherShape) => {
            Json(json!(["neither", {"an": "object"}, "of the gateway"])).into_response()
        }
        Some(Trouble::Huge) => {
            Json(json!({"object": "list", "data": "x".repeat(HUGE)})).into_response()
        }
        Some(Trouble::Hang(effect)) => {
            gateway.take_effect(effect, &request);
            pending().await
        }
        Some(Trouble::Close(effect)) => {
            gateway.take_effect(effect, &request);
            cut.now();
            ().into_response()
        }
    }
}

impl Gateway {
    fn answer(&self, request: &Request) -> Answer {
        if !request.is_form {
            let message = "Invalid request (check that your POST content type is application/x-www-form-urlencoded).";
            return invalid(400).says("invalid_request_error", message);
        }
        lock(&self.account).answer(request)
    }

    fn take_effect(&self, effect: Effect, request: &Request) {
        if effect == Effect::Done {
            drop(self.answer(request));
        }
    }
}

async fn read(request: axum::extract::Request) -> Option<Request> {
    let (parts, body) = request.into_parts();
    let text = |headers: &HeaderMap, name: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.map(str::to_owned)
    };
    let mut read = Request {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        fields: Vec::new(),
        idempotency_key: text(&parts.headers, "idempotency-key"),
        authorization: text(&parts.headers, "authorization"),
        is_form: true,
    };
    let body = to_bytes(body, MAX_BODY).await.ok()?;
    if !body.is_empty() || parts.method == "GET" {
        let request = axum::extract::Request::from_parts(parts, Body::from(body));
        let form = Form::<Vec<(String, String)>>::from_request(request, &()).await;
        read.is_form = form.is_ok();
        read.fields = form.map(|Form(fields)| fields).unwrap_or_default();
    }
    Some(read)
}

fn send(answer: Answer) -> Response {
    let status = StatusCode::from_u16(answer.status).expect("a status of HTTP");
    let body: Json<Value> = Json(answer.body);
    let mut response = (status, body).into_response();
    if answer.is_replayed {
        let headers = response.headers_mut();
        headers.insert(
            "idempotent-replayed",
            header::HeaderValue::from_static("true"),
        );
    }
    response
}
