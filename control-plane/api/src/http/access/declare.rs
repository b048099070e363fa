//! From a handler's signature to the API document: who may call (`x-access`), and how each argument refuses.
//!
//! The arguments enforce the rules, so the document cannot differ from the behaviour.

use axum::{
    Extension,
    extract::{RawQuery, State},
    handler::Handler,
    http::HeaderMap,
};
use serde_json::json;
use serving::{
    body::{AnyBody, Body, LateBody, RawBody},
    document::{self, CHALLENGE, ETAG, IGNORED_FIELDS, refuses},
    page::Page,
    params::{Path, Query},
};
use utoipa::openapi::{
    ObjectBuilder, RefOr, Required, SecurityRequirement, Type,
    extensions::ExtensionsBuilder,
    path::{Operation, ParameterBuilder, ParameterIn},
};
use utoipa_axum::router::UtoipaMethodRouter;

use super::{AllRoles, Allowed, PlanGate, Roles, ScimClient, answer::Answer};
use crate::{
    http::{
        device::FromDevice,
        openapi::{BEARER, SCIM_TOKEN},
        part::AskedPart,
        rates::{GatewayCaller, Inquirer, OrgRate, SignIn},
        tags::{IfMatch, IfNoneMatch},
    },
    scim::{MEDIA_TYPE, ScimBody},
    state::AppState,
};
use domain::{orgs, roles::keys::Permission};

const IF_MATCH: &str = "If-Match";

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

/// Adds the descriptions of a handler's arguments and answer to the operations of its routes.
pub fn declare<H, T>(mut routes: UtoipaMethodRouter<AppState>, _: H) -> UtoipaMethodRouter<AppState>
where
    H: Handler<T, AppState> + Described<T>,
{
    let mut is_untagged = false;
    for item in routes.1.paths.values_mut() {
        let is_read = item.get.is_some();
        for operation in document::operations(item) {
            H::describe(operation);
            is_untagged |= !is_read && needs(operation, BEARER) && !compares_tag(operation);
            if is_untagged {
                refuses(
                    operation,
                    400,
                    "`If-Match` is given, and the changed thing has no tag",
                );
            }
            complete(operation);
        }
    }
    if is_untagged {
        routes.2 = routes.2.layer(Extension(Untagged));
    }
    routes
}

/// Whether callers authenticate by this scheme.
pub fn needs(operation: &Operation, scheme: &str) -> bool {
    let needed = SecurityRequirement::new(scheme, [""; 0]);
    let mut schemes = operation.security.iter().flatten();
    schemes.any(|one| *one == needed)
}

fn compares_tag(operation: &Operation) -> bool {
    let mut parameters = operation.parameters.iter().flatten();
    parameters.any(|one| matches!(one, RefOr::T(one) if one.name == IF_MATCH))
}

/// The changed thing has no tag to compare.
#[derive(Clone, Copy, Debug)]
pub struct Untagged;

/// An argument of a handler.
pub trait Argument {
    /// Describes its requirements and refusals, if any.
    fn describe(_: &mut Operation) {}
}

/// A handler, with its argument types as axum names them: a marker, then each.
pub trait Described<T> {
    /// Describes each argument, then the answer.
    fn describe(operation: &mut Operation);
}

macro_rules! handlers {
    ($($argument:ident)*) => {
        impl<F, Fut, R, M, $($argument),*> Described<(M, $($argument,)*)> for F
        where
            F: FnOnce($($argument),*) -> Fut,
            Fut: Future<Output = R>,
            R: Answer,
            $($argument: Argument,)*
        {
            fn describe(operation: &mut Operation) {
                $($argument::describe(operation);)*
                R::describe(operation);
            }
        }
    };
}

handlers!();
handlers!(A);
handlers!(A B);
handlers!(A B C);
handlers!(A B C D);
handlers!(A B C D E);
handlers!(A B C D E G);
handlers!(A B C D E G H);
handlers!(A B C D E G H I);

impl<R: Roles, K: Permission, P: PlanGate, L: OrgRate> Argument for Allowed<R, K, P, L> {
    fn describe(operation: &mut Operation) {
        operation.security = Some(vec![SecurityRequirement::new(BEARER, [""; 0])]);
        let roles: Vec<_> = R::ALLOWED.iter().map(|role| role.as_str()).collect();
        let access = json!({
            "roles": roles,
            "permissions": K::NEEDS.keys(),
            "plan": P::FEATURE.map(|feature| feature.plan.as_str()),
        });
        let access = ExtensionsBuilder::new().add("x-access", access).build();
        operation.extensions.get_or_insert_default().merge(access);
        refuses(operation, 401, "no valid token");
        refuses(operation, 403, "the organization is deleted");
        if R::ALLOWED.len() < AllRoles::ALLOWED.len() || !K::NEEDS.keys().is_empty() {
            let refusal = "the member's role or custom role does not allow it";
            refuses(operation, 403, refusal);
        }
        refuses(operation, 429, "too many requests of the organization");
        refuses(operation, 503, "the service is overloaded");
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
        refuses(operation, 503, "the service is overloaded");
        refuses(operation, 402, feature.refusal);
    }
}

impl Argument for ScimBody {
    fn describe(operation: &mut Operation) {
        RawBody::describe(operation);
    }
}

impl<T> Argument for State<T> {}
impl<T> Argument for Extension<T> {}
impl Argument for HeaderMap {}
impl Argument for RawQuery {}
impl Argument for Page {}
impl Argument for AskedPart {}
impl Argument for FromDevice {}

impl<T> Argument for Path<T> {
    fn describe(operation: &mut Operation) {
        let responses = &mut operation.responses.responses;
        responses
            .entry("404".to_owned())
            .or_insert_with(|| document::response("unknown"));
    }
}

impl<T> Argument for Query<T> {
    fn describe(operation: &mut Operation) {
        refuses(operation, 400, "a parameter breaks a rule");
    }
}

impl<T> Argument for Body<T> {
    fn describe(operation: &mut Operation) {
        RawBody::describe(operation);
    }
}

impl Argument for RawBody {
    fn describe(operation: &mut Operation) {
        document::reads_body(operation);
    }
}

impl<const LIMIT: usize> Argument for LateBody<LIMIT> {
    fn describe(operation: &mut Operation) {
        document::reads_large_body(operation, LIMIT);
    }
}

impl<const LIMIT: usize> Argument for AnyBody<LIMIT> {
    fn describe(operation: &mut Operation) {
        refuses(operation, 408, "the body took too long");
        let reason = format!("the body is larger than {} KiB", LIMIT / 1024);
        refuses(operation, 413, &reason);
    }
}

impl Argument for IfMatch {
    fn describe(operation: &mut Operation) {
        let tags = ObjectBuilder::new()
            .schema_type(Type::String)
            .examples(["\"42\""])
            .build();
        let parameter = ParameterBuilder::new()
            .name(IF_MATCH)
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some(
                "The `ETag` of the version that the change is based on, or a list of them: a thing with another one is not changed. `*` or none: changed in any case.",
            ))
            .schema(Some(tags))
            .build();
        let parameters = operation.parameters.get_or_insert_default();
        parameters.push(RefOr::T(parameter));
        refuses(operation, 400, "`If-Match` is not a list of tags");
        refuses(
            operation,
            412,
            "changed meanwhile; `ETag` is the current one",
        );
        for (status, response) in document::answers(operation) {
            if status == "412" {
                document::carries(response, &[ETAG]);
            }
        }
    }
}

impl Argument for IfNoneMatch {
    fn describe(operation: &mut Operation) {
        let star = ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(["*"]))
            .build();
        let parameter = ParameterBuilder::new()
            .name("If-None-Match")
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some(
                "`*`: creates the thing that the path names, with the body of its creation, and changes none that exists.",
            ))
            .schema(Some(star))
            .build();
        let parameters = operation.parameters.get_or_insert_default();
        parameters.push(RefOr::T(parameter));
        refuses(operation, 400, "`If-None-Match` is not `*`");
        refuses(operation, 412, "with `If-None-Match`: exists already");
    }
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

/// Adds bodies of refusals and headers that follow from the description so far.
fn complete(operation: &mut Operation) {
    let is_scim = needs(operation, SCIM_TOKEN);
    let is_members = needs(operation, BEARER);
    if is_scim {
        document::refuses_with(operation, MEDIA_TYPE, "ScimErrorBody");
    } else {
        document::refuses_in_words(operation);
    }
    document::carries_by_status(operation);
    for (status, response) in document::answers(operation) {
        if status == "401" && (is_scim || is_members) {
            document::carries(response, &[CHALLENGE]);
        }
        // Identity providers may send any fields.
        if status.starts_with('2') && !is_scim {
            document::carries(response, &[IGNORED_FIELDS]);
        }
    }
}
