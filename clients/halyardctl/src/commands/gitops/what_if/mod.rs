//! What changes would have done to the requests of the last 24 hours, as edges estimate it from their samples.

mod words;

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    body,
    changes::{Action, Change, Changes, Kind},
};
use crate::{
    api::{Error, Request, StatusCode, operations},
    commands::{Session, hints},
};

pub(super) use self::words::tell;

/// How often it is asked again while another question of the organization is open, and for the answers of edges that are slow.
const TURNS: usize = 6;
/// The pause before that: a question is open for 10 s at most.
const PAUSE: Duration = Duration::from_secs(2);
/// How long the service waits for edges.
const WAIT: u64 = 5;

/// Fields that no answer depends on.
const UNSERVED: [&str; 4] = ["name", "description", "tags", "permanent"];
/// What the service says of a draft that edges would not be told of.
const UNCHANGED: &str = "the draft changes nothing that is served in the environment";

/// What is known of one environment.
pub(super) struct Estimate {
    environment: String,
    known: Known,
}

enum Known {
    /// As the service tells it.
    Answer(Value),
    Unchanged,
    NotSampled,
    Refused(String),
}

impl Estimate {
    /// For programs.
    pub(super) fn to_json(&self) -> Value {
        let (estimate, reason) = match &self.known {
            Known::Answer(answer) => (answer.clone(), Value::Null),
            Known::Unchanged => (Value::Null, UNCHANGED.into()),
            Known::NotSampled => (Value::Null, "sampling is off".into()),
            Known::Refused(why) => (Value::Null, why.clone().into()),
        };
        json!({"environment": self.environment, "estimate": estimate, "reason": reason})
    }
}

/// Asks about each environment in which answers may change, one after the other: an organization has one question open at a time.
pub(super) async fn ask(session: &Session, changes: &Changes) -> Result<Vec<Estimate>, Error> {
    let mut estimates = Vec::new();
    if changes.is_new.is_some() || !changes.list.iter().any(may_change_answers) {
        return Ok(estimates);
    }
    let request = Request::new(&operations::LIST_ENVIRONMENTS, &[&changes.project]);
    let all = session.client.all(&request).await?;
    for environment in hints::slugs(&all) {
        if is_touched(changes, &environment) {
            let known = match asked(session, changes, &environment).await {
                Err(Error::Refused(refusal)) if refusal.message == UNCHANGED => Known::Unchanged,
                // The plan is right all the same.
                Err(error @ Error::Refused(_)) => Known::Refused(error.to_string()),
                known => known?,
            };
            estimates.push(Estimate { environment, known });
        }
    }
    Ok(estimates)
}

fn may_change_answers(change: &Change) -> bool {
    let mut fields = change.fields.keys();
    let is_served = |field: &String| !UNSERVED.contains(&field.as_str());
    change.thing.kind != Kind::Environment
        && (change.action == Action::Remove || fields.any(is_served))
}

/// Whether answers of an environment may change, which itself stays.
fn is_touched(changes: &Changes, slug: &str) -> bool {
    let mut all = changes.list.iter();
    let goes = all.clone().any(|change| {
        change.thing.kind == Kind::Environment
            && change.action == Action::Remove
            && change.thing.key == slug
    });
    let touches = |change: &Change| {
        let environment = change.thing.environment.as_deref();
        may_change_answers(change) && environment.is_none_or(|of| of == slug)
    };
    !goes && all.any(touches)
}

async fn asked(session: &Session, changes: &Changes, slug: &str) -> Result<Known, Error> {
    let place = [changes.project.as_str(), slug];
    let sampling = Request::new(&operations::GET_SAMPLING, &place);
    if session.get(&sampling).await?["enabled"] != true {
        return Ok(Known::NotSampled);
    }
    let question = Request::new(&operations::ASK_WHAT_IF, &place)
        .field("changes", Some(body::edits(changes)))
        .field("wait_seconds", Some(WAIT));
    let mut answer = session.get(&question).await;
    for _ in 0..TURNS {
        match answer {
            Err(error) if error.status() == Some(StatusCode::CONFLICT) => {
                sleep(PAUSE).await;
                answer = session.get(&question).await;
            }
            _ => break,
        }
    }
    let mut answer = answer?;
    let id = answer["id"].as_str().unwrap_or_default().to_owned();
    for _ in 0..TURNS {
        if answer["is_open"] != true {
            break;
        }
        sleep(PAUSE).await;
        let again = Request::new(&operations::GET_WHAT_IF, &[&place[..], &[&id]].concat());
        answer = session.get(&again).await?;
    }
    Ok(Known::Answer(answer))
}
