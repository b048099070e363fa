//! Instructions in an invitation: commands to be pasted into a shell, which need nothing but the API.

use std::fmt::Write;

use minijinja::{Value, context};

/// The commands by which the recipient gets in.
pub(super) fn commands(api: &str, email: &str, org_id: &str) -> Value {
    let email = ("email", email);
    let password = ("password", "YOUR PASSWORD");
    context! {
        initiate => post(api, "initiate-signup", &[email, ("name", "YOUR NAME"), password]),
        complete => post(api, "complete-signup", &[email, ("otp", "THE CODE")]),
        forgot => post(api, "forgot-password", &[email]),
        reset => post(
            api,
            "reset-password",
            &[email, ("otp", "THE CODE"), ("new_password", "YOUR PASSWORD")],
        ),
        login => post(api, "login", &[email, password, ("org_id", org_id)]),
    }
}

/// A command that posts JSON to a sign-in endpoint. Field values cannot end the quoting.
fn post(api: &str, endpoint: &str, fields: &[(&str, &str)]) -> String {
    let mut command = format!(
        "curl -X POST '{api}/v1/auth/{endpoint}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{{"
    );
    for (number, (name, value)) in fields.iter().enumerate() {
        let between = if number == 0 { "" } else { ",\n       " };
        let (name, value) = (quoted(name), quoted(value));
        write!(command, "{between}{name}: {value}").expect("writing to a string cannot fail");
    }
    command.push_str("}'");
    command
}

/// JSON without single quotes, so that a shell takes it literally between single quotes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\'', "\\u0027")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_posts_json() {
        let fields = [("email", "ada@example.com"), ("otp", "THE CODE")];
        let command = post("https://a.example", "login", &fields);
        let expected = "\
curl -X POST 'https://a.example/v1/auth/login' \\
  -H 'Content-Type: application/json' \\
  -d '{\"email\": \"ada@example.com\",
       \"otp\": \"THE CODE\"}'";
        assert_eq!(command, expected);
    }

    #[test]
    fn nothing_in_an_address_ends_the_quoting() {
        let address = "o'neil\"$(reboot)`\\@example.com";
        let command = post("https://a.example", "login", &[("email", address)]);
        assert_eq!(command.matches('\'').count(), 6);
        let (_, body) = command.split_once("-d '").unwrap();
        let body: serde_json::Value = serde_json::from_str(body.trim_end_matches('\'')).unwrap();
        assert_eq!(body["email"], address);
    }
}
