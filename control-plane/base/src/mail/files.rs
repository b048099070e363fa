//! The files that emails are made of, compiled in: `<kind>.txt` and `<kind>.html` for every email, one HTML layout for
//! all, and the parts that several emails share.

use std::{fmt::Write, sync::LazyLock};

use minijinja::{
    AutoEscape, Environment, Error, Output, State, UndefinedBehavior, Value, escape_formatter,
};

macro_rules! templates {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("templates/", $name)))),*]
    };
}

/// Renders a file.
///
/// # Panics
/// When the file does not exist, or uses a name that is not in `values`: a test renders every email.
pub(super) fn fill(name: &str, values: &Value) -> String {
    TEMPLATES
        .get_template(name)
        .and_then(|template| template.render(values))
        .expect("a test renders every mail")
}

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_formatter(write_escaped);
    for (name, source) in templates![
        "layout.html",
        "parts.html",
        "signup_code.html",
        "signup_code.txt",
        "welcome.html",
        "welcome.txt",
        "verification.html",
        "verification.txt",
        "invitation.html",
        "invitation.txt",
        "password_reset.html",
        "password_reset.txt",
        "payment_failed.html",
        "payment_failed.txt",
        "trial_ending.html",
        "trial_ending.txt",
        "trial_ended.html",
        "trial_ended.txt",
        "subscription_canceled.html",
        "subscription_canceled.txt",
        "payment_due.html",
        "payment_due.txt",
        "paid_twice.html",
        "paid_twice.txt",
        "payment_not_credited.html",
        "payment_not_credited.txt",
        "deletion_warning.html",
        "deletion_warning.txt",
        "organization_deleted.html",
        "organization_deleted.txt",
        "purge_warning.html",
        "purge_warning.txt",
        "approval_requested.html",
        "approval_requested.txt",
        "approval_decided.html",
        "approval_decided.txt",
        "sales_inquiry.html",
        "sales_inquiry.txt",
        "address_changed.html",
        "address_changed.txt",
        "lockout_notice.html",
        "lockout_notice.txt",
        "session_ended.html",
        "session_ended.txt",
        "domain_record.html",
        "domain_record.txt",
    ] {
        environment
            .add_template(name, source)
            .expect("a test parses every template");
    }
    environment
});

/// Escapes in HTML all text that does not come from our own files. minijinja's own escaping is not used because it also escapes
/// slashes: links written like that look disguised to mail filters.
fn write_escaped(
    out: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), Error> {
    if *state.auto_escape() != AutoEscape::Html || value.is_safe() {
        return escape_formatter(out, state, value);
    }
    for character in value.to_string().chars() {
        match character {
            '&' => out.write_str("&amp;"),
            '<' => out.write_str("&lt;"),
            '>' => out.write_str("&gt;"),
            '"' => out.write_str("&quot;"),
            '\'' => out.write_str("&#39;"),
            other => out.write_char(other),
        }?;
    }
    Ok(())
}
