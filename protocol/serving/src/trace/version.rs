//! The way of a version of an environment, from the write to the event streams, as a trace of its own.
//!
//! Its ids follow from the environment and the version, which every process on the way knows: the messages of the link carry
//! nothing for it, and each process decides in the same way whether it is sampled. The span of a push to an edge has an id that
//! follows from the edge's certificate, which both ends know; what the edge does is below it.
//!
//! A span is made when its step is over, so nothing is kept for it meanwhile.

use std::time::Duration;

use opentelemetry::{
    Context, KeyValue,
    trace::{
        Link, Span, SpanContext, SpanId, SpanKind, TraceContextExt, TraceFlags, TraceId,
        TraceState, Tracer,
    },
};
use opentelemetry_sdk::trace::{SamplingDecision, ShouldSample};
use parking_lot::RwLock;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{TRACING, current, ids};

/// A certificate.
type Fingerprint = [u8; 32];

/// By which this process is fed; at a control plane none.
static FED_AS: RwLock<Option<Fingerprint>> = RwLock::new(None);

/// From here on this process is fed as the edge with this certificate.
pub fn serve_below(certificate: Fingerprint) {
    *FED_AS.write() = Some(certificate);
}

/// The way of a version, if it is sampled.
#[derive(Debug)]
pub struct Way {
    trace_id: TraceId,
    environment: Uuid,
    version: u64,
}

impl Way {
    /// That of a version of an environment.
    pub fn of(environment: Uuid, version: u64) -> Option<Self> {
        let tracing = TRACING.get()?;
        let trace_id = TraceId::from_bytes(digest(environment, version, &[]));
        let kind = SpanKind::Internal;
        let sampled = tracing
            .sampler
            .should_sample(None, trace_id, "", &kind, &[], &[]);
        (sampled.decision != SamplingDecision::Drop).then_some(Self {
            trace_id,
            environment,
            version,
        })
    }

    /// Its first span: the commit, which took this long until now. The current span and this one have links to each other.
    pub fn committed(&self, took: Duration) {
        let id = self.id(None);
        self.finish("commit", SpanKind::Producer, id, None, took);
        let span = self.context(id);
        if let Some(current) = current() {
            current.span().add_link(span, Vec::new());
        }
    }

    /// A push to the edge with this certificate, from its first byte until the edge has acknowledged it.
    pub fn pushed(&self, to: &Fingerprint, took: Duration) {
        let below = self.id(*FED_AS.read());
        let id = self.id(Some(*to));
        self.finish("push", SpanKind::Producer, id, Some(below), took);
    }

    /// A step within this process.
    pub fn step(&self, name: &'static str, took: Duration) {
        let below = self.id(*FED_AS.read());
        self.finish(name, SpanKind::Internal, ids::span_id(), Some(below), took);
    }

    /// That of a push to an edge, or of the commit.
    fn id(&self, edge: Option<Fingerprint>) -> SpanId {
        let edge = edge.as_ref().map_or(&b"commit"[..], |edge| &edge[..]);
        SpanId::from_bytes(digest(self.environment, self.version, edge))
    }

    fn context(&self, id: SpanId) -> SpanContext {
        let sampled = TraceFlags::SAMPLED;
        SpanContext::new(self.trace_id, id, sampled, true, TraceState::default())
    }

    fn finish(
        &self,
        name: &'static str,
        kind: SpanKind,
        id: SpanId,
        below: Option<SpanId>,
        took: Duration,
    ) {
        let Some(tracing) = TRACING.get() else {
            return;
        };
        let now = opentelemetry::time::now();
        let version = i64::try_from(self.version).unwrap_or(i64::MAX);
        let mut builder = tracing
            .tracer
            .span_builder(name)
            .with_kind(kind)
            .with_start_time(now.checked_sub(took).unwrap_or(now))
            .with_attributes([
                KeyValue::new("halyard.environment.id", self.environment.to_string()),
                KeyValue::new("halyard.version", version),
            ]);
        let parent = match below {
            Some(below) => Context::new().with_remote_span_context(self.context(below)),
            None => {
                let cause = current().map(|current| current.span().span_context().clone());
                builder = builder.with_links(cause.map(Link::with_context).into_iter().collect());
                Context::new()
            }
        };
        let mut span = ids::with((self.trace_id, id), || {
            tracing.tracer.build_with_context(builder, &parent)
        });
        span.end_with_timestamp(now);
    }
}

fn digest<const N: usize>(environment: Uuid, version: u64, place: &[u8]) -> [u8; N] {
    let hash = Sha256::new()
        .chain_update(environment)
        .chain_update(version.to_be_bytes())
        .chain_update(place)
        .finalize();
    let mut first = [0; N];
    first.copy_from_slice(&hash[..N]);
    first
}
