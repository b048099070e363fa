//! Until when what is served is known to have been current, whoever passed it on.
//!
//! A server above that was broken into can hold changes back, and say all the same that there are none. The control plane's
//! timestamps tell: what none of them has named for a while may be that old, which [`Edge::age`](crate::Edge) admits.

use std::sync::{Arc, atomic::Ordering};

use protocol::{
    signature::SignatureError,
    timestamp::{Proof, Register, Stamped, TOLERANCE_MS},
};

use super::{Current, Served, Slot};

/// Nothing is served.
pub(super) const NOTHING: i64 = i64::MAX;

impl Current {
    /// Checks a timestamp from a link. `None` where nobody signs, or when there is a later one.
    pub(crate) fn verify_timestamp(
        &self,
        stamped: Stamped,
    ) -> Result<Option<Register>, SignatureError> {
        let last = self.register.load();
        let is_later = |last: &Register| stamped.timestamp.at_ms > last.at_ms();
        match self.signers.load_full() {
            Some(signers) if last.as_deref().is_none_or(is_later) => {
                stamped.verify(&signers).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Takes a timestamp that was verified, and has SDKs told of it.
    pub(crate) fn stamp(&self, register: Arc<Register>) {
        // Before the slots: what is served from now on looks there by itself.
        self.register.store(Some(register));
        let slots: Vec<_> = self.slots.lock().values().cloned().collect();
        let mut oldest_ms = NOTHING;
        for slot in slots {
            // What is served does not change meanwhile.
            let _turn = slot.turn();
            if let Some(served) = slot.load() {
                self.prove(&slot, &served);
                oldest_ms = oldest_ms.min(slot.proven_ms.load(Ordering::Relaxed));
            }
        }
        self.oldest_ms.store(oldest_ms, Ordering::Relaxed);
    }

    /// In the turn of an environment that is served from now on.
    pub(super) fn serves(&self, slot: &Slot, served: &Served) {
        if let Some(signature) = served.signature() {
            slot.proven_ms
                .store(signature.signed_at_ms, Ordering::Relaxed);
            self.prove(slot, served);
            let proven_ms = slot.proven_ms.load(Ordering::Relaxed);
            self.oldest_ms.fetch_min(proven_ms, Ordering::Relaxed);
        }
    }

    /// Proof that what is served was current when the last timestamp was made, if it was.
    pub(crate) fn proof(&self, served: &Served) -> Option<Proof> {
        let head = served.head();
        let register = self.register.load();
        register.as_ref()?.prove(head.env_id, head.version)
    }

    fn prove(&self, slot: &Slot, served: &Served) {
        let Some(proof) = self.proof(served) else {
            return;
        };
        slot.proven_ms
            .fetch_max(proof.timestamp.at_ms, Ordering::Relaxed);
        if slot.has_sdk_streams() {
            let tell = |changes: &mut super::Changes| changes.deltas.add_proof(served, &proof);
            slot.changes.send_modify(tell);
        }
    }

    /// How long ago what is served was last known to be current, beyond what may be for good reasons, in milliseconds; 0 where
    /// nobody signs. By the later one of two clocks: one of them is told by the server above.
    pub(crate) fn unproven_ms(&self, now_ms: i64) -> i64 {
        match self.oldest_ms.load(Ordering::Relaxed) {
            NOTHING => 0,
            _ if !self.are_signatures_due() => 0,
            proven_ms => now_ms
                .saturating_sub(proven_ms)
                .saturating_sub(TOLERANCE_MS)
                .max(0),
        }
    }
}
