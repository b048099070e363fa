//! Traces: the context that requests carry from service to service, and the spans of this process.
//!
//! Everything here is free of charge while nothing is exported, except for requests that come with a context: it is kept for their
//! log lines and for the calls they cause. A span is begun only where it is recorded: the sampler is asked before anything is made.

mod client;
mod events;
mod export;
mod headers;
mod ids;
mod queue;
mod settings;
mod version;

use std::{borrow::Cow, sync::OnceLock};

use futures_util::future::Either;
use opentelemetry::trace::{FutureExt, Status, TraceContextExt, Tracer};
use opentelemetry_sdk::trace::{Sampler, SamplingDecision, SdkTracer, ShouldSample};

pub use opentelemetry::{Context, KeyValue, trace::SpanKind};

pub use self::{
    client::CannotExport,
    events::{exports_events, record},
    export::Export,
    headers::inject,
    settings::{ExportSettings, Service},
    version::{Way, serve_below},
};
pub(crate) use self::{
    export::{METRICS, start},
    headers::{answered, of_request},
    ids::current as current_ids,
};

/// What records spans; set once, where traces are exported.
static TRACING: OnceLock<Tracing> = OnceLock::new();

#[derive(Debug)]
struct Tracing {
    tracer: SdkTracer,
    /// The tracer's.
    sampler: Sampler,
}

/// A span that is not begun yet.
struct Described {
    name: Cow<'static, str>,
    attributes: Vec<KeyValue>,
}

/// Begins a span below `parent`, or that of a new trace, if the sampler takes it.
fn begin(
    parent: Option<&Context>,
    kind: SpanKind,
    describe: impl FnOnce() -> Described,
) -> Option<Context> {
    let Tracing { tracer, sampler } = TRACING.get()?;
    let trace_id = parent.map_or_else(ids::trace_id, |parent| {
        parent.span().span_context().trace_id()
    });
    let sampled = sampler.should_sample(parent, trace_id, "", &kind, &[], &[]);
    if sampled.decision == SamplingDecision::Drop {
        return None;
    }
    let Described { name, attributes } = describe();
    let builder = tracer.span_builder(name).with_kind(kind);
    let builder = builder.with_attributes(attributes);
    let parent = parent.cloned().unwrap_or_default();
    let span = ids::with((trace_id, ids::span_id()), || {
        tracer.build_with_context(builder, &parent)
    });
    Some(parent.with_span(span))
}

/// Does work in a context, whose span ends with the work.
fn inside<F: Future>(
    context: Option<Context>,
    work: F,
) -> impl Future<Output = F::Output> + use<F> {
    match context {
        Some(context) => {
            let ending = context.clone();
            Either::Left(async move {
                let done = work.with_context(context).await;
                ending.span().end();
                done
            })
        }
        None => Either::Right(work),
    }
}

/// Does work in a span below the current one, if that is recorded.
pub fn within<F: Future>(
    name: &'static str,
    kind: SpanKind,
    attributes: impl FnOnce() -> Vec<KeyValue>,
    work: F,
) -> impl Future<Output = F::Output> {
    let current = current();
    let context = current.and_then(|parent| {
        begin(Some(&parent), kind, || Described {
            name: name.into(),
            attributes: attributes(),
        })
    });
    inside(context, work)
}

/// Does work in the first span of a trace: work that no request asked for.
pub fn alone<F: Future>(
    name: &'static str,
    kind: SpanKind,
    attributes: impl FnOnce() -> Vec<KeyValue>,
    work: F,
) -> impl Future<Output = F::Output> {
    let context = begin(None, kind, || Described {
        name: name.into(),
        attributes: attributes(),
    });
    inside(context, work)
}

/// Does work in the current context, where it is handed to another task.
pub fn carried<F: Future>(work: F) -> impl Future<Output = F::Output> {
    match current() {
        Some(context) => Either::Left(work.with_context(context)),
        None => Either::Right(work),
    }
}

/// Notes an attribute of the current span.
pub fn note(key: &'static str, value: impl Into<opentelemetry::Value>) {
    if TRACING.get().is_some() {
        Context::map_current(|context| context.span().set_attribute(KeyValue::new(key, value)));
    }
}

/// The current span's work has failed, for a reason of a few fixed words.
pub fn failed(reason: &'static str) {
    if TRACING.get().is_some() {
        Context::map_current(|context| {
            let span = context.span();
            span.set_attribute(KeyValue::new("error.type", reason));
            span.set_status(Status::error(""));
        });
    }
}

fn current() -> Option<Context> {
    Context::map_current(|context| context.has_active_span().then(|| context.clone()))
}
