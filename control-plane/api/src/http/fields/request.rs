//! What is found while a request is read: unknown fields and parameters, and the warnings that refuse it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::{
    extract::Request,
    http::{Extensions, HeaderValue},
};
use serving::{
    error::ApiError,
    place::{Place, Step},
    unread::Listener,
};
use url::form_urlencoded;

use super::known::{Known, Operation};
use crate::http::prefer;
use base::input::{Comment, Invalid, nearest, visible};
use base::warning::Warning;

/// The query parameter that says why a change is made.
pub(in crate::http) const COMMENT: &str = "comment";

/// Fields named in one answer at most.
const MOST: usize = 20;

/// Fields and parameters examined at most: a body of 1 MiB may have 200,000.
const MOST_EXAMINED: usize = 1_000;

/// Lists whose items may have known fields only.
const STRICT: [&str; 3] = ["rules", "conditions", "variants"];

/// A request for a known operation.
pub(super) struct Asked {
    known: Arc<Known>,
    operation: Arc<Operation>,
    /// Whether each warning refuses it.
    is_strict: bool,
    /// Why the change is made.
    comment: Option<Comment>,
    /// Why the query is refused.
    refused_query: Option<String>,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    names: Vec<String>,
    examined: usize,
    /// About unknown fields.
    warnings: Vec<Warning>,
    /// All warnings of a request that they refused.
    refused_by: Option<Vec<Warning>>,
}

impl Asked {
    pub(super) fn new(known: Arc<Known>, operation: Arc<Operation>, request: &Request) -> Self {
        let is_strict = operation.is_write() && prefer::is_strict(request.headers());
        let mut asked = Self {
            known,
            operation,
            is_strict,
            comment: None,
            refused_query: None,
            noted: Mutex::default(),
        };
        if let Some(query) = request.uri().query() {
            asked.read_query(query);
        }
        asked
    }

    fn read_query(&mut self, query: &str) {
        for (name, text) in form_urlencoded::parse(query.as_bytes()) {
            let is_read = self.operation.parameters().any(|known| known == name);
            if is_read && name == COMMENT {
                self.read_comment(&text);
            }
            if is_read || !self.may_examine_another() {
                continue;
            }
            let shown = visible(&name);
            if self.operation.refuses_parameters() && self.refused_query.is_none() {
                let known: Vec<_> = self.operation.parameters().collect();
                let refusal = unknown(&format!("query parameter {shown}"), &name, &known);
                self.refused_query = Some(refusal);
            }
            self.name(format!("?{shown}"));
        }
    }

    fn read_comment(&mut self, text: &str) {
        match Comment::parse(text) {
            Ok(comment) => self.comment = comment.or(self.comment.take()),
            Err(refusal) => {
                self.refused_query
                    .get_or_insert_with(|| refusal.to_string());
            }
        }
    }

    pub(super) fn is_write(&self) -> bool {
        self.operation.is_write()
    }

    pub(super) const fn is_strict(&self) -> bool {
        self.is_strict
    }

    pub(super) fn shows_warnings(&self) -> bool {
        self.operation.shows_warnings()
    }

    /// Those about unknown fields, then those that were found.
    pub(super) fn warnings(&self, found: &[Warning]) -> Vec<Warning> {
        [&self.noted().warnings[..], found].concat()
    }

    /// The warnings of a request that they refused.
    pub(super) fn refused_by(&self) -> Option<Vec<Warning>> {
        self.noted().refused_by.clone()
    }

    /// Refuses a query with an unknown parameter.
    fn check_query(&self) -> Result<(), Invalid> {
        let refused = self.refused_query.as_ref();
        refused.map_or(Ok(()), |words| Err(Invalid::new(words.clone())))
    }

    /// With strict handling, refuses a request with warnings.
    fn check_warnings(&self, found: &[Warning]) -> Result<(), Invalid> {
        if !self.is_strict {
            return Ok(());
        }
        let all = self.warnings(found);
        let mut noted = self.noted();
        // Messages about fields name them.
        let field = noted.warnings.first().map(|first| first.message.clone());
        let first = field.or_else(|| found.first().map(Warning::text));
        first.map_or(Ok(()), |first| {
            noted.refused_by = Some(all);
            Err(Invalid::new(first))
        })
    }

    /// Whether another field may be examined.
    fn may_examine_another(&self) -> bool {
        let mut noted = self.noted();
        noted.examined += 1;
        noted.names.len() < MOST && noted.examined <= MOST_EXAMINED
    }

    /// Whether it is named for the first time.
    fn name(&self, name: String) -> bool {
        let mut noted = self.noted();
        let is_new = !noted.names.contains(&name);
        if is_new {
            noted.names.push(name);
        }
        is_new
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn header(&self) -> Option<HeaderValue> {
        let names = self.noted().names.join(",");
        if names.is_empty() {
            return None;
        }
        HeaderValue::try_from(names).ok()
    }
}

impl Listener for Asked {
    fn begin(&self) -> Result<(), ApiError> {
        Ok(self.check_query()?)
    }

    fn hear(&self, place: Place) -> Result<(), ApiError> {
        let Some((Step::Field(name), parents)) = place.steps().split_last() else {
            return Ok(());
        };
        if is_strict(parents) {
            let fields = self.known.fields_at(&self.operation, parents);
            return Err(ApiError::bad_request(no_field(&place, name, &fields)));
        }
        if self.may_examine_another() && !self.known.shows(&self.operation, parents, name) {
            let place = visible(&place.to_string());
            if self.name(place.clone()) {
                let fields = self.known.fields_at(&self.operation, parents);
                let message = unknown(&format!("field {place}"), name, &fields);
                self.noted().warnings.push(Warning { place, message });
            }
        }
        Ok(())
    }

    fn end(&self) -> Result<(), ApiError> {
        Ok(self.check_warnings(&[])?)
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

fn unknown(part: &str, name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(meant) => format!("unknown {part}; did you mean {meant}?"),
        None => format!("unknown {part}"),
    }
}

/// The check of a request's query and warnings, for extractors and units of work.
#[derive(Clone, Default)]
pub struct Checked(Option<Arc<Asked>>);

impl Checked {
    pub(super) fn by(asked: &Arc<Asked>) -> Self {
        Self(Some(Arc::clone(asked)))
    }

    /// That of the request. Operations that the API document does not describe to members have none.
    pub(in crate::http) fn of(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_default()
    }

    /// Refuses a query with an unknown parameter.
    pub(in crate::http) fn check_query(&self) -> Result<(), Invalid> {
        self.0.as_ref().map_or(Ok(()), |asked| asked.check_query())
    }

    /// Whether a body is read, which checks the query too.
    pub(in crate::http) fn reads_body(&self) -> bool {
        let asked = self.0.as_ref();
        asked.is_some_and(|asked| asked.operation.takes_body())
    }

    /// Why the member makes the change.
    pub(in crate::http) fn comment(&self) -> Option<Comment> {
        self.0.as_ref()?.comment.clone()
    }

    /// Warnings about unknown fields, so far.
    pub(in crate::http) fn ignored(&self) -> Vec<Warning> {
        let asked = self.0.as_ref();
        asked.map_or_else(Vec::new, |asked| asked.warnings(&[]))
    }

    /// With strict handling, refuses a write with warnings. Call it before the commit.
    pub(in crate::http) fn check_warnings(&self, found: &[Warning]) -> Result<(), Invalid> {
        let asked = self.0.as_ref();
        asked.map_or(Ok(()), |asked| asked.check_warnings(found))
    }
}
