//! Flags as files: checked and tested without a service.

mod cases;
pub(super) mod project;
mod schema;
mod test;
#[cfg(test)]
mod tests;
mod validate;

pub(super) use {schema::schema, test::test, validate::validate};
