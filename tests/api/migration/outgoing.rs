//! How sources are asked: politely, within bounds, and nobody else.

use std::time::{Duration, Instant};

use harness::source::{CREDENTIAL, Source};
use harness::{App, Receiver, Trouble};
use serde_json::json;

use super::Scene;

const CONNECT: &str = "/v1/migration/connect";
const ANALYZE: &str = "/v1/migration/analyze";

#[tokio::test]
async fn a_source_that_fails_is_asked_four_times_with_growing_pauses() {
    let scene = Scene::set(&["production"]).await;
    for status in [429, 500, 503] {
        let before = scene.source.asked().len();
        scene.source.trouble(vec![Trouble::status(status); 4]);
        let failed = scene.owner.post(CONNECT, scene.body()).await;
        failed.expect_error(502, &format!("the source answered {status}"));
        let times: Vec<Instant> = scene.source.asked()[before..]
            .iter()
            .map(|(at, _)| *at)
            .collect();
        assert_eq!(times.len(), 4, "{status}");
        for (pair, pause) in times.windows(2).zip([100, 200, 400]) {
            let waited = pair[1] - pair[0];
            assert!(
                waited >= Duration::from_millis(pause),
                "{waited:?} instead of {pause} ms"
            );
        }
    }
    scene.source.trouble(vec![Trouble::status(503); 3]);
    scene.owner.act(CONNECT, scene.body()).await;
}

#[tokio::test]
async fn a_source_that_asks_for_time_gets_it() {
    let scene = Scene::set(&["production"]).await;
    let in_a_second = Trouble::Status(429, vec![("retry-after", "1".to_owned())], "{}".to_owned());
    let before = Instant::now();
    scene.source.trouble([in_a_second]);
    scene.owner.act(CONNECT, scene.body()).await;
    assert!(before.elapsed() >= Duration::from_secs(1));

    // Nobody waits for an hour: the request fails at once.
    let in_an_hour = Trouble::Status(
        429,
        vec![("retry-after", "3600".to_owned())],
        "{}".to_owned(),
    );
    let before = Instant::now();
    scene.source.trouble([in_an_hour]);
    let failed = scene.owner.post(CONNECT, scene.body()).await;
    failed.expect_error(502, "the source answered 429");
    assert!(before.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_source_is_asked_at_most_50_times_a_second() {
    let scene = Scene::set(&["production"]).await;
    for number in 0..8_000 {
        scene.source.flag(&format!("flag-{number}"), json!({}));
    }
    scene.owner.act("/v1/migration/analyze", scene.body()).await;
    let times: Vec<Instant> = scene.source.asked().iter().map(|(at, _)| *at).collect();
    assert!(times.len() >= 80, "{}", times.len());
    for (place, begin) in times.iter().enumerate() {
        let in_a_second = times[place..]
            .iter()
            .filter(|at| **at - *begin < Duration::from_secs(1));
        let count = in_a_second.count();
        // A burst of five besides, and what the clock of the test is off.
        assert!(count <= 60, "{count} requests in a second");
    }
}

#[tokio::test]
async fn redirects_are_followed_at_the_same_host_alone() {
    let scene = Scene::set(&["production"]).await;
    let elsewhere = Receiver::start();
    let to = |location: String| Trouble::Status(302, vec![("location", location)], String::new());
    for location in [elsewhere.url("/api"), "https://169.254.169.254/".to_owned()] {
        scene.source.trouble([to(location)]);
        let refused = scene.owner.post(CONNECT, scene.body()).await;
        refused.expect_error(502, "the source leads to another host");
    }
    assert!(elsewhere.received().is_empty());

    let asked = scene.source.asked();
    let (_, first) = &asked[0];
    scene.source.trouble([to(first.clone())]);
    scene.owner.act(CONNECT, scene.body()).await;

    scene.source.trouble(vec![to(first.clone()); 10]);
    let refused = scene.owner.post(CONNECT, scene.body()).await;
    refused.expect_error(502, "the answer of the source cannot be read");
}

#[tokio::test]
async fn answers_that_make_no_sense_or_never_end_are_502() {
    let scene = Scene::set(&["production"]).await;
    let status = |status, body: &str| Trouble::Status(status, Vec::new(), body.to_owned());
    for body in ["", "<html>", "[]", "{\"items\": 5}"] {
        scene.source.trouble([status(200, body)]);
        let refused = scene.owner.post(CONNECT, scene.body()).await;
        refused.expect_error(502, "the answer of the source cannot be read");
    }
    // What is long is asked for again when it is its turn.
    scene.source.trouble([Trouble::Endless, Trouble::Endless]);
    let refused = scene.owner.post(CONNECT, scene.body()).await;
    refused.expect_error(502, "the source sends too much at once");
}

#[tokio::test]
async fn what_a_source_sends_is_bounded_by_what_it_becomes_and_not_by_its_length() {
    let scene = Scene::set(&["production"]).await;
    // Ten megabytes, and a third of a gigabyte once they are values.
    let zeros = format!(r#"[{{"value": [{}0]}}]"#, "0,".repeat(5_000_000));
    scene.source.answer_flags(&zeros);
    let refused = scene.owner.post(ANALYZE, scene.body()).await;
    refused.expect_error(502, "the source sends too much at once");
    // As long, and little more in memory.
    let text = format!(r#"[{{"value": "{}"}}]"#, "x".repeat(10_000_000));
    scene.source.answer_flags(&text);
    let analyzed = scene.owner.act(ANALYZE, scene.body()).await;
    assert_eq!(
        analyzed.body["details"]["items"][1],
        json!({
            "kind": "flag", "source": "large", "key": null, "verdict": "skipped",
            "reasons": ["default_value must have at most 64 KiB"],
        })
    );
}

#[tokio::test]
async fn what_a_value_repeats_in_a_translation_is_bounded() {
    let scene = Scene::set(&["production"]).await;
    let mut state = harness::source::state();
    state["rules"] = json!(vec![json!({"clauses": [], "variation": 0}); 3_000]);
    let text = "x".repeat(60_000);
    scene.source.flag(
        "large",
        json!({"kind": "multivariate", "variations": [{"value": text}], "environments": {"production": state}}),
    );
    let refused = scene.owner.post(ANALYZE, scene.body()).await;
    refused.expect_error(502, "the source sends too much at once");
}

#[tokio::test]
async fn large_sources_are_read_one_after_the_other() {
    let scene = Scene::set(&["production"]).await;
    let stranger = scene.app.signup("stranger").await;
    let target = stranger.default_project().await.id;
    let text = format!(r#"[{{"value": "{}"}}]"#, "x".repeat(3_000_000));
    let other = Source::start(&["production"]);
    for source in [&scene.source, &other] {
        source.answer_flags(&text);
    }
    let asked = |source: &Source, things: &str| -> Vec<Instant> {
        let asked = source.asked();
        let about = asked.iter().filter(|(_, path)| path.contains(things));
        about.map(|(at, _)| *at).collect()
    };
    // Whoever asks for segments has read its flags.
    scene.source.hold_about("/segments/");
    let first = tokio::spawn({
        let (owner, body) = (scene.owner.clone(), scene.body());
        async move { owner.post(ANALYZE, body).await }
    });
    harness::eventually("the first is read", async || {
        (!asked(&scene.source, "/segments/").is_empty()).then_some(())
    })
    .await;
    let second = tokio::spawn({
        let (stranger, body) = (stranger.clone(), other.body(&target));
        async move { stranger.post(ANALYZE, body).await }
    });
    harness::eventually("the second is found to be large", async || {
        (!asked(&other, "summary=0").is_empty()).then_some(())
    })
    .await;
    // Small ones take no turn.
    let small = Source::start(&["production"]);
    let body = small.body(&target);
    stranger.act(ANALYZE, body).await;
    let released = Instant::now();
    scene.source.release();
    first.await.unwrap().expect_status(200);
    second.await.unwrap().expect_status(200);
    let flags = asked(&other, "summary=0");
    assert_eq!(flags.len(), 2);
    assert!(flags[1] >= released);
}

/// Answers with something that is no HTTP.
fn babble() -> std::net::SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            drop(std::io::Write::write_all(
                &mut stream.unwrap(),
                b"+OK hello\r\n",
            ));
        }
    });
    address
}

#[tokio::test]
async fn a_private_address_does_not_tell_whether_anybody_listens() {
    let scene = Scene::set(&["production"]).await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    for address in [address, babble()] {
        let mut body = scene.body();
        body["base_url"] = json!(format!("http://{address}"));
        let before = Instant::now();
        let refused = scene.owner.post(CONNECT, body).await;
        refused.expect_error(502, "the source cannot be reached");
        // Both are tried four times.
        assert!(before.elapsed() >= Duration::from_millis(700), "{address}");
    }
}

#[tokio::test]
async fn what_a_private_host_says_is_not_repeated() {
    let scene = Scene::set(&["production"]).await;
    let said = r#"{"message": "the password is hunter2"}"#.to_owned();
    scene
        .source
        .trouble([Trouble::Status(403, Vec::new(), said)]);
    let refused = scene.owner.post(CONNECT, scene.body()).await;
    refused.expect_error(400, "the source answered 403");
}

#[tokio::test]
async fn a_source_that_cannot_be_reached_is_502() {
    let scene = Scene::set(&["production"]).await;
    let mut body = scene.body();
    // A port that nothing listens on.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    body["base_url"] = json!(format!("http://{address}"));
    for path in ["connect", "analyze", "execute"] {
        let refused = scene
            .owner
            .post(&format!("/v1/migration/{path}"), body.clone())
            .await;
        refused.expect_error(502, "the source cannot be reached");
    }
    assert_eq!(scene.owner.get("/v1/migration").await.body["total"], 0);
}

#[tokio::test]
async fn a_setting_refuses_private_addresses_and_names_that_lead_there() {
    let (_app, owner) = App::with_owner_and(&[("MIGRATION_ALLOWED_CIDRS", "none")]).await;
    let source = Source::start(&["production"]);
    let refused = owner.post(CONNECT, source.body("")).await;
    refused.expect_error(
        400,
        "base_url must not lead to a private, local or reserved address",
    );
    let mut body = source.body("");
    body["base_url"] = json!("http://localhost:8000");
    let refused = owner.post(CONNECT, body).await;
    refused.expect_error(
        400,
        "base_url must not lead to a private, local or reserved address",
    );
    assert!(source.asked().is_empty());
}

#[tokio::test]
async fn a_local_name_may_be_given_where_it_leads_to_an_allowed_address() {
    let scene = Scene::set(&["production"]).await;
    let mut body = scene.body();
    body["base_url"] = json!(scene.source.url().replace("127.0.0.1", "localhost"));
    scene.owner.act(CONNECT, body).await;
}

#[tokio::test]
async fn an_organization_reads_two_sources_at_once() {
    let scene = Scene::set(&["production"]).await;
    let stranger = scene.app.signup("stranger").await;
    scene.source.hold();
    let slow = tokio::spawn({
        let (owner, body) = (scene.owner.clone(), scene.body());
        async move { tokio::join!(owner.post(CONNECT, body.clone()), owner.post(CONNECT, body)) }
    });
    harness::eventually("both are asked", async || {
        (scene.source.asked().len() == 2).then_some(())
    })
    .await;
    let third = scene.owner.post(CONNECT, scene.body()).await;
    third.expect_error(503, "too many sources are being read");
    assert_eq!(third.headers["retry-after"], "1");

    let other = Source::start(&["production"]);
    stranger.act(CONNECT, other.body("")).await;
    scene.source.release();
    let (one, two) = slow.await.unwrap();
    one.expect_status(200);
    two.expect_status(200);
}

#[tokio::test]
async fn the_credential_is_stored_nowhere() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    scene.import().await;
    // It ends in a failure that repeats what the source said.
    let mut body = scene.body();
    body["api_key"] = json!("api-that-is-wrong");
    let refused = scene.owner.post("/v1/migration/execute", body).await;
    refused.expect_status(400);
    for table in [
        "migrations",
        "migration_items",
        "audit_entries",
        "flags",
        "flag_states",
    ] {
        let text = format!("SELECT COUNT(*) FROM {table} WHERE {table}::text LIKE $1");
        for credential in [CREDENTIAL, "api-that-is-wrong"] {
            let found: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(text.clone()))
                .bind(format!("%{credential}%"))
                .fetch_one(scene.app.pool())
                .await
                .unwrap();
            assert_eq!(found, 0, "{table}");
        }
    }
}
