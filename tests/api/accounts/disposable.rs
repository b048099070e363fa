//! Addresses that nobody keeps.

use std::collections::BTreeMap;

use control_plane::config::Settings;
use harness::App;
use serde_json::json;

use super::registration_with;

const REFUSAL: &str = "disposable email addresses are not accepted";

#[tokio::test]
async fn disposable_domains_and_those_below_them_are_refused_on_both_ways_to_sign_up() {
    let app = App::start().await;
    for email in ["ada@mailinator.com", "ada@mx.Mailinator.com"] {
        for path in ["/v1/auth/register", "/v1/auth/initiate-signup"] {
            let body = registration_with("email", json!(email));
            app.anonymous()
                .post(path, body)
                .await
                .expect_error(400, REFUSAL);
        }
    }
}

#[tokio::test]
async fn an_installation_names_more_domains_in_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "one.example\nThrow.Example\n").unwrap();
    let path = file.path().to_str().unwrap();
    let app = App::start_with(&[("DISPOSABLE_EMAIL_DOMAINS", path)]).await;
    for (email, status) in [
        ("ada@one.example", 400),
        ("ada@mail.throw.example", 400),
        ("ada@mailinator.com", 400),
        ("ada@two.example", 200),
    ] {
        let body = registration_with("email", json!(email));
        let answer = app.anonymous().post("/v1/auth/initiate-signup", body).await;
        answer.expect_status(status);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_a_problem_of_the_settings() {
    let source = BTreeMap::from([(
        "DISPOSABLE_EMAIL_DOMAINS".to_owned(),
        "/nowhere/domains.txt".to_owned(),
    )]);
    let problems = Settings::load(&source).unwrap_err().to_string();
    assert!(
        problems.contains("DISPOSABLE_EMAIL_DOMAINS `/nowhere/domains.txt`"),
        "{problems}"
    );
}
