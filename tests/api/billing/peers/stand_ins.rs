//! The stand-ins of the harness compute what the libraries do.

use harness::gateways::Shape;
use harness::gateways::form::request_hash;
use serde_json::json;

use super::questions::{
    callbacks, checkout, header_of, request_hash_of, reverse_hash_of, signature_of,
};
use super::{Library, Recordings, Scenario};

#[test]
fn the_stand_in_hashes_as_the_library_does() {
    let recordings = Recordings::of(Library::Payu);
    let checkout = checkout();
    let answer = recordings.answer(&request_hash_of(&checkout));
    assert_eq!(answer, &json!({"hash": request_hash(&checkout)}));
    for (callback, is_valid) in callbacks() {
        let answer = recordings.answer(&reverse_hash_of(&callback));
        assert_eq!(answer, &json!({"valid": is_valid}));
    }
}

#[tokio::test]
async fn the_stand_in_signs_as_the_library_does() {
    let recordings = Recordings::of(Library::Stripe);
    for event in Scenario::play(Shape::Present).await.rest {
        let answer = recordings.answer(&signature_of(&event));
        assert_eq!(answer, &json!({"header": header_of(&event)}));
    }
}
