//! The settings of what is exported: the standard variables of OpenTelemetry.

use std::{
    fmt::{self, Display},
    str::FromStr,
    time::Duration,
};

use axum::http::{HeaderName, HeaderValue, Uri};
use opentelemetry::KeyValue;
use opentelemetry_sdk::{Resource, trace::Sampler};
use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use crate::{VERSION, settings::Reader};

/// The share of new traces that is recorded by default.
const RATIO: f64 = 0.01;

/// Who this process is, for those who read its log lines, traces and events.
#[derive(Clone, Debug)]
pub struct Service {
    /// `OTEL_SERVICE_NAME`, or else the name of the program.
    pub name: String,
    /// `service.instance.id` of `OTEL_RESOURCE_ATTRIBUTES`, or else a random one.
    pub instance: String,
    /// The other `OTEL_RESOURCE_ATTRIBUTES`.
    others: Vec<(String, String)>,
}

/// What is exported, and where to.
#[derive(Debug)]
pub struct ExportSettings {
    /// The address of traces; without one there are none.
    pub(super) traces: Option<Uri>,
    /// The address of logs; without one there are none.
    pub(super) logs: Option<Uri>,
    /// `OTEL_TRACES_SAMPLER`: which new traces are recorded.
    pub(super) sampler: Sampler,
    /// `OTEL_EXPORTER_OTLP_TIMEOUT`: how long the collector may take to answer; 10 s.
    pub(super) timeout: Duration,
    pub(super) spans: Batches,
    pub(super) events: Batches,
}

/// How spans or events are collected before they are sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batches {
    /// How many may wait.
    pub(super) queue: usize,
    /// How many are sent together.
    pub(super) size: usize,
    /// How long they wait for others.
    pub(super) delay: Duration,
}

impl Service {
    /// Reads `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.
    pub fn load(reader: &mut Reader<'_>, program: &str) -> Self {
        const ATTRIBUTES: &str = "OTEL_RESOURCE_ATTRIBUTES";
        let text = reader.optional(ATTRIBUTES).unwrap_or_default();
        let mut others = pairs(&text).unwrap_or_else(|| {
            reader.problem(ATTRIBUTES, "expected key=value,key=value");
            Vec::new()
        });
        let mut take = |key: &str| {
            let place = others.iter().position(|(other, _)| other == key)?;
            Some(others.remove(place).1)
        };
        let (name, instance) = (take("service.name"), take("service.instance.id"));
        drop(take("service.version"));
        let name = reader.optional("OTEL_SERVICE_NAME").or(name);
        Self {
            name: name.unwrap_or_else(|| program.to_owned()),
            instance: instance.unwrap_or_else(|| Uuid::new_v4().to_string()),
            others,
        }
    }

    pub(super) fn resource(&self) -> Resource {
        let own = [
            KeyValue::new("service.name", self.name.clone()),
            KeyValue::new("service.version", VERSION),
            KeyValue::new("service.instance.id", self.instance.clone()),
        ];
        let others = self.others.iter().cloned();
        let others = others.map(|(key, value)| KeyValue::new(key, value));
        Resource::builder_empty()
            .with_attributes(own.into_iter().chain(others))
            .build()
    }
}

impl ExportSettings {
    /// Reads where to export to, and how. Headers are read by the exporter: here they are only checked.
    pub fn load(reader: &mut Reader<'_>) -> Self {
        let is_off = reader.bool("OTEL_SDK_DISABLED", false);
        let mut base = endpoint(reader, "OTEL_EXPORTER_OTLP_ENDPOINT");
        let mut traces = endpoint(reader, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let mut logs = endpoint(reader, "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT");
        if is_off {
            (base, traces, logs) = (None, None, None);
        }
        let below = |path| base.as_ref().map(|base| base.join(path));
        for name in [
            "OTEL_EXPORTER_OTLP_HEADERS",
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
            "OTEL_EXPORTER_OTLP_LOGS_HEADERS",
        ] {
            let headers = reader.secret(name);
            if headers.is_some_and(|headers| !are_headers(&headers)) {
                reader.problem(name, "expected name=value,name=value");
            }
        }
        for name in [
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
            "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL",
        ] {
            only(reader, name, "http/protobuf");
        }
        for name in [
            "OTEL_EXPORTER_OTLP_COMPRESSION",
            "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION",
            "OTEL_EXPORTER_OTLP_LOGS_COMPRESSION",
        ] {
            only(reader, name, "gzip");
        }
        Self {
            traces: traces.map(|own| own.0).or_else(|| below("/v1/traces")),
            logs: logs.map(|own| own.0).or_else(|| below("/v1/logs")),
            sampler: sampler(reader),
            timeout: milliseconds(reader, "OTEL_EXPORTER_OTLP_TIMEOUT", 10_000),
            spans: Batches {
                queue: reader.number("OTEL_BSP_MAX_QUEUE_SIZE", 2_048, 1..=1_000_000),
                size: reader.number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512, 1..=10_000),
                delay: milliseconds(reader, "OTEL_BSP_SCHEDULE_DELAY", 5_000),
            },
            events: Batches {
                queue: reader.number("OTEL_BLRP_MAX_QUEUE_SIZE", 2_048, 1..=1_000_000),
                size: reader.number("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", 512, 1..=10_000),
                delay: milliseconds(reader, "OTEL_BLRP_SCHEDULE_DELAY", 1_000),
            },
        }
    }
}

/// An address. A wrong one is not shown: it may have a password.
fn endpoint(reader: &mut Reader<'_>, name: &str) -> Option<Endpoint> {
    let endpoint = reader.optional(name)?.parse();
    endpoint
        .map_err(|problem: &str| reader.problem(name, problem))
        .ok()
}

fn only(reader: &mut Reader<'_>, name: &str, value: &str) {
    if let Some(other) = reader.optional(name).filter(|other| other != value) {
        reader.problem(name, format!("`{other}`: must be {value} or not set"));
    }
}

/// As everywhere in OpenTelemetry, a number without a unit.
fn milliseconds(reader: &mut Reader<'_>, name: &str, default: u64) -> Duration {
    Duration::from_millis(reader.number(name, default, 1..=600_000))
}

fn sampler(reader: &mut Reader<'_>) -> Sampler {
    const NAME: &str = "OTEL_TRACES_SAMPLER";
    let ratio = reader.parse("OTEL_TRACES_SAMPLER_ARG", Ratio(RATIO)).0;
    let ratio = Sampler::TraceIdRatioBased(ratio);
    let name = reader.text(NAME, "parentbased_traceidratio");
    let (root, is_parent_based) = match name.strip_prefix("parentbased_") {
        Some(root) => (root, true),
        None => (&*name, false),
    };
    let sampler = match root {
        "always_on" => Sampler::AlwaysOn,
        "always_off" => Sampler::AlwaysOff,
        "traceidratio" => ratio,
        _ => {
            let problem =
                "expected always_on, always_off or traceidratio, or one with parentbased_ in front";
            reader.problem(NAME, format!("`{name}`: {problem}"));
            ratio
        }
    };
    if is_parent_based {
        Sampler::ParentBased(Box::new(sampler))
    } else {
        sampler
    }
}

/// Pairs as in W3C Baggage, without properties; `None` where it is something else.
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let items = text.split(',').map(str::trim);
    let items = items.filter(|item| !item.is_empty());
    let pairs = items.map(|item| {
        let (key, value) = item.split_once('=')?;
        let key = key.trim();
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        (!key.is_empty()).then(|| (key.to_owned(), value.into_owned()))
    });
    pairs.collect()
}

fn are_headers(text: &SecretString) -> bool {
    pairs(text.expose_secret()).is_some_and(|pairs| {
        pairs.iter().all(|(name, value)| {
            HeaderName::from_str(name).is_ok() && HeaderValue::from_str(value).is_ok()
        })
    })
}

/// `http://` or `https://` and a host.
struct Endpoint(Uri);

impl Endpoint {
    fn join(&self, path: &str) -> Uri {
        let base = self.0.to_string();
        let whole = format!("{}{path}", base.trim_end_matches('/'));
        whole.parse().expect("an address and a path are an address")
    }
}

impl FromStr for Endpoint {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected http://HOST:PORT or https://HOST:PORT";
        let uri: Uri = text.parse().map_err(|_| EXPECTED)?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        // A password belongs into a header, where it is not shown.
        let is_plain =
            uri.query().is_none() && uri.authority().is_some_and(|at| !at.as_str().contains('@'));
        if is_http && is_plain {
            Ok(Self(uri))
        } else {
            Err(EXPECTED)
        }
    }
}

struct Ratio(f64);

impl FromStr for Ratio {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let ratio = text.parse().ok();
        let ratio = ratio.filter(|ratio| (0.0..=1.0).contains(ratio));
        ratio.map(Self).ok_or("expected a number from 0 to 1")
    }
}

impl Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn load(pairs: &[(&str, &str)]) -> Result<(Service, ExportSettings), String> {
        let pairs = pairs
            .iter()
            .map(|(name, value)| (format!("OTEL_{name}"), (*value).to_owned()));
        let source = BTreeMap::from_iter(pairs);
        let mut reader = Reader::new(&source);
        let service = Service::load(&mut reader, "halyard");
        let export = ExportSettings::load(&mut reader);
        reader.finish().map_err(|problems| problems.to_string())?;
        Ok((service, export))
    }

    fn addresses(pairs: &[(&str, &str)]) -> (Option<String>, Option<String>) {
        let (_, export) = load(pairs).unwrap();
        let text = |uri: Option<Uri>| uri.map(|uri| uri.to_string());
        (text(export.traces), text(export.logs))
    }

    #[test]
    fn nothing_is_exported_without_an_address_or_when_disabled() {
        assert_eq!(addresses(&[]), (None, None));
        let off = [
            ("EXPORTER_OTLP_ENDPOINT", "http://a:4318"),
            ("SDK_DISABLED", "true"),
        ];
        assert_eq!(addresses(&off), (None, None));
    }

    #[test]
    fn an_address_is_a_base_or_that_of_one_kind() {
        let both = addresses(&[("EXPORTER_OTLP_ENDPOINT", "https://a/otlp/")]);
        let expected = ("https://a/otlp/v1/traces", "https://a/otlp/v1/logs");
        assert_eq!(
            both,
            (Some(expected.0.to_owned()), Some(expected.1.to_owned()))
        );
        let one = addresses(&[("EXPORTER_OTLP_TRACES_ENDPOINT", "http://b:1/x")]);
        assert_eq!(one, (Some("http://b:1/x".to_owned()), None));
    }

    #[test]
    fn a_service_is_named_by_its_own_variable_first() {
        let attributes = "service.name=a,service.instance.id=i%201,deployment.environment.name=eu";
        let (service, _) = load(&[("RESOURCE_ATTRIBUTES", attributes)]).unwrap();
        assert_eq!((&*service.name, &*service.instance), ("a", "i 1"));
        assert_eq!(service.resource().len(), 4);
        let named = [("RESOURCE_ATTRIBUTES", attributes), ("SERVICE_NAME", "b")];
        assert_eq!(load(&named).unwrap().0.name, "b");
        assert_eq!(load(&[]).unwrap().0.name, "halyard");
    }

    #[test]
    fn every_problem_is_reported_and_no_header_is_shown() {
        let problems = load(&[
            ("RESOURCE_ATTRIBUTES", "a"),
            ("EXPORTER_OTLP_ENDPOINT", "http://user:secret@a"),
            ("EXPORTER_OTLP_HEADERS", "x secret"),
            ("EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("EXPORTER_OTLP_TIMEOUT", "10s"),
            ("TRACES_SAMPLER", "sometimes"),
            ("TRACES_SAMPLER_ARG", "1.5"),
        ]);
        let problems = problems.unwrap_err();
        let lines: Vec<_> = problems.lines().skip(1).map(str::trim).collect();
        assert_eq!(lines.len(), 7, "{problems}");
        assert!(!problems.contains("secret"), "{problems}");
    }
}
