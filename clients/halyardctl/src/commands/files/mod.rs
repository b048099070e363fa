//! Flags as files: checked and tested without a service.

mod cases;
mod project;
mod test;
#[cfg(test)]
mod tests;
mod validate;

pub(super) use {test::test, validate::validate};
