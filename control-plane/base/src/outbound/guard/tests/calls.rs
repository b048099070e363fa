//! Requests and answers, over real connections on this machine.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use bytes::Bytes;
use tokio::{io::AsyncReadExt, net::TcpListener, process::Command, time::timeout};

use super::{
    ACME, Names, PATIENCE, get, guard_of_loopback, parsed,
    receiver::{Behaviour, Forbidden, Receiver},
};
use crate::outbound::{
    HeaderMap, Method, StatusCode,
    guard::{Excerpt, Guard, Outgoing, Response, SendError},
};

const SHORT: Duration = Duration::from_millis(300);

fn names() -> Names {
    Names::default().with("hooks.example.com", &[&["127.0.0.1"]])
}

fn guard() -> Guard {
    guard_of_loopback(names().resolver(), PATIENCE)
}

async fn call(guard: &Guard, receiver: &Receiver) -> Result<Response, SendError> {
    let url = parsed(guard, &receiver.url("hooks.example.com"));
    guard.send(&url, ACME, get()).await
}

async fn read(behaviour: Behaviour, limit: usize) -> Result<Excerpt, SendError> {
    read_within(PATIENCE, behaviour, limit).await
}

async fn read_within(
    timeout: Duration,
    behaviour: Behaviour,
    limit: usize,
) -> Result<Excerpt, SendError> {
    let receiver = Receiver::start(behaviour).await;
    let guard = guard_of_loopback(names().resolver(), timeout);
    call(&guard, &receiver).await?.read_up_to(limit).await
}

fn answer(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test]
async fn a_request_arrives_as_it_was_made() {
    let receiver = Receiver::answering(
        "HTTP/1.1 202 Accepted\r\nretry-after: 7\r\ncontent-length: 2\r\n\r\nok",
    )
    .await;
    let guard = guard();
    let url = parsed(&guard, &receiver.url("Hooks.Example.com"));
    let mut headers = HeaderMap::new();
    headers.insert("x-webhook-event", "flag.created".parse().unwrap());
    let request = Outgoing {
        method: Method::POST,
        headers,
        body: Bytes::from_static(br#"{"type":"flag.created"}"#),
    };

    let response = guard.send(&url, ACME, request).await.unwrap();
    assert_eq!(response.status, StatusCode::ACCEPTED);
    assert_eq!(response.headers["retry-after"], "7");
    let body = response.read_up_to(100).await.unwrap();
    assert_eq!((&body.bytes[..], body.is_whole), (&b"ok"[..], true));
    let expected = format!(
        "POST /hook?token=secret HTTP/1.1\r\nx-webhook-event: flag.created\r\naccept: */*\r\n\
         host: hooks.example.com:{}\r\ncontent-length: 23\r\n\r\n{{\"type\":\"flag.created\"}}",
        receiver.port()
    );
    assert_eq!(receiver.requests(), [expected]);
}

#[tokio::test]
async fn each_call_looks_the_name_up_once() {
    let receiver = Receiver::answering(&answer("")).await;
    let names = names();
    let guard = guard_of_loopback(names.resolver(), PATIENCE);
    for calls in 1..=3 {
        call(&guard, &receiver).await.unwrap();
        assert_eq!(names.asked(), calls);
        assert_eq!(receiver.requests().len(), calls);
    }
}

#[tokio::test]
async fn a_connection_that_stays_open_is_not_used_again() {
    let receiver = Receiver::start(Behaviour::Stall(answer("").into())).await;
    let answers: [&[&str]; 2] = [&["127.0.0.1"], &["127.9.9.9"]];
    let names = Names::default().with("hooks.example.com", &answers);
    let guard = guard_of_loopback(names.resolver(), PATIENCE);
    let first = call(&guard, &receiver).await.unwrap();
    assert!(first.read_up_to(1).await.unwrap().is_whole);
    // The receiver listens on 127.0.0.1 alone.
    let second = call(&guard, &receiver).await;
    assert!(
        matches!(second, Err(SendError::NoConnection(_))),
        "{second:?}"
    );
}

/// The checked addresses decide the target, without another look-up.
#[tokio::test]
async fn calls_at_the_same_time_each_go_to_the_addresses_of_their_own_look_up() {
    let receiver = Receiver::answering(&answer("")).await;
    let answers: [&[&str]; 2] = [&["127.0.0.1"], &["127.9.9.9"]];
    let names = Names::default().with("hooks.example.com", &answers);
    let guard = guard_of_loopback(names.resolver(), PATIENCE);
    let (first, second) = tokio::join!(call(&guard, &receiver), call(&guard, &receiver));
    // The receiver listens on 127.0.0.1 alone.
    let arrived = [&first, &second].iter().filter(|sent| sent.is_ok()).count();
    assert_eq!((arrived, receiver.requests().len()), (1, 1));
    let refused = [first, second].into_iter().find_map(Result::err).unwrap();
    assert!(matches!(refused, SendError::NoConnection(_)), "{refused:?}");
}

#[tokio::test]
async fn the_next_address_is_tried_when_nobody_listens_at_the_first() {
    let receiver = Receiver::answering(&answer("")).await;
    let addresses: &[&str] = &["127.9.9.9", "127.0.0.1"];
    let names = Names::default().with("hooks.example.com", &[addresses]);
    let guard = guard_of_loopback(names.resolver(), PATIENCE);
    call(&guard, &receiver).await.unwrap();
}

#[tokio::test]
async fn tls_asks_for_the_original_name() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let hello = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 5];
        stream.read_exact(&mut head).await.unwrap();
        let mut hello = vec![0; usize::from(u16::from_be_bytes([head[3], head[4]]))];
        stream.read_exact(&mut hello).await.unwrap();
        hello
    });
    let guard = guard();
    let url = parsed(&guard, &format!("https://hooks.example.com:{port}/"));
    let sent = guard.send(&url, ACME, get()).await;
    // The listener closes during the handshake.
    assert!(matches!(sent, Err(SendError::NoConnection(_))), "{sent:?}");
    let hello = timeout(PATIENCE, hello).await.unwrap().unwrap();
    let name = b"hooks.example.com";
    assert!(hello.windows(name.len()).any(|bytes| bytes == name));
}

#[tokio::test]
async fn redirects_come_back_and_are_not_followed() {
    let elsewhere = Forbidden::start();
    for status in [301, 302, 303, 307, 308] {
        let location = format!("http://hooks.example.com:{}/", elsewhere.port());
        let receiver = Receiver::answering(&format!(
            "HTTP/1.1 {status} Elsewhere\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n"
        ))
        .await;
        let response = call(&guard(), &receiver).await.unwrap();
        assert_eq!(response.status, status);
        assert_eq!(response.headers["location"], location);
    }
    elsewhere.assert_untouched();
}

#[tokio::test]
async fn proxies_of_the_environment_are_not_used() {
    let proxy = Forbidden::start();
    let address = format!("http://127.0.0.1:{}", proxy.port());
    let proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].map(|name| (name, address.as_str()));
    let small = ["http_proxy", "https_proxy", "all_proxy"].map(|name| (name, address.as_str()));
    let none = ["NO_PROXY", "no_proxy", "REQUEST_METHOD"].map(|name| (name, ""));
    a_request_arrives_where(&[proxies, small, none].concat()).await;
    proxy.assert_untouched();
}

#[tokio::test]
async fn plain_http_works_without_certificates_of_authorities() {
    let nothing = "/dev/null";
    a_request_arrives_where(&[("SSL_CERT_FILE", nothing), ("SSL_CERT_DIR", nothing)]).await;
}

/// Runs a test of this file in a process with these variables; empty ones are unset.
async fn a_request_arrives_where(variables: &[(&str, &str)]) {
    let module = module_path!().split_once("::").unwrap().1;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        &format!("{module}::a_request_arrives_as_it_was_made"),
    ]);
    for (name, value) in variables {
        if value.is_empty() {
            command.env_remove(name);
        } else {
            command.env(name, value);
        }
    }
    let output = command.output().await.unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains("1 passed"),
        "{told}"
    );
}

#[tokio::test]
async fn an_answer_is_read_up_to_the_limit() {
    for (limit, expected, is_whole) in [
        (0, "", false),
        (4, "0123", false),
        (9, "012345678", false),
        (10, "0123456789", true),
        (11, "0123456789", true),
    ] {
        let answer = Behaviour::Answer(answer("0123456789").into());
        let body = read(answer, limit).await.unwrap();
        let expected = Excerpt {
            bytes: Bytes::from_static(expected.as_bytes()),
            is_whole,
        };
        assert_eq!(body, expected, "{limit}");
    }
}

#[tokio::test]
async fn an_endless_answer_is_read_up_to_the_limit() {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let body = read(Behaviour::Endless(head.into(), chunk.into()), 4096);
    let body = body.await.unwrap();
    assert_eq!((body.bytes.len(), body.is_whole), (4096, false));
}

#[tokio::test]
async fn an_answer_that_stalls_ends_with_the_time_out() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n";
    for start in ["", "HTTP/1.1 200 OK\r\n", head, &format!("{head}half")] {
        let began = Instant::now();
        let read = read_within(SHORT, Behaviour::Stall(start.into()), 100).await;
        assert!(
            matches!(read, Err(SendError::TimedOut)),
            "{start:?}: {read:?}"
        );
        assert!(began.elapsed() >= SHORT && began.elapsed() < PATIENCE / 2);
    }
    // The requested bytes have arrived; whether more would follow is unknown.
    let stall = Behaviour::Stall(format!("{head}half").into());
    let body = read_within(4 * SHORT, stall, 4).await.unwrap();
    assert_eq!((&body.bytes[..], body.is_whole), (&b"half"[..], false));
}

#[tokio::test]
async fn headers_without_end_are_given_up() {
    let status = "HTTP/1.1 200 OK\r\n";
    let many = read(
        Behaviour::Endless(status.into(), "x-header: 1\r\n".into()),
        10,
    )
    .await;
    assert!(matches!(many, Err(SendError::NoAnswer(_))), "{many:?}");
    let long = format!("{status}x-header: ");
    let long = read(Behaviour::Endless(long.into(), vec![b'x'; 4096]), 10).await;
    assert!(matches!(long, Err(SendError::NoAnswer(_))), "{long:?}");
}

#[tokio::test]
async fn a_server_that_closes_gives_no_answer() {
    for answer in [
        "",
        "HTTP/1.1 200 OK\r\n",
        "garbage\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
    ] {
        let read = read(Behaviour::Answer(answer.into()), 100).await;
        assert!(
            matches!(read, Err(SendError::NoAnswer(_))),
            "{answer:?}: {read:?}"
        );
    }
}

#[tokio::test]
async fn errors_do_not_contain_the_address() {
    let stalling = Receiver::start(Behaviour::Stall(Vec::new())).await;
    let closing = Receiver::answering("").await;
    let port_of_nobody = Forbidden::start().port();
    let nobody = format!("http://hooks.example.com:{port_of_nobody}/hook?token=secret");
    let patient = guard();
    let hasty = guard_of_loopback(names().resolver(), SHORT);
    for (guard, url, expected) in [
        (
            &hasty,
            stalling.url("hooks.example.com"),
            "no answer in time",
        ),
        (
            &patient,
            closing.url("hooks.example.com"),
            "no answer that can be understood",
        ),
        (&patient, nobody, "no connection"),
        (
            &patient,
            closing.url("missing.example.com"),
            "the host name cannot be looked up",
        ),
    ] {
        let url = parsed(guard, &url);
        let error = guard.send(&url, ACME, get()).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
        let mut told = format!("{error:?}");
        let mut cause = error.source();
        while let Some(error) = cause {
            told += &format!("; {error}; {error:?}");
            cause = error.source();
        }
        for secret in ["secret", "/hook", "example.com"] {
            assert!(!told.contains(secret), "{told}");
        }
    }
}
