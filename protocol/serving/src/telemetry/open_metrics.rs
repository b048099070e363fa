//! The two formats that Prometheus reads. OpenMetrics has exemplars: the trace of a request that took as long as its bucket says.

use std::{
    fmt::{self, Display, Formatter, Write as _},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::http::{HeaderMap, header::ACCEPT};
use opentelemetry::TraceId;

/// How metrics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Prometheus's own.
    Text,
    /// The one with exemplars.
    OpenMetrics,
}

impl Format {
    /// The one that a client prefers: its own, unless it accepts OpenMetrics.
    pub(crate) fn wanted(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(ACCEPT).into_iter();
        let mut accepted = accepted.filter_map(|value| value.to_str().ok());
        match accepted.any(|value| value.contains("application/openmetrics-text")) {
            true => Self::OpenMetrics,
            false => Self::Text,
        }
    }

    pub(crate) const fn content_type(self) -> &'static str {
        match self {
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }

    /// Text as this format has it: OpenMetrics names counters without their suffix, and has no empty lines but an end.
    pub(crate) fn finish(self, text: String) -> String {
        if self == Self::Text {
            return text;
        }
        let mut finished = String::with_capacity(text.len());
        for line in text.lines().filter(|line| !line.is_empty()) {
            let mut words = line.splitn(4, ' ');
            let head = [words.next(), words.next(), words.next(), words.next()];
            let is_written = match head {
                [Some("#"), Some(word), Some(name), Some(rest)] => {
                    let name = name.strip_suffix("_total").unwrap_or(name);
                    writeln!(finished, "# {word} {name} {rest}")
                }
                _ => writeln!(finished, "{line}"),
            };
            is_written.expect("a string takes everything");
        }
        finished + "# EOF\n"
    }
}

/// A request that is in a trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exemplar {
    trace_id: TraceId,
    took: Duration,
    at: SystemTime,
}

impl Exemplar {
    pub(super) fn new(trace_id: TraceId, took: Duration) -> Self {
        let at = opentelemetry::time::now();
        Self { trace_id, took, at }
    }
}

impl Display for Exemplar {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let Self { trace_id, took, at } = self;
        let at = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (took, at) = (took.as_secs_f64(), at.as_secs_f64());
        write!(to, " # {{trace_id=\"{trace_id}\"}} {took} {at:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_the_format_that_it_accepts() {
        for (accept, format) in [
            (None, Format::Text),
            (
                Some("text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
                Format::Text,
            ),
            (
                Some("application/openmetrics-text;version=1.0.0,text/plain;q=0.5"),
                Format::OpenMetrics,
            ),
        ] {
            let headers = accept.map(|accept| (ACCEPT, accept.parse().unwrap()));
            assert_eq!(Format::wanted(&headers.into_iter().collect()), format);
        }
    }

    #[test]
    fn open_metrics_differs_in_heads_and_ends() {
        let text = "# HELP a_total What a is.\n# TYPE a_total counter\na_total{b=\"c d\"} 1\n\n# TYPE e gauge\ne 2\n\n";
        let expected = "# HELP a What a is.\n# TYPE a counter\na_total{b=\"c d\"} 1\n# TYPE e gauge\ne 2\n# EOF\n";
        assert_eq!(Format::OpenMetrics.finish(text.to_owned()), expected);
        assert_eq!(Format::Text.finish(text.to_owned()), text);
    }
}
