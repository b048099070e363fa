//! What a client reports.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod sample;
mod server;

use std::{collections::HashMap, thread, time::Duration};

use axum::http::StatusCode;
use halyard::{Client, Context, Reason};

use self::{
    sample::{environment, flag, with_rule},
    server::{Server, eventually},
};

async fn server() -> Server {
    Server::start(environment(1, vec![with_rule("rule"), flag("on", "true")])).await
}

/// Counts by flag and answer, each report once.
fn counted(server: &Server) -> HashMap<(String, Reason, String), u64> {
    let mut sums = HashMap::new();
    let reports: HashMap<_, _> = server
        .reports()
        .into_iter()
        .map(|report| ((report.instance, report.sequence), report))
        .collect();
    for count in reports.into_values().flat_map(|report| report.counts) {
        *sums
            .entry((count.flag_key, count.reason, count.value))
            .or_default() += count.count;
    }
    sums
}

#[tokio::test(flavor = "multi_thread")]
async fn each_answer_is_reported_once_while_flags_change_and_reports_fail() {
    const EACH: u64 = 20_000;
    let server = server().await;
    let client = server.client().start().await.unwrap();
    server.fail_reports(2);
    let asking: Vec<_> = (0..4)
        .map(|_| {
            let client = client.clone();
            thread::spawn(move || {
                let pro = Context::builder("user-1").with("plan", "pro").build();
                for _ in 0..EACH {
                    assert!(client.bool("rule", &pro, false));
                    assert!(!client.bool("absent", &pro, false));
                }
            })
        })
        .collect();
    for number in 0..30 {
        server.send_delta(&server.change(flag("on", &number.to_string())));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    asking.into_iter().for_each(|asking| asking.join().unwrap());
    client.close().await;
    let counted = counted(&server);
    let targeted = ("rule".to_owned(), Reason::Targeted, "true".to_owned());
    assert_eq!(counted[&targeted], 4 * EACH);
    let absent = counted
        .iter()
        .filter(|((_, reason, _), _)| *reason == Reason::NotFound);
    assert_eq!(absent.map(|(_, count)| count).sum::<u64>(), 4 * EACH);
}

#[tokio::test]
async fn a_report_that_was_not_confirmed_is_sent_again_unchanged() {
    let server = server().await;
    let client = server.client().start().await.unwrap();
    server.fail_reports(1);
    assert!(client.bool("on", &Context::default(), false));
    client.track("on", "blue", "user-1");
    eventually("it comes again", || server.reports().len() == 2).await;
    let reports = server.reports();
    assert_eq!(reports[0], reports[1]);
    assert_eq!(reports[0].sequence, 1);
    assert!(client.bool("on", &Context::default(), false));
    eventually("the next one", || server.reports().len() == 3).await;
    assert_eq!(server.reports()[2].sequence, 2);
    let shown = &reports[0].impressions;
    assert_eq!((shown.len(), &*shown[0].user_key), (1, "user-1"));
}

#[tokio::test]
async fn what_is_counted_without_an_edge_is_reported_later() {
    let server = server().await;
    let client = server.client().start().await.unwrap();
    server.refuse(Some(StatusCode::SERVICE_UNAVAILABLE));
    for _ in 0..500 {
        assert!(client.bool("on", &Context::default(), false));
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.refuse(None);
    let on = ("on".to_owned(), Reason::Fallthrough, "true".to_owned());
    eventually("all is reported", || {
        counted(&server).get(&on) == Some(&500)
    })
    .await;
}

#[tokio::test]
async fn closing_reports_what_was_counted_last_and_answers_go_on() {
    let server = server().await;
    let client = server.client().usage_interval(Duration::from_secs(3_600));
    let client: Client = client.start().await.unwrap();
    for _ in 0..7 {
        assert!(client.bool("on", &Context::default(), false));
    }
    assert!(server.reports().is_empty());
    client.close().await;
    assert_eq!(server.reports().len(), 1);
    assert_eq!(server.reports()[0].counts[0].count, 7);
    assert!(client.bool("on", &Context::default(), false));
}
