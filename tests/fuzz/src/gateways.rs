//! What gateways of payments send, and who poses as one.

use domain::billing::gateways::{
    form::Callback,
    redirect::{event::Envelope, signature},
};
use secrecy::SecretString;
use time::macros::datetime;

pub(crate) fn run(bytes: &[u8]) {
    let now = datetime!(2026-05-01 00:00 UTC);
    let secret = SecretString::from("whsec_0123456789abcdef");
    let (kind, rest) = crate::choice(bytes);
    match kind % 4 {
        0 => {
            if let Some(envelope) = Envelope::parse(rest)
                && let Some(report) = envelope.report(now)
            {
                assert_eq!(report.event.received_at, now);
            }
        }
        1 => {
            let input = crate::text(rest);
            let (header, body) = input.split_once('\n').unwrap_or((&input, ""));
            // Nobody finds a signature by chance.
            assert!(!signature::is_genuine(
                header,
                body.as_bytes(),
                &secret,
                now
            ));
        }
        2 => is_forged(&Callback::from_form(rest), &secret),
        _ => {
            if let Ok(callback) = Callback::from_json(rest) {
                is_forged(&callback, &secret);
            }
        }
    }
}

fn is_forged(callback: &Callback, secret: &SecretString) {
    callback.has_nul();
    assert!(!callback.is_genuine("key", secret));
}
