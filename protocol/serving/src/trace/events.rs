//! Events as OTLP log records, with the context they happen in.

use std::{sync::OnceLock, time::SystemTime};

use opentelemetry::logs::{LogRecord, Logger, Severity};
use opentelemetry_sdk::logs::SdkLogger;

/// What records events; set once, where logs are exported.
pub(super) static LOGGER: OnceLock<SdkLogger> = OnceLock::new();

/// Whether events are exported.
pub fn exports_events() -> bool {
    LOGGER.get().is_some()
}

/// Records an event, if events are exported.
pub fn record(
    name: &'static str,
    happened_at: SystemTime,
    attributes: impl IntoIterator<Item = (&'static str, String)>,
) {
    if let Some(logger) = LOGGER.get() {
        let mut record = logger.create_log_record();
        record.set_event_name(name);
        record.set_timestamp(happened_at);
        record.set_severity_number(Severity::Info);
        record.add_attributes(attributes);
        logger.emit(record);
    }
}
