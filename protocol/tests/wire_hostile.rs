//! Whatever is not a message is refused before it costs anything; whatever is a message survives the link.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod arbitrary;
mod difference;
mod messages;
mod sample;

use std::fmt::Debug;

use difference::difference;
use messages::{control_messages, edge_messages, proof, pushes, read, report, uploads};
use proptest::{collection::vec, prelude::*};
use protocol::{
    snapshot::Digest,
    wire::{
        codec::{Decode, Encode},
        frame::{self, FrameError, FrameHeader},
        message::{ControlMessage, EdgeMessage, Push},
        sdk::Report,
        usage::{OutOfBounds, Upload},
    },
};

#[test]
fn a_header_over_the_limit_is_refused_before_its_payload_is_read() {
    let header = |length: u32, flags: u8| {
        let [a, b, c, d] = length.to_le_bytes();
        FrameHeader::parse([a, b, c, d, flags], frame::EDGE_LIMIT)
    };
    assert_eq!(header(65_536, 0).unwrap().payload_length(), 65_536);
    assert!(matches!(
        header(65_537, 0),
        Err(FrameError::TooLong {
            length: 65_537,
            limit: 65_536
        })
    ));
    assert!(matches!(
        header(u32::MAX, 1),
        Err(FrameError::TooLong { .. })
    ));
    assert!(matches!(header(0, 2), Err(FrameError::Flags(2))));
}

#[test]
fn a_bomb_is_refused_by_what_it_announces() {
    let bomb = zstd::bulk::compress(&vec![0; 8 << 20], 19).unwrap();
    assert!(bomb.len() < 2_000);
    let mut frame = u32::try_from(bomb.len()).unwrap().to_le_bytes().to_vec();
    frame.push(1);
    frame.extend(bomb);
    let refused = read::<EdgeMessage>(&frame, frame::EDGE_LIMIT).unwrap_err();
    assert!(matches!(
        refused,
        FrameError::TooLong {
            length: 8_388_608,
            limit: 65_536
        }
    ));
}

#[test]
fn an_upload_has_a_limit_of_its_own() {
    let (_, Upload::Served(mut batch)) = uploads().remove(0) else {
        panic!("an edge's own batch comes first");
    };
    let longest = "k".repeat(2_048);
    batch.impressions[0].user_key = longest;
    batch.impressions = vec![batch.impressions[0].clone(); 1_000];
    assert_eq!(batch.check(), Ok(()));
    let frame = frame::encode(&Upload::Served(batch)).unwrap();
    assert!(frame.len() < frame::UPLOAD_LIMIT / 10, "it compresses well");
    assert!(matches!(
        read::<Upload>(&frame, frame::UPLOAD_LIMIT),
        Err(FrameError::TooLong {
            limit: frame::UPLOAD_LIMIT,
            ..
        })
    ));
}

#[test]
fn a_report_of_an_sdk_has_bounds_in_every_direction() {
    let mut many = report();
    many.counts = vec![many.counts[0].clone(); 10_001];
    assert_eq!(many.check(), Err(OutOfBounds::Entries(10_001)));
    let mut shown = report();
    shown.impressions = vec![shown.impressions[0].clone(); 10_001];
    assert_eq!(shown.check(), Err(OutOfBounds::Entries(10_001)));
    let mut long = report();
    long.impressions[0].user_key = "u".repeat(2_049);
    assert_eq!(long.check(), Err(OutOfBounds::Text(2_049)));
    assert_eq!(report().check(), Ok(()));
}

#[test]
fn bytes_after_a_message_are_refused() {
    let mut frame = frame::encode(&EdgeMessage::Flushed { request: 1 }).unwrap();
    frame.push(0);
    assert!(matches!(
        read::<EdgeMessage>(&frame, frame::EDGE_LIMIT),
        Err(FrameError::Length { .. })
    ));
    frame[0] += 1;
    assert!(matches!(
        read::<EdgeMessage>(&frame, frame::EDGE_LIMIT),
        Err(FrameError::Message(_))
    ));
}

#[test]
fn every_truncation_is_refused() {
    fn truncated<M: Encode + Decode<()> + Debug>(messages: Vec<(&str, M)>) {
        for (name, message) in messages {
            let frame = frame::encode(&message).unwrap();
            let payload = &frame[FrameHeader::LENGTH..];
            for length in 0..payload.len() {
                let [a, b, c, d] = u32::try_from(length).unwrap().to_le_bytes();
                let header = FrameHeader::parse([a, b, c, d, frame[4]], frame::PUSH_LIMIT).unwrap();
                assert!(
                    frame::decode::<M>(header, &payload[..length]).is_err(),
                    "{name} cut at {length}"
                );
            }
        }
    }
    truncated(edge_messages());
    truncated(control_messages());
    truncated(pushes());
    truncated(uploads());
    truncated(vec![("sdk_report", report())]);
    truncated(vec![("sdk_proof", proof())]);
}

/// Decodes as every type of message; only a panic would be wrong.
fn decode_as_everything(frame: &[u8]) {
    drop(read::<Report>(frame, frame::UPLOAD_LIMIT));
    let outcomes = [
        read::<EdgeMessage>(frame, frame::EDGE_LIMIT).is_ok(),
        read::<ControlMessage>(frame, frame::CONTROL_LIMIT).is_ok(),
        read::<Push>(frame, frame::PUSH_LIMIT).is_ok(),
        read::<Upload>(frame, frame::UPLOAD_LIMIT).is_ok(),
    ];
    assert_eq!(outcomes.len(), 4);
}

fn frame_of(flags: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&length[..], &[flags], payload].concat()
}

proptest! {
    #[test]
    fn random_bytes_never_panic(flags in 0..3_u8, tag in 0..9_u32, body in vec(any::<u8>(), 0..200)) {
        decode_as_everything(&frame_of(flags, &body));
        decode_as_everything(&frame_of(flags, &[&tag.to_le_bytes(), &body[..]].concat()));
    }

    #[test]
    fn damaged_messages_never_panic(which in 0..4_usize, place: usize, byte: u8, long in any::<bool>()) {
        let frame = match pushes().get(which) {
            Some((_, push)) => frame::encode(push).unwrap(),
            None => frame::encode(&uploads()[0].1).unwrap(),
        };
        let mut body = frame[FrameHeader::LENGTH..].to_vec();
        let place = place % body.len();
        body[place] = byte;
        if long && place + 8 <= body.len() {
            body[place..place + 8].fill(0xff);
        }
        decode_as_everything(&frame_of(0, &body));
        decode_as_everything(&frame_of(1, &zstd::bulk::compress(&body, 3).unwrap()));
    }

    #[test]
    fn environments_survive_the_link(snapshot in arbitrary::snapshot(), new in arbitrary::snapshot()) {
        let delta = Push::Delta(difference(&snapshot, &new, 1));
        prop_assert_eq!(read::<Push>(&frame::encode(&delta).unwrap(), frame::PUSH_LIMIT).unwrap(), delta);
        let whole = Push::Snapshot(snapshot, Digest::default());
        prop_assert_eq!(read::<Push>(&frame::encode(&whole).unwrap(), frame::PUSH_LIMIT).unwrap(), whole);
    }
}
