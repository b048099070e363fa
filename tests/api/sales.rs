//! Sales inquiries: stored, mailed to whoever sells, and bounded.

use std::time::Duration;

use harness::{App, Response};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

const PATH: &str = "/v1/sales/inquiry";
const SALES: &str = "sales@halyard.test";

fn inquiry() -> Value {
    json!({
        "contact_name": "Ada Lovelace", "email": " Ada@Engines.test ", "company": "Analytical Engines",
        "team_size": "11-50", "message": "Hello,\n\nwe need <many> flags.\r\nAda",
    })
}

fn with(field: &str, value: Value) -> Value {
    let mut body = inquiry();
    body[field] = value;
    body
}

async fn ask(app: &App, body: Value) -> Response {
    app.anonymous().post(PATH, body).await
}

/// Every stored inquiry.
async fn stored(app: &App) -> Vec<Value> {
    sqlx::query_scalar(
        "SELECT to_jsonb(i) - 'id' - 'created_at' FROM sales_inquiries i ORDER BY id",
    )
    .fetch_all(app.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn an_inquiry_is_stored_and_mailed() {
    let app = App::start_with(&[("SALES_NOTIFY_EMAIL", SALES)]).await;
    ask(&app, inquiry())
        .await
        .expect(201, json!({"message": "inquiry received"}));

    let expected = with("email", json!("ada@engines.test"));
    assert_eq!(stored(&app).await, [expected]);
    let mails = app.mails().await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].to, SALES);
    assert_eq!(mails[0].subject, "Sales inquiry from Analytical Engines");
    let text = mails[0].text.replace("\r\n", "\n");
    assert_eq!(
        text.trim_end(),
        "Ada Lovelace of Analytical Engines asks about Halyard.\n\n\
         E-mail: ada@engines.test\nTeam size: 11-50\n\n\
         > Hello,\n> \n> we need <many> flags.\n> Ada\n\n\
         You get this mail because sales inquiries are sent to this address."
    );
    assert!(mails[0].html.contains("we need &lt;many&gt; flags.<br>Ada"));
}

#[tokio::test]
async fn an_inquiry_is_stored_when_there_is_nobody_to_mail_it_to() {
    let app = App::start().await;
    ask(&app, inquiry()).await.expect_status(201);
    assert_eq!(stored(&app).await.len(), 1);
    assert!(app.mails().await.is_empty());
}

#[tokio::test]
async fn team_size_and_message_may_be_missing() {
    let app = App::start().await;
    let required =
        json!({"contact_name": "Ada", "email": "ada@engines.test", "company": "Engines"});
    ask(&app, required.clone()).await.expect_status(201);
    let mut nulls = required.clone();
    nulls["team_size"] = Value::Null;
    nulls["message"] = Value::Null;
    ask(&app, nulls).await.expect_status(201);

    let mut expected = required;
    expected["team_size"] = "".into();
    expected["message"] = "".into();
    assert_eq!(stored(&app).await, [expected.clone(), expected]);
}

#[tokio::test]
async fn fields_up_to_their_bounds_are_accepted() {
    let app = App::start().await;
    let mut body = with("message", "ü".repeat(2_000).into());
    for field in ["contact_name", "company", "team_size"] {
        body[field] = "ü".repeat(255).into();
    }
    ask(&app, body).await.expect_status(201);
}

#[tokio::test]
async fn an_inquiry_that_breaks_a_rule_is_refused_and_not_stored() {
    let app = App::start_with(&[("SALES_NOTIFY_EMAIL", SALES)]).await;
    for field in ["contact_name", "email", "company"] {
        let missing = format!("{field} is required");
        for value in [Value::Null, json!(""), json!(" \t")] {
            ask(&app, with(field, value))
                .await
                .expect_error(400, &missing);
        }
    }
    for field in ["contact_name", "company", "team_size"] {
        let too_long = format!("{field} must have at most 255 characters");
        ask(&app, with(field, "a".repeat(256).into()))
            .await
            .expect_error(400, &too_long);
        let control = format!("{field} must not contain control characters");
        for text in ["a\r\nBcc: eve@example.com", "a\u{7}", "a\u{2028}b"] {
            ask(&app, with(field, json!(text)))
                .await
                .expect_error(400, &control);
        }
        ask(&app, with(field, json!(7))).await.expect_status(400);
    }
    for email in [
        "ada",
        "ada@engines",
        "ada@engines.test\nBcc: eve@example.com",
    ] {
        ask(&app, with("email", json!(email)))
            .await
            .expect_error(400, "invalid email");
    }
    ask(&app, with("message", "a".repeat(2_001).into()))
        .await
        .expect_error(400, "message must have at most 2000 characters");
    ask(&app, with("message", json!("a\u{1b}[2J")))
        .await
        .expect_error(
            400,
            "message must not contain control characters other than tabs and line breaks",
        );
    assert!(stored(&app).await.is_empty());
    assert!(app.mails().await.is_empty());
}

#[tokio::test]
async fn a_body_that_is_no_json_or_too_large_is_refused() {
    let app = App::start().await;
    let caller = app.anonymous();
    let send = async |kind: &str, body: String| {
        let request = caller
            .request(Method::POST, PATH)
            .header(CONTENT_TYPE, kind);
        caller.send(request.body(body)).await
    };
    send("text/plain", inquiry().to_string())
        .await
        .expect_error(415, "content type must be application/json");
    send("application/json", "{".to_owned())
        .await
        .expect_status(400);
    send(
        "application/json",
        with("message", "a".repeat(1 << 20).into()).to_string(),
    )
    .await
    .expect_error(413, "request body is too large");
    assert!(stored(&app).await.is_empty());
}

#[tokio::test]
async fn inquiries_of_one_address_are_limited() {
    let app = App::start_with(&[("TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    let caller = app.anonymous();
    let from = async |address: &str| {
        let request = caller.request(Method::POST, PATH);
        let request = request.header("x-forwarded-for", address).json(&inquiry());
        caller.send(request).await
    };
    for left in (0..30).rev() {
        let taken = from("198.51.100.1").await;
        taken.expect_status(201);
        assert_eq!(taken.header("x-ratelimit-limit"), "30");
        assert_eq!(taken.header("x-ratelimit-remaining"), left.to_string());
    }
    let refused = from("198.51.100.1").await;
    refused.expect_error(429, "rate limit exceeded");
    assert_eq!(refused.header("retry-after"), "2");
    assert_eq!(refused.header("x-ratelimit-remaining"), "0");
    assert_eq!(
        refused.header("x-ratelimit-reset"),
        (app.clock.now().unix_timestamp() + 60).to_string()
    );
    from("198.51.100.2").await.expect_status(201);

    app.clock.advance(Duration::from_secs(2));
    from("198.51.100.1").await.expect_status(201);
}
