//! Whose signatures contents must have.

use std::{collections::BTreeSet, sync::Arc};

use protocol::{
    eval::Environment,
    ids::EnvId,
    rehearsal::SignedRehearsal,
    signature::{PublicKey, SignatureError},
    what_if::SignedQuestion,
};

use super::{Current, Outcome, Served, slot::Turn, writing::Came};

impl Current {
    /// From now on, what comes must be signed by one of these; without any it is taken as it is.
    pub(crate) fn trust(&self, signers: Vec<PublicKey>) {
        let signers = (!signers.is_empty()).then(|| Arc::new(signers));
        self.signers.store(signers);
    }

    /// Whether what comes must be signed.
    pub(crate) fn are_signatures_due(&self) -> bool {
        self.signers.load().is_some()
    }

    /// Whether a rehearsal may begin, where contents are signed.
    pub(crate) fn verify_rehearsal(
        &self,
        signed: &SignedRehearsal,
        now_ms: i64,
    ) -> Result<(), SignatureError> {
        match self.signers.load_full() {
            Some(signers) => signed.verify(&signers, now_ms),
            None => Ok(()),
        }
    }

    /// Whether a question may be answered, where contents are signed.
    pub(crate) fn verify_question(
        &self,
        signed: &SignedQuestion,
        now_ms: i64,
    ) -> Result<(), SignatureError> {
        match self.signers.load_full() {
            Some(signers) => signed.verify(&signers, now_ms),
            None => Ok(()),
        }
    }

    /// What is served without the signature of anybody who is trusted, and is not on its way; nothing where nobody signs.
    pub(crate) fn unsigned(&self) -> BTreeSet<EnvId> {
        let Some(signers) = self.signers.load_full() else {
            return BTreeSet::new();
        };
        let is_signed = |served: &Served| {
            let signature = served.signature();
            signature.is_some_and(|by| signers.iter().any(|signer| signer.id() == by.key))
        };
        let slots: Vec<_> = self.slots.lock().values().cloned().collect();
        let unsigned = slots.iter().filter_map(|slot| {
            let served = slot.load()?;
            (!is_signed(&served)).then_some(slot.env_id)
        });
        let mut unsigned: BTreeSet<_> = unsigned.collect();
        let expected = self.expected.lock();
        unsigned.retain(|env_id| !expected.is_missing(*env_id));
        unsigned
    }

    /// Whether contents may be served in place of what is held. What a cache held was verified when it came.
    pub(super) fn verify(
        &self,
        next: &Environment,
        came: Came,
        held: Option<&Served>,
    ) -> Result<(), SignatureError> {
        let signers = self.signers.load_full().filter(|_| came.restored.is_none());
        let Some(signers) = signers else {
            return Ok(());
        };
        let signature = came.signature.ok_or(SignatureError::Missing)?;
        signature.verify(&next.contents(), &signers)?;
        let Some((held, before)) = held.and_then(|held| Some((held, held.signature()?))) else {
            return Ok(());
        };
        signature.may_replace(before).or_else(|older| {
            // The time of a signature that was never verified, or whose key is trusted no more, says nothing.
            match before.verify(&held.contents(), &signers) {
                Ok(()) => Err(older),
                Err(_) => Ok(()),
            }
        })
    }
}

impl Turn {
    /// Counts contents that are refused for their signature. The log has a reason once until something is served again: a
    /// server above that lies could write it full.
    pub(super) fn refuse(&mut self, env_id: EnvId, reason: SignatureError) -> Outcome {
        metrics::counter!("halyard_edge_refused_signatures_total", "reason" => reason.name())
            .increment(1);
        if self.refused.replace(reason) == Some(reason) {
            tracing::debug!(env.id = %env_id, %reason, "contents were refused again");
        } else {
            tracing::warn!(env.id = %env_id, %reason, "contents were refused; the previous ones are kept");
        }
        Outcome::Resync { env_id }
    }
}

#[cfg(test)]
mod tests;
