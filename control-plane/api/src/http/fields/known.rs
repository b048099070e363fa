//! The fields of bodies and answers and the query parameters of an operation, from the API document.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use axum::http::Method;
use serving::place::Step;
use utoipa::openapi::{
    Content, Object, OpenApi, RefOr, Response, Schema,
    path::{self, ParameterIn, PathItem},
    schema::{AdditionalProperties, ArrayItems},
};

use crate::http::{
    access::declare::needs,
    openapi::{BEARER, SCIM_TOKEN},
};

/// The member of bodies that lists warnings.
pub(super) const WARNINGS: &str = "warnings";

/// Upper bound on references from a schema to its definition.
const MOST_REFERENCES: usize = 16;

/// All operations of the API document except SCIM's, whose clients may send any fields.
pub struct Known {
    operations: HashMap<String, HashMap<Method, Arc<Operation>>>,
    schemas: BTreeMap<String, RefOr<Schema>>,
    /// The fields of answers of the operations that take a body, by the name of its schema.
    shown: HashMap<String, BTreeSet<String>>,
}

/// The fields and parameters of one operation.
pub(super) struct Operation {
    parameters: Vec<String>,
    body: Option<RefOr<Schema>>,
    /// Whether it changes something.
    is_write: bool,
    /// Whether members call it, with a token.
    is_for_members: bool,
    /// Whether its answer has warnings of its own.
    shows_warnings: bool,
}

/// A resolved schema.
#[derive(Default)]
struct Meaning<'a> {
    names: Vec<&'a str>,
    /// Objects, lists and values; a body matches one of them.
    schemas: Vec<&'a Schema>,
}

impl Operation {
    /// The parameters that the query may have.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &str> {
        // Every write accepts `wait`.
        let wait = self.is_write.then_some("wait");
        self.parameters.iter().map(String::as_str).chain(wait)
    }

    /// Whether unknown parameters are refused. Others who call without a token may be sent here by third parties.
    pub(super) const fn refuses_parameters(&self) -> bool {
        self.is_write && self.is_for_members
    }

    pub(super) const fn is_write(&self) -> bool {
        self.is_write
    }

    pub(super) const fn takes_body(&self) -> bool {
        self.body.is_some()
    }

    pub(super) const fn shows_warnings(&self) -> bool {
        self.shows_warnings
    }
}

impl Known {
    /// Extracts the fields from a document.
    pub fn from_document(document: &OpenApi) -> Arc<Self> {
        let components = document.components.as_ref();
        let mut known = Self {
            operations: HashMap::new(),
            schemas: components.map_or_else(BTreeMap::new, |parts| parts.schemas.clone()),
            shown: HashMap::new(),
        };
        for (path, item) in &document.paths.paths {
            for (method, operation) in operations(item) {
                known.add(path, method, operation, item);
            }
        }
        Arc::new(known)
    }

    fn add(&mut self, path: &str, method: Method, described: &path::Operation, item: &PathItem) {
        if needs(described, SCIM_TOKEN) {
            return;
        }
        let body = body_of(described);
        if let Some(body) = &body {
            self.note_shown(body, &method, described, item);
        }
        let operation = Arc::new(Operation {
            parameters: parameters_of(described),
            body,
            is_write: method != Method::GET,
            is_for_members: needs(described, BEARER),
            shows_warnings: self.shown_by(described).contains(WARNINGS),
        });
        let methods = self.operations.entry(path.to_owned()).or_default();
        methods.insert(method, operation);
    }

    /// Notes the fields of a body's resource: the operation's answer, and answers under the same path. An answer without a common
    /// field shows something else.
    fn note_shown(
        &mut self,
        body: &RefOr<Schema>,
        method: &Method,
        described: &path::Operation,
        item: &PathItem,
    ) {
        let mut shown: BTreeSet<_> = self.shown_by(described);
        let replaces = [Method::PUT, Method::PATCH].contains(method);
        if let (true, Some(show)) = (replaces, &item.get) {
            shown.extend(self.shown_by(show));
        }
        let body = self.meaning(body);
        if !body.fields().iter().any(|field| shown.contains(*field)) {
            return;
        }
        let names: Vec<_> = body.names.iter().map(|name| (*name).to_owned()).collect();
        for name in names {
            self.shown.entry(name).or_default().extend(shown.clone());
        }
    }

    fn shown_by(&self, described: &path::Operation) -> BTreeSet<String> {
        let answers = described.responses.responses.iter();
        let answers = answers.filter(|(status, _)| status.starts_with('2'));
        let schemas = answers.filter_map(|(_, answer)| schema_of(answer));
        let fields = schemas.flat_map(|schema| self.meaning(schema).fields());
        fields.map(str::to_owned).collect()
    }

    /// The operation of a request, by the path of its route.
    pub(super) fn operation(&self, path: &str, method: &Method) -> Option<Arc<Operation>> {
        let method = match *method {
            Method::HEAD => &Method::GET,
            _ => method,
        };
        self.operations.get(path)?.get(method).cloned()
    }

    /// The fields at a position in a body.
    pub(super) fn fields_at<'a>(
        &'a self,
        operation: &'a Operation,
        steps: &[Step],
    ) -> Vec<&'a str> {
        self.at(operation, steps).fields()
    }

    /// Whether an unread field at a position in a body is one that answers show.
    pub(super) fn shows(&self, operation: &Operation, steps: &[Step], field: &str) -> bool {
        let names = self.at(operation, steps).names;
        let mut shown = names.iter().filter_map(|name| self.shown.get(*name));
        shown.any(|fields| fields.contains(field))
    }

    fn at<'a>(&'a self, operation: &'a Operation, steps: &[Step]) -> Meaning<'a> {
        let Some(body) = &operation.body else {
            return Meaning::default();
        };
        steps.iter().fold(self.meaning(body), |whole, step| {
            let mut part = Meaning::default();
            for schema in whole.schemas {
                let next = match (schema, step) {
                    (Schema::Object(object), Step::Field(name)) => {
                        object.properties.get(name).or_else(|| values_of(object))
                    }
                    (Schema::Array(list), Step::Item(_)) => match &list.items {
                        ArrayItems::RefOrSchema(items) => Some(&**items),
                        ArrayItems::False => None,
                    },
                    _ => None,
                };
                if let Some(next) = next {
                    self.add_meaning(next, &mut part, MOST_REFERENCES);
                }
            }
            part
        })
    }

    fn meaning<'a>(&'a self, schema: &'a RefOr<Schema>) -> Meaning<'a> {
        let mut meaning = Meaning::default();
        self.add_meaning(schema, &mut meaning, MOST_REFERENCES);
        meaning
    }

    fn add_meaning<'a>(
        &'a self,
        schema: &'a RefOr<Schema>,
        meaning: &mut Meaning<'a>,
        references: usize,
    ) {
        let parts = match schema {
            RefOr::Ref(reference) => {
                let name = reference
                    .ref_location
                    .rsplit('/')
                    .next()
                    .unwrap_or_default();
                if let (Some(schema), 1..) = (self.schemas.get(name), references) {
                    meaning.names.push(name);
                    self.add_meaning(schema, meaning, references - 1);
                }
                return;
            }
            RefOr::T(Schema::OneOf(one_of)) => &one_of.items,
            RefOr::T(Schema::AllOf(all_of)) => &all_of.items,
            RefOr::T(Schema::AnyOf(any_of)) => &any_of.items,
            RefOr::T(plain) => {
                meaning.schemas.push(plain);
                return;
            }
        };
        for part in parts {
            self.add_meaning(part, meaning, references);
        }
    }
}

impl<'a> Meaning<'a> {
    fn fields(&self) -> Vec<&'a str> {
        let objects = self.schemas.iter().filter_map(|schema| match schema {
            Schema::Object(object) => Some(object),
            _ => None,
        });
        let names = objects.flat_map(|object| object.properties.keys());
        names.map(String::as_str).collect()
    }
}

/// What all members of an object are whose names are not known.
fn values_of(object: &Object) -> Option<&RefOr<Schema>> {
    match object.additional_properties.as_deref()? {
        AdditionalProperties::RefOr(values) => Some(values),
        AdditionalProperties::FreeForm(_) => None,
    }
}

fn operations(item: &PathItem) -> impl Iterator<Item = (Method, &path::Operation)> {
    let all = [
        (Method::GET, &item.get),
        (Method::PUT, &item.put),
        (Method::POST, &item.post),
        (Method::DELETE, &item.delete),
        (Method::PATCH, &item.patch),
    ];
    all.into_iter()
        .filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
}

fn parameters_of(described: &path::Operation) -> Vec<String> {
    let all = described.parameters.iter().flatten();
    let named = all.filter_map(|parameter| match parameter {
        RefOr::T(parameter) => Some(parameter),
        RefOr::Ref(_) => None,
    });
    let in_query = named.filter(|parameter| parameter.parameter_in == ParameterIn::Query);
    in_query.map(|parameter| parameter.name.clone()).collect()
}

fn body_of(described: &path::Operation) -> Option<RefOr<Schema>> {
    match described.request_body.as_ref()? {
        RefOr::T(body) => body.content.values().find_map(in_content).cloned(),
        RefOr::Ref(_) => None,
    }
}

fn schema_of(answer: &RefOr<Response>) -> Option<&RefOr<Schema>> {
    match answer {
        RefOr::T(answer) => answer.content.values().find_map(in_content),
        RefOr::Ref(_) => None,
    }
}

fn in_content(content: &RefOr<Content>) -> Option<&RefOr<Schema>> {
    match content {
        RefOr::T(content) => content.schema.as_ref(),
        RefOr::Ref(_) => None,
    }
}
