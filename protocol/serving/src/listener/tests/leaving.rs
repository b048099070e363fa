//! A process that is leaving answers, and asks its clients to connect elsewhere.

use super::*;

#[tokio::test]
async fn a_process_that_is_leaving_closes_connections_with_their_next_answer() {
    let server = start(CALM).await;
    let mut before = answered(&server).await;
    server.leaving.begin();
    before.write_all(KEPT.as_bytes()).await.unwrap();
    let after = send(&server, KEPT).await;
    for client in [before, after] {
        let answer = read_to_end(client).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
        assert!(answer.ends_with("127.0.0.1"), "{answer}");
    }
}

#[tokio::test]
async fn a_process_that_does_not_leave_keeps_connections() {
    let server = start(CALM).await;
    let mut client = send(&server, KEPT).await;
    let answer = read_until(&mut client, "127.0.0.1").await;
    assert!(!answer.contains("connection:"), "{answer}");
}

#[tokio::test]
async fn a_connection_that_is_idle_while_the_process_leaves_is_closed_when_it_stops() {
    let server = start(CALM).await;
    let idle = answered(&server).await;
    server.leaving.begin();
    let read = timeout(Duration::from_millis(300), idle.readable()).await;
    assert!(read.is_err(), "nothing is sent, and nothing is closed");
    server.stop.cancel();
    assert_eq!(read_to_end(idle).await, "");
    server.ended().await;
}

#[tokio::test]
async fn a_long_answer_goes_on_while_the_process_leaves() {
    let (server, say, mut client) = begin_long(CALM).await;
    server.leaving.begin();
    say.send("one\n").await.unwrap();
    assert_eq!(read_until(&mut client, "\n").await, "one\n");
    server.stop.cancel();
    drop(say);
    assert_eq!(read_to_end(client).await, "");
    server.ended().await;
}

/// A client that has sent bytes of HTTP/2, and read until it was asked to go.
async fn asked_to_go(server: &Server, mut client: TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    while !types_of(&bytes).contains(&GOAWAY) {
        let read = timeout(PATIENCE, client.read_buf(&mut bytes)).await;
        assert_ne!(read.expect("there is more").unwrap(), 0, "{bytes:?}");
    }
    drop(client);
    server.stop.cancel();
    types_of(&bytes)
}

#[tokio::test]
async fn an_http_2_client_is_asked_to_go_when_the_process_leaves_and_its_request_ends() {
    let server = start(CALM).await;
    let mut client = TcpStream::connect(server.address).await.unwrap();
    client.write_all(&http2_request("/slow")).await.unwrap();
    sleep(Duration::from_millis(100)).await;
    server.leaving.begin();
    let mut bytes = Vec::new();
    while !types_of(&bytes).contains(&HEADERS) {
        let read = timeout(PATIENCE, client.read_buf(&mut bytes)).await;
        assert_ne!(read.expect("there is more").unwrap(), 0, "{bytes:?}");
    }
    let types = types_of(&bytes);
    let told = types.iter().position(|kind| *kind == GOAWAY);
    let answered = types.iter().position(|kind| *kind == HEADERS);
    assert!(told.is_some() && told < answered, "{types:?}");
}

#[tokio::test]
async fn an_http_2_connection_that_is_made_while_the_process_leaves_gets_its_first_answer() {
    let server = start(CALM).await;
    server.leaving.begin();
    let mut client = TcpStream::connect(server.address).await.unwrap();
    let request = http2_request("/peer");
    let preface = 24 + 9;
    client.write_all(&request[..preface]).await.unwrap();
    sleep(Duration::from_millis(100)).await;
    client.write_all(&request[preface..]).await.unwrap();
    let types = asked_to_go(&server, client).await;
    let told = types.iter().position(|kind| *kind == GOAWAY);
    let settings = types.iter().position(|kind| *kind == 4);
    assert!(settings < told, "{types:?}");
    server.ended().await;
}
