//! The log of a process, and the recorder of its metrics.
//!
//! Lines are text for people at a terminal and JSON for collectors, on standard error. Both globals are installed once,
//! by a `main`; libraries only emit.

mod lines;
mod metric;
pub(crate) mod open_metrics;
pub(crate) mod requests;

use std::{io::IsTerminal, str::FromStr, sync::Arc, time::Duration};

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use parking_lot::Mutex;
use thiserror::Error;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, util::TryInitError};

use self::lines::{Objects, Text};
pub use self::{
    metric::{Metric, describe},
    open_metrics::Format,
};
use crate::{
    build::{self, Build},
    listener::REFUSED,
    settings::Reader,
    trace::{self, CannotExport, ExportSettings, Service},
};

const BUILD: Metric = Metric::gauge(
    "halyard_build_info",
    "1, labelled with the version and the commit of this build.",
);

/// Upper bounds of the histograms besides that of requests.
const SECONDS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// What is logged, and how it looks; who logs it; and what is exported.
#[derive(Debug)]
pub struct TelemetrySettings {
    /// `LOG_FORMAT`: `text` or `json`; by default text at a terminal, JSON otherwise.
    pub format: LogFormat,
    /// `LOG_LEVEL`: a level or a filter such as `info,edge_node=debug`; `info` by default.
    pub filter: EnvFilter,
    /// `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.
    pub service: Service,
    /// The other settings of OpenTelemetry.
    pub export: ExportSettings,
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One object per line.
    Json,
}

/// A text that names no log format.
#[derive(Debug, Error)]
#[error("expected text or json")]
pub struct UnknownFormat;

impl FromStr for LogFormat {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(UnknownFormat),
        }
    }
}

impl TelemetrySettings {
    /// Reads all of them, for a program of this name.
    pub fn load(reader: &mut Reader<'_>, program: &str) -> Self {
        let default = if std::io::stderr().is_terminal() {
            LogFormat::Text
        } else {
            LogFormat::Json
        };
        Self {
            format: reader.parse("LOG_FORMAT", default),
            filter: reader.parse("LOG_LEVEL", EnvFilter::new("info")),
            service: Service::load(reader, program),
            export: ExportSettings::load(reader),
        }
    }
}

/// Why there is no telemetry.
#[derive(Debug, Error)]
pub enum CannotInstall {
    #[error("this process logs already")]
    Log(#[from] TryInitError),
    #[error("this process records metrics already")]
    Metrics(#[from] BuildError),
    #[error("cannot export traces and logs")]
    Export(#[from] CannotExport),
}

/// Starts to log, to record metrics, and to export what has an address. Call it once, in the runtime of the process.
///
/// # Errors
/// When this process does so already, or the system has no certificates for the address.
pub fn install(
    settings: TelemetrySettings,
) -> Result<(PrometheusHandle, trace::Export), CannotInstall> {
    let lines = tracing_subscriber::fmt()
        .with_env_filter(settings.filter)
        .with_writer(std::io::stderr);
    match settings.format {
        LogFormat::Text => lines.map_event_format(Text).finish().try_init()?,
        LogFormat::Json => {
            let lines = lines.json().event_format(Objects::of(&settings.service));
            lines.finish().try_init()?;
        }
    }
    let metrics = install_metrics()?;
    let export = trace::start(&settings.service, settings.export)?;
    Ok((metrics, export))
}

/// Starts recording metrics. Fails if this process already records them.
pub fn install_metrics() -> Result<PrometheusHandle, BuildError> {
    let metrics = PrometheusBuilder::new()
        .set_buckets_for_metric(
            Matcher::Full("halyard_propagation_seconds".to_owned()),
            &SECONDS,
        )?
        .install_recorder()?;
    describe(&[REFUSED, BUILD]);
    describe(trace::METRICS);
    let Build { version, commit } = build::this();
    metrics::gauge!("halyard_build_info", "version" => version, "commit" => commit).set(1);
    metrics_process::Collector::default().describe();
    Ok(metrics)
}

/// Everything that the process has counted, requests included, as Prometheus reads it.
#[must_use]
pub fn render(metrics: &PrometheusHandle, format: Format) -> String {
    metrics.render() + &requests::render(format)
}

/// Gauges of things that come and go, such as connected edges. Every round replaces the one before: what is not set
/// again is gone, and so are its labels.
#[derive(Clone, Debug)]
pub struct PassingGauges {
    table: &'static [Metric],
    last: Arc<Mutex<Option<PrometheusHandle>>>,
}

impl PassingGauges {
    /// Those of this table.
    #[must_use]
    pub fn new(table: &'static [Metric]) -> Self {
        let last = Arc::default();
        Self { table, last }
    }

    /// Begins a round; `set` sets its gauges, by the macros of `metrics`.
    pub fn replace(&self, set: impl FnOnce()) {
        let recorder = PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || {
            describe(self.table);
            set();
        });
        *self.last.lock() = Some(recorder.handle());
    }

    /// The gauges of the last round, as Prometheus reads them.
    #[must_use]
    pub fn render(&self) -> String {
        let last = self.last.lock();
        last.as_ref()
            .map(PrometheusHandle::render)
            .unwrap_or_default()
    }
}

/// Folds recorded samples and measures the process until `stop` is cancelled.
pub async fn keep_metrics(metrics: PrometheusHandle, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(Duration::from_secs(5));
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        metrics.run_upkeep();
        // Counting open files may take milliseconds.
        tokio::task::spawn_blocking(|| metrics_process::Collector::default().collect());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_round_of_gauges_forgets_those_of_the_one_before() {
        const SEEN: &[Metric] = &[Metric::gauge("seen", "What was seen.")];
        let gauges = PassingGauges::new(SEEN);
        assert_eq!(gauges.render(), "");
        for name in ["a", "b"] {
            gauges.replace(|| metrics::gauge!("seen", "name" => name).set(1));
        }
        let text = gauges.render();
        assert!(text.contains("seen{name=\"b\"} 1"), "{text}");
        assert!(text.contains("# HELP seen What was seen.\n"), "{text}");
        assert!(!text.contains("\"a\""), "{text}");
    }

    #[test]
    fn format_and_filter_are_read() {
        let source = BTreeMap::from([
            ("LOG_FORMAT".to_owned(), "json".to_owned()),
            ("LOG_LEVEL".to_owned(), "info,edge_node=debug".to_owned()),
        ]);
        let mut reader = Reader::new(&source);
        let settings = TelemetrySettings::load(&mut reader, "halyard");
        assert_eq!(settings.format, LogFormat::Json);
        assert!(settings.filter.to_string().contains("edge_node=debug"));
        assert!(reader.finish().is_ok());
    }

    #[test]
    fn nonsense_is_reported_under_its_variable() {
        let source = BTreeMap::from([
            ("LOG_FORMAT".to_owned(), "xml".to_owned()),
            ("LOG_LEVEL".to_owned(), "a=b=c".to_owned()),
        ]);
        let mut reader = Reader::new(&source);
        TelemetrySettings::load(&mut reader, "halyard");
        let problems = reader.finish().unwrap_err().to_string();
        assert!(problems.contains("LOG_FORMAT `xml`"), "{problems}");
        assert!(problems.contains("LOG_LEVEL `a=b=c`"), "{problems}");
    }
}
