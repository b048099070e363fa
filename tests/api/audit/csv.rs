//! The audit trail as CSV.

use harness::{App, Response, User};
use reqwest::Method;
use serde_json::json;
use sqlx::AssertSqlSafe;

const HEADER: &str = "id,created_at,actor_type,actor_id,actor_name,actor_email,action,resource_type,resource_id,resource_name,\
                      project_id,env_id,comment,ip_address,before_state,after_state,metadata";

async fn csv(user: &User, query: &str) -> Response {
    let request = user
        .request(Method::GET, &format!("/v1/audit?{query}"))
        .header("accept", "text/csv");
    user.send(request).await
}

/// The answer's lines, without the header.
fn lines(answer: &Response) -> Vec<String> {
    answer.expect_status(200);
    assert_eq!(
        answer.header("content-type"),
        "text/csv; charset=utf-8; header=present"
    );
    let text = answer.body.as_str().expect("a text");
    let mut lines = text.split("\r\n").map(str::to_owned);
    assert_eq!(lines.next().as_deref(), Some(HEADER));
    lines.filter(|line| !line.is_empty()).collect()
}

#[tokio::test]
async fn the_same_filters_give_csv_when_it_is_asked_for() {
    let (_app, owner) = App::with_owner().await;
    let path = "/v1/projects";
    owner
        .create(
            path,
            json!({"name": "=HYPERLINK(\"http://x\")", "slug": "shop"}),
        )
        .await;
    let answer = csv(&owner, "action=project.created&q=shop").await;
    let lines = lines(&answer);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains(",user,"), "{}", lines[0]);
    assert!(lines[0].contains(",project.created,project,"));
    assert!(lines[0].contains(",shop,"));
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"audit.csv\""
    );
    assert!(!answer.headers.contains_key("link"));

    for (query, expected) in [("project_id=nonsense", 0), ("action=project.deleted", 0)] {
        let answer = csv(&owner, query).await;
        assert_eq!(self::lines(&answer).len(), expected, "{query}");
    }
    csv(&owner, "from=yesterday")
        .await
        .expect_error(400, "from must be an RFC 3339 date-time");
    csv(&owner, "q=a+b+c+d+e+f")
        .await
        .expect_error(400, "q must have at most 5 words");
}

#[tokio::test]
async fn a_cell_that_begins_like_a_formula_is_no_formula() {
    let (_app, owner) = App::with_owner().await;
    let env = owner.default_project().await.dev;
    let key = json!({"name": "=1+2", "type": "server"});
    let path = format!("/v1/environments/{env}/api-keys");
    owner.create(&path, key).await;
    let answer = csv(&owner, "action=api_key.created").await;
    assert!(lines(&answer)[0].contains(",\"'=1+2\","), "{}", answer.body);
}

#[tokio::test]
async fn parts_of_a_thousand_are_linked_until_all_were_read() {
    let (app, owner) = App::with_owner().await;
    let statement = format!(
        "INSERT INTO audit_entries (id, org_id, actor_type, action, resource_type, created_at)
         SELECT gen_random_uuid(), '{}', 'system', 'flag.killed', 'flag', now() - n * interval '1 s'
         FROM generate_series(1, 2500) AS n",
        owner.org_id
    );
    sqlx::query(AssertSqlSafe(statement))
        .execute(app.pool())
        .await
        .unwrap();
    let mut query = "action=flag.killed".to_owned();
    let mut sizes = Vec::new();
    let mut ids = std::collections::BTreeSet::new();
    loop {
        let answer = csv(&owner, &query).await;
        let lines = lines(&answer);
        sizes.push(lines.len());
        ids.extend(
            lines
                .iter()
                .map(|line| line.split(',').next().unwrap().to_owned()),
        );
        let Some(link) = answer.headers.get("link") else {
            break;
        };
        let link = link.to_str().unwrap();
        let (address, rest) = link.split_once('>').unwrap();
        assert_eq!(rest, "; rel=\"next\"");
        query = address.strip_prefix("</v1/audit?").unwrap().to_owned();
        assert!(query.starts_with("action=flag.killed&before="), "{query}");
    }
    assert_eq!(sizes, [1_000, 1_000, 500]);
    assert_eq!(ids.len(), 2_500);
}

#[tokio::test]
async fn a_part_ends_with_two_megabytes() {
    let (app, owner) = App::with_owner().await;
    let statement = format!(
        "INSERT INTO audit_entries (id, org_id, actor_type, action, resource_type, after_state, created_at)
         SELECT gen_random_uuid(), '{}', 'system', 'flag.killed', 'flag', to_jsonb(repeat('x', 30000)), now()
         FROM generate_series(1, 200) AS n",
        owner.org_id
    );
    sqlx::query(AssertSqlSafe(statement))
        .execute(app.pool())
        .await
        .unwrap();
    let answer = csv(&owner, "action=flag.killed").await;
    let count = lines(&answer).len();
    assert!((60..=75).contains(&count), "{count}");
    assert!(answer.headers.contains_key("link"));
}

#[tokio::test]
async fn json_stays_the_answer_to_those_who_do_not_ask_for_csv_by_name() {
    let (_app, owner) = App::with_owner().await;
    for accept in ["*/*", "application/json", "text/html"] {
        let request = owner
            .request(Method::GET, "/v1/audit")
            .header("accept", accept);
        let answer = owner.send(request).await;
        assert!(
            answer.expect_status(200).body["data"].is_array(),
            "{accept}"
        );
    }
}
