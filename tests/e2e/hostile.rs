//! What anybody can send to an open port, and ask there.

use std::net::UdpSocket;

use crate::scene::Scene;

#[tokio::test]
async fn garbage_at_the_link_changes_nothing() {
    let mut scene = Scene::start().await;
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for length in [0_usize, 1, 7, 64, 1_200, 1_400] {
        for first in [0x00_u8, 0x40, 0xc0, 0xff] {
            let mut packet = vec![first; length];
            packet
                .iter_mut()
                .enumerate()
                .skip(1)
                .for_each(|(index, byte)| {
                    *byte = u8::try_from(index * 31 % 251).expect("below 251");
                });
            socket.send_to(&packet, scene.stack.quic()).unwrap();
        }
    }
    scene.serve("v1").await;
    assert_eq!(scene.value().await, "v1");
    assert!(scene.stack.control.runs());
}

#[tokio::test]
async fn what_operators_see_is_not_where_clients_ask() {
    let scene = Scene::start().await;
    let sdk = scene.sdk();
    for path in ["/metrics", "/edges", "/jobs"] {
        for caller in [&*scene.owner, &sdk] {
            caller.get(path).await.expect_error(404, "not found");
        }
    }
}
