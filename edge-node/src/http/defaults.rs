//! What callers say that their code would use without an answer: in `POST /v1/defaults`, many at once with counts, or with a request
//! about one flag, in headers.

use axum::{
    http::{HeaderMap, HeaderName, StatusCode},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::Value;
use serving::{body::RawBody, error::ApiError};

use super::{Caller, document::TellDefaultsRequest};
use crate::{
    Edge,
    current::Served,
    usage::{SERVICE, TellsDefault},
};

const DEFAULT: HeaderName = HeaderName::from_static("halyard-default");
const NAME: HeaderName = HeaderName::from_static("halyard-service");
/// Bytes of a default in a header.
const LONGEST: usize = 1_024;
/// The most flags of a request.
const MOST: usize = 1_000;
/// No caller counts more between two reports.
const MOST_ANSWERS: u64 = 1 << 32;

/// The default that came with a request about one flag.
pub(super) struct Fallback {
    value: Value,
    service: String,
}

impl Fallback {
    /// What the headers say. One that cannot be read is none: it must not cost a caller its answer.
    pub(super) fn of(headers: &HeaderMap) -> Option<Box<Self>> {
        let value = headers.get(DEFAULT)?;
        if value.len() > LONGEST {
            return None;
        }
        let value = serde_json::from_slice(value.as_bytes()).ok()?;
        let service = headers.get(NAME).and_then(|name| name.to_str().ok());
        let service = service.filter(|name| is_service(name));
        Some(Box::new(Self {
            value,
            service: service.unwrap_or_default().to_owned(),
        }))
    }

    /// Counts an answer with this default.
    pub(super) fn note(&self, edge: &Edge, environment: &Served, flag_key: &str, answer: &str) {
        let is_same =
            serde_json::from_str::<Value>(answer).is_ok_and(|answer| answer == self.value);
        let tells = TellsDefault {
            flag_key,
            service: &self.service,
            value: &self.value.to_string(),
            answers: 1,
            differing: u64::from(!is_same),
        };
        edge.tell_default(environment, tells);
    }
}

fn is_service(name: &str) -> bool {
    name.chars().count() <= SERVICE && !name.chars().any(char::is_control)
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a JSON object")]
struct Told {
    service: Option<String>,
    defaults: Option<Vec<One>>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a JSON object")]
struct One {
    flag_key: Option<String>,
    #[serde(default)]
    default: Value,
    answers: Option<u64>,
    #[serde(default)]
    differing: u64,
}

/// Tells which defaults the code of a service would use without Halyard, and with how many answers they were told. Flags that do not
/// exist are left out. It is counted as it comes: send each count once.
#[utoipa::path(
    post,
    path = "/v1/defaults",
    operation_id = "tellDefaults",
    tag = "evaluation",
    security(("api_key" = [])),
    request_body = TellDefaultsRequest,
    responses((status = 204, description = "counted"))
)]
pub(super) async fn tell(mut caller: Caller, body: Result<RawBody, ApiError>) -> Response {
    if let Ok(body) = &body {
        caller.charge(body.size().div_ceil(1_024));
        if let Some(refusal) = caller.over_rate() {
            return caller.answer(Ok(refusal));
        }
    }
    caller.answer(body.and_then(|body| {
        let (service, defaults) = body.parse_unstored::<Told>()?.check()?;
        for one in &defaults {
            let answers = one.answers.unwrap_or(0).min(MOST_ANSWERS);
            let tells = TellsDefault {
                flag_key: one.flag_key.as_deref().unwrap_or_default(),
                service: &service,
                value: &one.default.to_string(),
                answers,
                differing: one.differing.min(answers),
            };
            caller.edge.tell_default(&caller.environment, tells);
        }
        Ok(StatusCode::NO_CONTENT.into_response())
    }))
}

impl Told {
    fn check(self) -> Result<(String, Vec<One>), ApiError> {
        let service = self.service.unwrap_or_default();
        if !is_service(&service) {
            return Err(ApiError::bad_request(format!(
                "service must have at most {SERVICE} characters, none of them a control character"
            )));
        }
        let defaults = self.defaults;
        let defaults = defaults.ok_or_else(|| ApiError::bad_request("defaults is required"))?;
        if defaults.len() > MOST {
            return Err(ApiError::bad_request("at most 1000 defaults are allowed"));
        }
        let is_named = |one: &One| one.flag_key.as_ref().is_some_and(|key| !key.is_empty());
        if !defaults.iter().all(is_named) {
            return Err(ApiError::bad_request("flag_key is required"));
        }
        Ok((service, defaults))
    }
}
