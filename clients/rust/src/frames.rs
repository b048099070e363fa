//! What an edge sent, checked and prepared.

use bytes::Bytes;
use protocol::{
    eval::Environment,
    signature::Signature,
    wire::{
        frame::{self, FrameHeader, PUSH_LIMIT},
        merge::{self, Damaged},
        message::Push,
        signed,
    },
};

/// Deltas that are kept before they become one with what they follow.
const DELTAS: usize = 64;

/// Prepares a whole environment.
pub(crate) fn prepare(push: &Push) -> Result<Environment, Damaged> {
    let Push::Snapshot(snapshot, digest) = push else {
        return Err(Damaged("not a whole environment"));
    };
    let environment = Environment::prepare(snapshot)
        .map_err(|_| Damaged("the environment cannot be prepared"))?;
    if environment.digest() != *digest {
        return Err(Damaged("the contents have another digest"));
    }
    Ok(environment)
}

/// The frame of a push, and the signature behind it.
pub(crate) fn split(mut push: Bytes) -> Result<(Bytes, Option<Signature>), Damaged> {
    let signature = signed::signature(&push)?;
    push.truncate(signed::frame_length(&push)?);
    Ok((push, signature))
}

/// A whole environment and changes of it, as they came: what a local copy is made of.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    frames: Vec<Bytes>,
    /// Of what all of them lead to: that of the last.
    signature: Option<Signature>,
}

impl Frames {
    /// Of a whole environment.
    pub(crate) fn new(snapshot: Bytes, signature: Option<Signature>) -> Self {
        Self {
            frames: vec![snapshot],
            signature,
        }
    }

    /// Takes apart frames that follow each other; the signature is that of the last.
    pub(crate) fn parse(mut bytes: Bytes, signature: Option<Signature>) -> Result<Self, Damaged> {
        let mut frames = Vec::new();
        while !bytes.is_empty() {
            let header = bytes.first_chunk().ok_or(Damaged("not a frame"))?;
            let header =
                FrameHeader::parse(*header, PUSH_LIMIT).map_err(|_| Damaged("not a frame"))?;
            let length = FrameHeader::LENGTH + header.payload_length();
            if bytes.len() < length {
                return Err(Damaged("a frame is cut off"));
            }
            frames.push(bytes.split_to(length));
        }
        Ok(Self { frames, signature })
    }

    /// All, one after the other.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Bytes> {
        self.frames.iter()
    }

    /// The signature of what they lead to.
    pub(crate) const fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }

    /// Adds a change.
    pub(crate) fn push(&mut self, delta: Bytes, signature: Option<Signature>) {
        self.frames.push(delta);
        self.signature = signature;
    }

    /// Whether they should be made one.
    pub(crate) fn are_many(&self) -> bool {
        let [whole, deltas @ ..] = &*self.frames else {
            return false;
        };
        let bytes: usize = deltas.iter().map(Bytes::len).sum();
        deltas.len() > DELTAS || bytes > whole.len().max(64 << 10)
    }

    /// The whole environment to which they lead.
    pub(crate) fn merged(&self) -> Result<Push, Damaged> {
        merge::merge(self.frames.iter().map(|frame| merge::read(frame)))
    }

    /// The same as one frame.
    pub(crate) fn as_one(&self) -> Result<Self, Damaged> {
        let frame = frame::encode(&self.merged()?).map_err(|_| Damaged("too large"))?;
        Ok(Self::new(frame.into(), self.signature))
    }
}
