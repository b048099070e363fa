//! From the type of a handler's answer to the API document: the headers of a success, and related answers.

use axum::{
    Json,
    http::{HeaderName, HeaderValue, StatusCode},
    response::Response,
};
use serving::document::{
    self, ACKNOWLEDGED, ETAG, LAGGING, LINK, SNAPSHOT_VERSION, WARNINGS, answers, carries,
};
use utoipa::openapi::{
    ObjectBuilder, RefOr, Required, Type,
    path::{Operation, Parameter, ParameterBuilder, ParameterIn},
};

use crate::http::{
    fields::COMMENT, part::NextPart, published::Published, tags::Tagged, warned::Warned,
};

/// The type of a handler's answer, or of a part of it.
pub trait Answer {
    /// Adds its description, if the handler's own does not cover it.
    fn describe(_: &mut Operation) {}
}

impl Answer for StatusCode {}
impl Answer for Response {}
impl<T> Answer for Json<T> {}
impl<const N: usize> Answer for [(HeaderName, HeaderValue); N] {}

/// Refusals are described by the arguments that refuse.
impl<T: Answer, E> Answer for Result<T, E> {
    fn describe(operation: &mut Operation) {
        T::describe(operation);
    }
}

impl<A: Answer, B: Answer> Answer for (A, B) {
    fn describe(operation: &mut Operation) {
        A::describe(operation);
        B::describe(operation);
    }
}

impl<A: Answer, B: Answer, C: Answer> Answer for (A, B, C) {
    fn describe(operation: &mut Operation) {
        <(A, B)>::describe(operation);
        C::describe(operation);
    }
}

impl<A: Answer, B: Answer, C: Answer, D: Answer> Answer for (A, B, C, D) {
    fn describe(operation: &mut Operation) {
        <(A, B)>::describe(operation);
        <(C, D)>::describe(operation);
    }
}

/// A change served by edges.
impl Answer for Published {
    fn describe(operation: &mut Operation) {
        successes_carry(operation, &[SNAPSHOT_VERSION, ACKNOWLEDGED, LAGGING]);
        let edges = ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(["edges"]))
            .build();
        let wait = ParameterBuilder::new()
            .name("wait")
            .parameter_in(ParameterIn::Query)
            .required(Required::False)
            .description(Some(
                "`edges`: answer when all connected edges serve the change, and name them in the headers.",
            ))
            .schema(Some(edges))
            .build();
        let parameters = operation.parameters.get_or_insert_default();
        parameters.push(RefOr::T(wait));
        parameters.push(RefOr::T(comment()));
        document::refuses(
            operation,
            400,
            "the comment is too long, or not one line of plain text",
        );
        document::refuses(operation, 429, "too many writes wait for edges");
        document::refuses(operation, 503, "the writes of others wait for edges");
    }
}

/// Why the change is made.
fn comment() -> Parameter {
    let text = ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(500))
        .examples(["Black Friday is over"])
        .build();
    ParameterBuilder::new()
        .name(COMMENT)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(
            "Why the change is made, in one line: kept in the audit entry and in the flag's history, and sent to webhooks.",
        ))
        .schema(Some(text))
        .build()
}

impl Answer for Warned {
    fn describe(operation: &mut Operation) {
        successes_carry(operation, &[WARNINGS]);
    }
}

impl<T> Answer for Tagged<T> {
    fn describe(operation: &mut Operation) {
        successes_carry(operation, &[ETAG]);
    }
}

impl Answer for NextPart {
    fn describe(operation: &mut Operation) {
        successes_carry(operation, &[LINK]);
    }
}

/// Adds these headers to every success.
pub fn successes_carry(operation: &mut Operation, names: &[&str]) {
    for (status, response) in answers(operation) {
        if status.starts_with('2') {
            carries(response, names);
        }
    }
}
