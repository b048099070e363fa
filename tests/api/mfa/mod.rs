//! The second factor: enrolling an authenticator, signing in with it, switching it off.

mod disable;
mod enrolment;
mod login;

use harness::{App, Authenticator, Response, User};
use serde_json::{Value, json};

/// What an enrolment showed.
pub struct Enrolled {
    phone: Authenticator,
    backup_codes: Vec<String>,
}

/// Enrols an authenticator that is not verified yet.
async fn enable(user: &User) -> Enrolled {
    let answer = user.act("/v1/auth/mfa/enable", Value::Null).await;
    let codes = answer.body["backup_codes"].as_array().unwrap();
    Enrolled {
        phone: Authenticator::new(&answer.text("/secret")),
        backup_codes: codes
            .iter()
            .map(|code| code.as_str().unwrap().to_owned())
            .collect(),
    }
}

/// The same, verified. The code of this step is used by it.
pub async fn activate(app: &App, user: &User) -> Enrolled {
    let enrolled = enable(user).await;
    let code = enrolled.phone.code(app.clock.now());
    verify(user, &code).await.expect_status(200);
    enrolled
}

async fn verify(user: &User, code: &str) -> Response {
    user.post("/v1/auth/mfa/verify", json!({"code": code}))
        .await
}

/// A login with the right password.
async fn login(app: &App, user: &User, mfa_code: Option<&str>) -> Response {
    let body =
        json!({"email": user.email, "password": harness::user::PASSWORD, "mfa_code": mfa_code});
    app.anonymous().post("/v1/auth/login", body).await
}

async fn is_enabled(user: &User) -> bool {
    let answer = user.get("/v1/auth/mfa/status").await;
    answer.expect_status(200);
    answer.body["enabled"].as_bool().unwrap()
}
