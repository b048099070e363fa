//! What sends spans and events to a collector.
//!
//! They wait in bounded queues, from which threads of their own send them: whoever ends a span never waits. What finds no room,
//! or is not taken by the collector, is dropped and counted.

use std::{sync::Arc, time::Duration};

use axum::http::Uri;
use opentelemetry::{InstrumentationScope, logs::LoggerProvider, trace::TracerProvider};
use opentelemetry_otlp::{LogExporter, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    logs::{self, BatchLogProcessor, SdkLoggerProvider},
    trace::{self, BatchSpanProcessor, SdkTracerProvider},
};
use tokio::task::JoinSet;

use super::{
    TRACING, Tracing,
    client::{CannotExport, Client},
    events::LOGGER,
    ids::Ids,
    queue::{Counted, Gate, Queue},
    settings::{Batches, ExportSettings, Service},
};
use crate::{VERSION, telemetry::Metric};

/// The metrics of this module.
pub(crate) const METRICS: &[Metric] = &[
    Metric::counter(
        "halyard_telemetry_dropped_total",
        "Spans and events that were dropped, by signal and reason.",
    ),
    Metric::counter(
        "halyard_telemetry_exported_total",
        "Spans and events that the collector took, by signal.",
    ),
];

/// Sends until it is stopped.
#[derive(Debug)]
pub struct Export {
    traces: Option<SdkTracerProvider>,
    logs: Option<SdkLoggerProvider>,
}

/// Starts to export what has an address. Call it once, in the runtime that the process uses until its end.
///
/// # Errors
/// When the system has no certificates of authorities, and the address needs them.
pub(crate) fn start(service: &Service, settings: ExportSettings) -> Result<Export, CannotExport> {
    let ExportSettings {
        traces,
        logs,
        sampler,
        timeout,
        spans,
        events,
    } = settings;
    let mut export = Export {
        traces: None,
        logs: None,
    };
    let resource = service.resource();
    let scope = InstrumentationScope::builder("halyard")
        .with_version(VERSION)
        .build();
    if let Some(address) = traces {
        let provider = tracer(&address, timeout, spans, sampler.clone(), resource.clone())?;
        let tracer = provider.tracer_with_scope(scope.clone());
        TRACING
            .set(Tracing { tracer, sampler })
            .expect("this is called once");
        export.traces = Some(provider);
    }
    if let Some(address) = logs {
        let provider = logger(&address, timeout, events, resource)?;
        let logger = provider.logger_with_scope(scope);
        assert!(LOGGER.set(logger).is_ok(), "this is called once");
        export.logs = Some(provider);
    }
    Ok(export)
}

impl Export {
    /// Sends what waits, for three seconds at most: the process is about to end.
    pub async fn stop(self) {
        let patience = Duration::from_secs(3);
        let Self { traces, logs } = self;
        let mut stopping = JoinSet::new();
        if let Some(traces) = traces {
            stopping.spawn_blocking(move || traces.shutdown_with_timeout(patience));
        }
        if let Some(logs) = logs {
            stopping.spawn_blocking(move || logs.shutdown_with_timeout(patience));
        }
        // Failures are counted where they happen.
        drop(stopping.join_all().await);
    }
}

fn tracer(
    address: &Uri,
    timeout: Duration,
    batches: Batches,
    sampler: trace::Sampler,
    resource: Resource,
) -> Result<SdkTracerProvider, CannotExport> {
    let queue = Queue::new("traces", batches.queue);
    let exporter = SpanExporter::builder()
        .with_http()
        .with_endpoint(address.to_string())
        .with_timeout(timeout)
        .with_http_client(Client::new(address, timeout)?)
        .build()?;
    let config = trace::BatchConfigBuilder::default()
        .with_max_queue_size(batches.queue)
        .with_max_export_batch_size(batches.size.min(batches.queue))
        .with_scheduled_delay(batches.delay)
        .build();
    let sender = BatchSpanProcessor::builder(Counted {
        inner: exporter,
        queue: Arc::clone(&queue),
    })
    .with_batch_config(config)
    .build();
    Ok(SdkTracerProvider::builder()
        .with_span_processor(Gate {
            inner: sender,
            queue,
        })
        .with_sampler(sampler)
        .with_id_generator(Ids)
        .with_span_limits(trace::SpanLimits::default())
        .with_resource(resource)
        .build())
}

fn logger(
    address: &Uri,
    timeout: Duration,
    batches: Batches,
    resource: Resource,
) -> Result<SdkLoggerProvider, CannotExport> {
    let queue = Queue::new("logs", batches.queue);
    let exporter = LogExporter::builder()
        .with_http()
        .with_endpoint(address.to_string())
        .with_timeout(timeout)
        .with_http_client(Client::new(address, timeout)?)
        .build()?;
    let config = logs::BatchConfigBuilder::default()
        .with_max_queue_size(batches.queue)
        .with_max_export_batch_size(batches.size.min(batches.queue))
        .with_scheduled_delay(batches.delay)
        .build();
    let sender = BatchLogProcessor::builder(Counted {
        inner: exporter,
        queue: Arc::clone(&queue),
    })
    .with_batch_config(config)
    .build();
    Ok(SdkLoggerProvider::builder()
        .with_log_processor(Gate {
            inner: sender,
            queue,
        })
        .with_resource(resource)
        .build())
}
