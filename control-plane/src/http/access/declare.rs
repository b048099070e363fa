//! From a handler's signature to the API document: who may call (`x-access`), and how each argument refuses.
//!
//! The arguments are what enforces the rules, so what the document says about them cannot differ from what happens.

use axum::{extract::State, handler::Handler, http::HeaderMap};
use serde_json::json;
use serving::{
    body::{AnyBody, Body, JSON, RawBody},
    page::Page,
    params::{Path, Query},
};
use utoipa::openapi::{
    ContentBuilder, Ref, RefOr, Response, ResponseBuilder, SecurityRequirement,
    extensions::ExtensionsBuilder,
    path::{Operation, PathItem},
};
use utoipa_axum::router::UtoipaMethodRouter;

use super::{AllRoles, Allowed, PlanGate, Roles, ScimClient};
use crate::{
    http::{
        openapi::SCIM_TOKEN,
        rates::{GatewayCaller, Inquirer, OrgRate, SignIn},
    },
    orgs,
    roles::keys::Permission,
    scim::routes::{MEDIA_TYPE, ScimBody},
    state::AppState,
    usage::model::Part,
};

/// The router of these handlers, each described by its arguments.
macro_rules! endpoints {
    ($($handler:ident $(:: $part:ident)*),+ $(,)?) => {
        utoipa_axum::router::OpenApiRouter::new()
            $(.routes($crate::http::access::declare::declare(
                utoipa_axum::routes!($handler $(:: $part)*),
                $handler $(:: $part)*,
            )))+
    };
}
pub(crate) use endpoints;

/// Adds to the operations of a handler's routes what its arguments say.
pub fn declare<H, T>(mut routes: UtoipaMethodRouter<AppState>, _: H) -> UtoipaMethodRouter<AppState>
where
    H: Handler<T, AppState>,
    T: Arguments,
{
    for item in routes.1.paths.values_mut() {
        operations(item).for_each(T::describe);
    }
    routes
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem {
        get,
        put,
        post,
        delete,
        patch,
        ..
    } = item;
    [get, put, post, delete, patch].into_iter().flatten()
}

/// An argument of a handler.
pub trait Argument {
    /// Writes what it asks for and how it refuses.
    fn describe(operation: &mut Operation);
}

/// All arguments of a handler, as axum names them: a marker, then each.
pub trait Arguments {
    /// Lets each describe itself.
    fn describe(operation: &mut Operation);
}

macro_rules! arguments {
    ($($argument:ident)*) => {
        impl<M, $($argument: Argument),*> Arguments for (M, $($argument,)*) {
            fn describe(operation: &mut Operation) {
                $($argument::describe(operation);)*
                name_error_bodies(operation);
            }
        }
    };
}

arguments!();
arguments!(A);
arguments!(A B);
arguments!(A B C);
arguments!(A B C D);
arguments!(A B C D E);

impl<R: Roles, K: Permission, P: PlanGate, L: OrgRate> Argument for Allowed<R, K, P, L> {
    fn describe(operation: &mut Operation) {
        operation.security = Some(vec![SecurityRequirement::new("bearer", [""; 0])]);
        let roles: Vec<_> = R::ALLOWED.iter().map(|role| role.as_str()).collect();
        let access = json!({
            "roles": roles,
            "permissions": K::NEEDS.keys(),
            "plan": P::FEATURE.map(|feature| feature.plan.as_str()),
        });
        let access = ExtensionsBuilder::new().add("x-access", access).build();
        match &mut operation.extensions {
            Some(extensions) => extensions.merge(access),
            none => *none = Some(access),
        }
        refuses(operation, 401, "no valid token");
        refuses(operation, 403, "the organization is deleted");
        if R::ALLOWED.len() < AllRoles::ALLOWED.len() || !K::NEEDS.keys().is_empty() {
            let refusal = "the member's role or custom role does not allow it";
            refuses(operation, 403, refusal);
        }
        refuses(operation, 429, "too many requests of the organization");
        if let Some(feature) = P::FEATURE {
            refuses(operation, 402, feature.refusal);
        }
    }
}

/// A SCIM token, which belongs to an organization and to no member of it.
impl Argument for ScimClient {
    fn describe(operation: &mut Operation) {
        operation.security = Some(vec![SecurityRequirement::new(SCIM_TOKEN, [""; 0])]);
        let feature = &orgs::SCIM;
        let access = json!({"roles": [], "permissions": [], "plan": feature.plan.as_str()});
        let access = ExtensionsBuilder::new().add("x-access", access).build();
        operation.extensions.get_or_insert_default().merge(access);
        refuses(operation, 401, "no valid SCIM token");
        refuses(operation, 403, "the organization is deleted");
        refuses(operation, 429, "too many requests of the organization");
        refuses(operation, 402, feature.refusal);
    }
}

impl Argument for ScimBody {
    fn describe(operation: &mut Operation) {
        RawBody::describe(operation);
    }
}

impl<T> Argument for State<T> {
    fn describe(_: &mut Operation) {}
}

impl<T> Argument for Path<T> {
    fn describe(operation: &mut Operation) {
        let responses = &mut operation.responses.responses;
        responses
            .entry("404".to_owned())
            .or_insert_with(|| response("unknown"));
    }
}

impl Argument for Page {
    fn describe(_: &mut Operation) {}
}

impl Argument for Part {
    fn describe(_: &mut Operation) {}
}

impl<T> Argument for Query<T> {
    fn describe(operation: &mut Operation) {
        refuses(operation, 400, "a parameter breaks a rule");
    }
}

/// A query that the handler refuses itself.
impl<T, E> Argument for Result<Query<T>, E> {
    fn describe(operation: &mut Operation) {
        Query::<T>::describe(operation);
    }
}

impl<T> Argument for Body<T> {
    fn describe(operation: &mut Operation) {
        RawBody::describe(operation);
    }
}

impl Argument for RawBody {
    fn describe(operation: &mut Operation) {
        refuses(operation, 400, "the body breaks a rule");
        refuses(operation, 408, "the body took too long");
        refuses(operation, 413, "the body is larger than 1 MiB");
        refuses(operation, 415, "the body is not JSON");
    }
}

impl<const LIMIT: usize> Argument for AnyBody<LIMIT> {
    fn describe(operation: &mut Operation) {
        refuses(operation, 408, "the body took too long");
        let reason = format!("the body is larger than {} KiB", LIMIT / 1024);
        refuses(operation, 413, &reason);
    }
}

impl Argument for HeaderMap {
    fn describe(_: &mut Operation) {}
}

macro_rules! rated_by_address {
    ($($client:ty),+) => {$(
        impl Argument for $client {
            fn describe(operation: &mut Operation) {
                refuses(operation, 429, "too many requests from this address");
            }
        }
    )+};
}

rated_by_address!(SignIn, Inquirer, GatewayCaller);

/// Adds a reason to what the handler's own description says of a status, or names the status.
fn refuses(operation: &mut Operation, status: u16, reason: &str) {
    let responses = &mut operation.responses.responses;
    match responses.get_mut(&status.to_string()) {
        Some(RefOr::T(named)) => named.description = format!("{}; or {reason}", named.description),
        Some(RefOr::Ref(_)) => {}
        None => {
            responses.insert(status.to_string(), response(reason));
        }
    }
}

fn response(description: &str) -> RefOr<Response> {
    ResponseBuilder::new().description(description).into()
}

/// Every refusal has the same body, but for those of SCIM.
fn name_error_bodies(operation: &mut Operation) {
    let scim_token = SecurityRequirement::new(SCIM_TOKEN, [""; 0]);
    let is_scim = |security: &Vec<SecurityRequirement>| security.contains(&scim_token);
    let (media_type, schema) = if operation.security.as_ref().is_some_and(is_scim) {
        (MEDIA_TYPE, "ScimErrorBody")
    } else {
        (JSON, "ErrorBody")
    };
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response
            && status.as_str() >= "400"
            && response.content.is_empty()
        {
            let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema)));
            response
                .content
                .insert(media_type.to_owned(), body.build().into());
        }
    }
}
