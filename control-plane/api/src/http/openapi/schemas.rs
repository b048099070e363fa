//! Names schemas for developers of clients: pages are `FlagItemPage` and refer to their items' schemas; unreferenced schemas are
//! dropped.

use std::collections::{BTreeMap, BTreeSet};

use serving::document::{answers, operations};
use utoipa::openapi::{
    Content, OpenApi, Ref, RefOr, Schema,
    schema::{AdditionalProperties, ArrayItems},
};

/// utoipa's prefix for generic pages.
const PAGE: &str = "Paged_";
const SCHEMAS: &str = "#/components/schemas/";
/// What a parameter or the introduction describes, and no operation refers to.
const KEPT: [&str; 2] = ["DryRun", "Warning"];

/// Names pages, and drops other unreferenced schemas than `KEPT`.
pub(super) fn tidy(document: &mut OpenApi) {
    name_pages(document);
    let mut kept = BTreeSet::from(KEPT.map(str::to_owned));
    loop {
        let before = kept.len();
        let mut note = |schema: &mut RefOr<Schema>| {
            kept.extend(referred_to(schema).map(str::to_owned));
        };
        of_operations(document, &mut note);
        for name in kept.clone() {
            if let Some(schema) = schemas(document).get_mut(&name) {
                each(schema, &mut |part: &mut RefOr<Schema>| {
                    kept.extend(referred_to(part).map(str::to_owned));
                });
            }
        }
        if kept.len() == before {
            break;
        }
    }
    schemas(document).retain(|name, _| kept.contains(name));
}

/// The name of the referenced schema.
pub(super) fn referred_to(schema: &RefOr<Schema>) -> Option<&str> {
    match schema {
        RefOr::Ref(Ref { ref_location, .. }) => ref_location.strip_prefix(SCHEMAS),
        RefOr::T(_) => None,
    }
}

fn name_pages(document: &mut OpenApi) {
    let all = std::mem::take(schemas(document));
    let names: BTreeSet<_> = all.keys().cloned().collect();
    *schemas(document) = all
        .into_iter()
        .map(|(name, mut schema)| {
            let Some(item) = name.strip_prefix(PAGE) else {
                return (name, schema);
            };
            if names.contains(item) {
                refer_to(item, &mut schema);
            }
            (format!("{item}Page"), schema)
        })
        .collect();
    let mut rename = |schema: &mut RefOr<Schema>| {
        if let RefOr::Ref(Ref { ref_location, .. }) = schema
            && let Some(item) = ref_location
                .strip_prefix(SCHEMAS)
                .and_then(|name| name.strip_prefix(PAGE))
        {
            *ref_location = format!("{SCHEMAS}{item}Page");
        }
    };
    for schema in schemas(document).values_mut() {
        each(schema, &mut rename);
    }
    of_operations(document, &mut rename);
}

/// Replaces the inlined schema of a page's items by a reference.
fn refer_to(item: &str, page: &mut RefOr<Schema>) {
    if let RefOr::T(Schema::Object(page)) = page
        && let Some(RefOr::T(Schema::Array(data))) = page.properties.get_mut("data")
    {
        let item = RefOr::Ref(Ref::from_schema_name(item));
        data.items = ArrayItems::RefOrSchema(Box::new(item));
    }
}

fn schemas(document: &mut OpenApi) -> &mut BTreeMap<String, RefOr<Schema>> {
    &mut document.components.get_or_insert_default().schemas
}

/// Visits every schema of the operations.
fn of_operations(document: &mut OpenApi, call: &mut impl FnMut(&mut RefOr<Schema>)) {
    for item in document.paths.paths.values_mut() {
        for operation in operations(item) {
            for parameter in operation.parameters.iter_mut().flatten() {
                if let RefOr::T(parameter) = parameter
                    && let Some(schema) = &mut parameter.schema
                {
                    each(schema, call);
                }
            }
            if let Some(RefOr::T(body)) = &mut operation.request_body {
                body.content
                    .values_mut()
                    .for_each(|one| of_content(one, call));
            }
            for (_, answer) in answers(operation) {
                let contents = answer.content.values_mut();
                contents.for_each(|one| of_content(one, call));
            }
        }
    }
}

fn of_content(content: &mut RefOr<Content>, call: &mut impl FnMut(&mut RefOr<Schema>)) {
    if let RefOr::T(content) = content
        && let Some(schema) = &mut content.schema
    {
        each(schema, call);
    }
}

/// Visits a schema and its parts.
fn each(schema: &mut RefOr<Schema>, call: &mut impl FnMut(&mut RefOr<Schema>)) {
    call(schema);
    let RefOr::T(schema) = schema else {
        return;
    };
    match schema {
        Schema::Object(object) => {
            let properties = object.properties.values_mut();
            properties.for_each(|property| each(property, call));
            if let Some(others) = &mut object.additional_properties
                && let AdditionalProperties::RefOr(others) = &mut **others
            {
                each(others, call);
            }
        }
        Schema::Array(list) => {
            if let ArrayItems::RefOrSchema(items) = &mut list.items {
                each(items, call);
            }
        }
        Schema::OneOf(parts) => parts.items.iter_mut().for_each(|part| each(part, call)),
        Schema::AllOf(parts) => parts.items.iter_mut().for_each(|part| each(part, call)),
        Schema::AnyOf(parts) => parts.items.iter_mut().for_each(|part| each(part, call)),
        _ => {}
    }
}
