//! What identity providers send: filters, paths, users and patches.

use std::sync::LazyLock;

use domain::scim::{
    fields::Fields,
    filter::Filter,
    input::Wanted,
    model::{Attributes, MAX_EMAILS},
    patch::Edits,
    path::Target,
    projection::Projection,
};
use serde_json::json;

static ADA: LazyLock<Attributes> = LazyLock::new(|| {
    let user = json!({
        "userName": "ada", "externalId": "1", "name": {"givenName": "Ada"},
        "emails": [{"value": "ada@example.com", "type": "work", "primary": true}, {"value": "ada@example.org"}],
    });
    let wanted = Wanted::check(Fields::of("user", user).unwrap()).unwrap();
    wanted.into_new().unwrap().attributes
});

pub(crate) fn run(bytes: &[u8]) {
    let (kind, rest) = crate::choice(bytes);
    match kind % 5 {
        0 => drop(Filter::parse(&crate::text(rest))),
        1 => drop(Target::parse(&crate::text(rest))),
        2 => drop(Projection::parse(Some(&crate::text(rest)), None)),
        3 => {
            if let Ok(user) = serde_json::from_slice::<Fields>(rest)
                && let Ok(wanted) = Wanted::check(user)
                && let Ok(user) = wanted.into_new()
            {
                is_within_bounds(&user.attributes);
            }
        }
        _ => patch(rest),
    }
}

fn patch(body: &[u8]) {
    let Ok(body) = serde_json::from_slice::<Fields>(body) else {
        return;
    };
    let Ok(edits) = Edits::check(body) else {
        return;
    };
    if let Ok((attributes, _)) = edits.apply(&ADA, true) {
        is_within_bounds(&attributes);
    }
}

fn is_within_bounds(attributes: &Attributes) {
    let emails = &attributes.emails.0;
    assert!(emails.len() <= MAX_EMAILS);
    assert!(emails.iter().filter(|email| email.primary).count() <= 1);
}
