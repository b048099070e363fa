//! What anybody can send to an open port.

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
