//! A collector: reads what it is sent by the published schema of OTLP.

use harness::{Received, Receiver, eventually};
use opentelemetry_proto::tonic::{
    collector::{logs::v1::ExportLogsServiceRequest, trace::v1::ExportTraceServiceRequest},
    common::v1::{AnyValue, KeyValue, any_value::Value},
};
use prost::Message;

pub struct Collector(pub Receiver);

/// A span, and the service it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    pub service: String,
    pub name: String,
    pub trace: String,
    pub id: String,
    /// Empty, if it is the first of its trace.
    pub parent: String,
    /// Ids of spans.
    pub links: Vec<String>,
    attributes: Vec<KeyValue>,
}

/// A log record.
#[derive(Clone, Debug)]
pub struct Record {
    pub name: String,
    pub trace: String,
    attributes: Vec<KeyValue>,
}

impl Collector {
    pub fn start() -> Self {
        Self(Receiver::start())
    }

    /// What a process needs to send everything here at once.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("OTEL_EXPORTER_OTLP_ENDPOINT", self.0.url("")),
            ("OTEL_TRACES_SAMPLER_ARG", "1".to_owned()),
            ("OTEL_BSP_SCHEDULE_DELAY", "50".to_owned()),
            ("OTEL_BLRP_SCHEDULE_DELAY", "50".to_owned()),
        ]
    }

    fn received(&self, path: &str) -> Vec<Received> {
        let mut received = self.0.received();
        received.retain(|one| one.path == path);
        received
    }

    pub fn spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        for request in self.received("/v1/traces") {
            let request = ExportTraceServiceRequest::decode(request.body).expect("OTLP");
            for of_resource in request.resource_spans {
                let resource = of_resource.resource.expect("a resource");
                let service = attribute(&resource.attributes, "service.name");
                let scopes = of_resource.scope_spans.into_iter();
                spans.extend(scopes.flat_map(|scope| scope.spans).map(|span| {
                    Span {
                        service: service.clone().expect("a name"),
                        name: span.name,
                        trace: hex::encode(span.trace_id),
                        id: hex::encode(span.span_id),
                        parent: hex::encode(span.parent_span_id),
                        links: span
                            .links
                            .iter()
                            .map(|link| hex::encode(&link.span_id))
                            .collect(),
                        attributes: span.attributes,
                    }
                }));
            }
        }
        spans
    }

    pub fn records(&self) -> Vec<Record> {
        let requests = self.received("/v1/logs").into_iter();
        let requests =
            requests.map(|one| ExportLogsServiceRequest::decode(one.body).expect("OTLP"));
        requests
            .flat_map(|request| request.resource_logs)
            .flat_map(|of_resource| of_resource.scope_logs)
            .flat_map(|scope| scope.log_records)
            .map(|record| Record {
                name: record.event_name,
                trace: hex::encode(record.trace_id),
                attributes: record.attributes,
            })
            .collect()
    }

    /// Waits for a span.
    pub async fn span(&self, what: &str, is_it: impl Fn(&Span) -> bool) -> Span {
        eventually(&format!("a span: {what}"), async || {
            self.spans().into_iter().find(|span| is_it(span))
        })
        .await
    }

    /// Everything that was sent, as it came.
    pub fn bytes(&self) -> Vec<u8> {
        let received = self.0.received().into_iter();
        received.flat_map(|one| one.body).collect()
    }
}

impl Span {
    pub fn attribute(&self, key: &str) -> Option<String> {
        attribute(&self.attributes, key)
    }
}

impl Record {
    pub fn attribute(&self, key: &str) -> Option<String> {
        attribute(&self.attributes, key)
    }
}

fn attribute(attributes: &[KeyValue], key: &str) -> Option<String> {
    let found = attributes.iter().find(|one| one.key == key)?;
    match found.value.as_ref()? {
        AnyValue {
            value: Some(Value::StringValue(text)),
        } => Some(text.clone()),
        AnyValue {
            value: Some(Value::IntValue(number)),
        } => Some(number.to_string()),
        other => panic!("{key} is {other:?}"),
    }
}
