//! A flag that greets, by which a test sees which version a client holds.

use halyard::{Client, Context, snapshot::Flag};

use crate::sample::flag;

pub(crate) fn greeting(client: &Client) -> String {
    client
        .string("greeting", &Context::new("user-1"), "none")
        .to_string()
}

pub(crate) fn says(value: &str) -> Flag {
    flag("greeting", &format!("{value:?}"))
}
