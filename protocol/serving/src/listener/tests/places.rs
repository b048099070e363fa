//! Who gets a place, and who loses one, while there are few.

use std::net::IpAddr;

use tokio::net::TcpSocket;

use super::*;

const HALF: &str = "GET /peer HTTP/1.1\r\nhost:";
const REST: &str = " a\r\n\r\n";

async fn start_with(most: usize, each: usize, proxies: &[&str]) -> Server {
    let peer = |ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.ip().to_string() };
    let router = Router::new().route("/peer", get(peer));
    let proxies = proxies.iter().map(|network| network.parse().unwrap());
    let places = Places::new(most, each, proxies.collect());
    start_with_places(router, CALM, places).await
}

/// Connects from `127.0.0.last` and sends `text`.
async fn send_from(last: u8, server: &Server, text: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, last], 0).into()).unwrap();
    let mut stream = socket.connect(server.address).await.unwrap();
    // Who is refused may find out already here.
    drop(stream.write_all(text.as_bytes()).await);
    stream
}

/// Completes a head, if there is half of one, and reads the answer.
async fn is_answered(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).await.unwrap();
    let address = stream.local_addr().unwrap().ip().to_string();
    let answer = read_until(stream, &address).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn the_oldest_connection_without_a_head_makes_room_for_a_new_one() {
    let server = start_with(3, 0, &[]).await;
    let first = send_from(1, &server, HALF).await;
    let mut others = [
        send_from(1, &server, HALF).await,
        send_from(2, &server, "").await,
    ];
    let mut new = send_from(3, &server, "").await;
    is_answered(&mut new, KEPT).await;
    assert_eq!(read_to_end(first).await, "");
    is_answered(&mut others[0], REST).await;
    is_answered(&mut others[1], KEPT).await;
}

#[tokio::test]
async fn who_has_sent_a_head_keeps_its_place_and_a_new_one_is_refused() {
    let server = start_with(2, 0, &[]).await;
    let mut kept = [
        send_from(1, &server, "").await,
        send_from(1, &server, "").await,
    ];
    for stream in &mut kept {
        is_answered(stream, KEPT).await;
    }
    assert_eq!(read_to_end(send_from(2, &server, KEPT).await).await, "");
    for stream in &mut kept {
        is_answered(stream, KEPT).await;
    }
    let [left, mut stays] = kept;
    drop(left);
    // The server has yet to find out.
    loop {
        let mut new = send_from(2, &server, KEPT).await;
        let mut byte = [0];
        if let Ok(1) = timeout(PATIENCE, new.read(&mut byte)).await.unwrap() {
            break;
        }
    }
    is_answered(&mut stays, KEPT).await;
}

#[tokio::test]
async fn a_network_that_has_all_of_its_places_takes_none_of_others() {
    let server = start_with(100, 2, &[]).await;
    let oldest = send_from(2, &server, HALF).await;
    let first = send_from(1, &server, HALF).await;
    let mut second = send_from(1, &server, "").await;
    is_answered(&mut second, KEPT).await;
    let mut third = send_from(1, &server, "").await;
    is_answered(&mut third, KEPT).await;
    assert_eq!(read_to_end(first).await, "");
    assert_eq!(read_to_end(send_from(1, &server, KEPT).await).await, "");
    let mut oldest = oldest;
    is_answered(&mut oldest, REST).await;
    is_answered(&mut send_from(2, &server, "").await, KEPT).await;
    is_answered(&mut second, KEPT).await;
}

#[tokio::test]
async fn a_trusted_proxy_has_no_bound_of_its_own() {
    let server = start_with(4, 2, &["127.0.0.1/32"]).await;
    let mut streams = Vec::new();
    for _ in 0..4 {
        let mut stream = send_from(1, &server, "").await;
        is_answered(&mut stream, KEPT).await;
        streams.push(stream);
    }
    assert_eq!(read_to_end(send_from(1, &server, KEPT).await).await, "");
}

#[tokio::test]
async fn an_answer_that_lasts_keeps_its_place() {
    let (router, say) = long();
    let places = Places::new(1, 0, TrustedProxies::default());
    let server = start_with_places(router, CALM, places.clone()).await;
    let mut client = send(&server, LONG).await;
    read_until(&mut client, "\r\n\r\n").await;
    assert_eq!(read_to_end(send(&server, LONG).await).await, "");
    say.send("more\n").await.unwrap();
    assert_eq!(read_until(&mut client, "\n").await, "more\n");
    drop(say);
    read_to_end(client).await;
    server.stop.cancel();
    server.ended().await;
    assert!(places.take(peer()).is_some());
}

fn peer() -> IpAddr {
    [127, 0, 0, 1].into()
}

#[test]
fn nothing_is_kept_of_connections_that_have_ended() {
    let places = Places::new(10, 5, TrustedProxies::default());
    let taken: Vec<_> = (0..10_u8)
        .map(|last| places.take([10, 0, 0, last % 3].into()).unwrap())
        .collect();
    taken[4].keep();
    // In place of the first.
    let eleventh = places.take(peer()).unwrap();
    drop((taken, eleventh));
    assert!(places.is_unused());
}

#[test]
fn a_56_of_ipv6_is_one_network_and_an_ipv4_address_in_ipv6_is_itself() {
    let places = Places::new(100, 1, TrustedProxies::default());
    let take = |address: &str| {
        let place = places.take(address.parse().unwrap());
        place.inspect(Place::keep)
    };
    let first = take("2001:db8:1:200::1");
    assert!(first.is_some() && take("2001:db8:1:2ff::1").is_none());
    let other = take("2001:db8:1:300::1");
    let mapped = take("::ffff:10.0.0.1");
    assert!(other.is_some() && mapped.is_some() && take("10.0.0.1").is_none());
}
