//! The bounded queues in front of the exporters, and what is counted there: the SDK says nothing about what it drops.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use opentelemetry::InstrumentationScope;
use opentelemetry_otlp::{LogExporter, SpanExporter};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    logs::{self, BatchLogProcessor, LogBatch},
    trace::{self, BatchSpanProcessor, SpanData},
};

/// What waits, counted.
#[derive(Debug)]
pub(super) struct Queue {
    signal: &'static str,
    room: usize,
    waiting: AtomicUsize,
    /// Whether the last batch was not taken.
    is_failing: AtomicBool,
}

impl Queue {
    pub(super) fn new(signal: &'static str, room: usize) -> Arc<Self> {
        for reason in ["queue_full", "not_taken"] {
            metrics::counter!("halyard_telemetry_dropped_total", "signal" => signal, "reason" => reason).absolute(0);
        }
        metrics::counter!("halyard_telemetry_exported_total", "signal" => signal).absolute(0);
        Arc::new(Self {
            signal,
            room,
            waiting: AtomicUsize::new(0),
            is_failing: AtomicBool::new(false),
        })
    }

    /// Whether one more has room.
    fn enter(&self) -> bool {
        let has_room = self.waiting.fetch_add(1, Ordering::Relaxed) < self.room;
        if !has_room {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            self.dropped("queue_full", 1);
        }
        has_room
    }

    /// A batch was sent, or given up.
    fn sent(&self, count: usize, sent: &OTelSdkResult) {
        let Err(error) = sent else {
            self.is_failing.store(false, Ordering::Relaxed);
            metrics::counter!("halyard_telemetry_exported_total", "signal" => self.signal)
                .increment(count as u64);
            return;
        };
        self.dropped("not_taken", count);
        if !self.is_failing.swap(true, Ordering::Relaxed) {
            let signal = self.signal;
            tracing::warn!(signal, %error, "the collector does not take what is exported; it is dropped until it does");
        }
    }

    fn dropped(&self, reason: &'static str, count: usize) {
        metrics::counter!("halyard_telemetry_dropped_total", "signal" => self.signal, "reason" => reason).increment(count as u64);
    }
}

/// Lets as many into a queue as it has room for.
#[derive(Debug)]
pub(super) struct Gate<P> {
    pub(super) inner: P,
    pub(super) queue: Arc<Queue>,
}

impl trace::SpanProcessor for Gate<BatchSpanProcessor> {
    fn on_start(&self, span: &mut trace::Span, context: &opentelemetry::Context) {
        self.inner.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        if self.queue.enter() {
            self.inner.on_end(span);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

impl logs::LogProcessor for Gate<BatchLogProcessor> {
    fn emit(&self, record: &mut logs::SdkLogRecord, scope: &InstrumentationScope) {
        if self.queue.enter() {
            self.inner.emit(record, scope);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

/// Counts what leaves a queue.
#[derive(Debug)]
pub(super) struct Counted<E> {
    pub(super) inner: E,
    pub(super) queue: Arc<Queue>,
}

impl<E> Counted<E> {
    async fn count(
        &self,
        count: usize,
        sending: impl Future<Output = OTelSdkResult>,
    ) -> OTelSdkResult {
        self.queue.waiting.fetch_sub(count, Ordering::Relaxed);
        let sent = sending.await;
        self.queue.sent(count, &sent);
        sent
    }
}

impl trace::SpanExporter for Counted<SpanExporter> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        self.count(count, self.inner.export(batch)).await
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

impl logs::LogExporter for Counted<LogExporter> {
    async fn export(&self, batch: LogBatch<'_>) -> OTelSdkResult {
        let count = batch.iter().count();
        self.count(count, self.inner.export(batch)).await
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}
