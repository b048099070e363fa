//! Ids of traces and spans: random ones, or those that were chosen before the span is made.

use std::cell::Cell;

use opentelemetry::{
    Context,
    trace::{SpanId, TraceContextExt, TraceId},
};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator};

thread_local! {
    static CHOSEN: Cell<Option<(TraceId, SpanId)>> = const { Cell::new(None) };
}

/// Gives out what was chosen: the tracer has no other way to be told.
#[derive(Debug)]
pub(super) struct Ids;

impl IdGenerator for Ids {
    fn new_trace_id(&self) -> TraceId {
        CHOSEN.get().map_or_else(trace_id, |(trace_id, _)| trace_id)
    }

    fn new_span_id(&self) -> SpanId {
        CHOSEN.get().map_or_else(span_id, |(_, span_id)| span_id)
    }
}

/// Makes a span that has these ids; that of the trace counts if the span has no parent.
pub(super) fn with<T>(ids: (TraceId, SpanId), make: impl FnOnce() -> T) -> T {
    CHOSEN.set(Some(ids));
    let made = make();
    CHOSEN.set(None);
    made
}

pub(super) fn trace_id() -> TraceId {
    RandomIdGenerator::default().new_trace_id()
}

pub(super) fn span_id() -> SpanId {
    RandomIdGenerator::default().new_span_id()
}

/// The ids of the current context: of a span here, or else of the caller's.
pub(crate) fn current() -> Option<(TraceId, SpanId)> {
    Context::map_current(|context| {
        let span = context.span();
        let ids = span.span_context();
        ids.is_valid().then(|| (ids.trace_id(), ids.span_id()))
    })
}
