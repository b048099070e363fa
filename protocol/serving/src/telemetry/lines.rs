//! Log lines: those of `tracing-subscriber`, with what it does not know, the service and the trace.

use std::fmt;

use serde_json::json;
use tracing::{Event, Subscriber};
use tracing_subscriber::{
    fmt::{
        FmtContext, FormatEvent, FormatFields,
        format::{Format, Full, Json, Writer},
    },
    registry::LookupSpan,
};

use crate::{
    VERSION,
    trace::{self, Service},
};

/// For people. The trace is at the end, where there is one; the service is the one they have just started.
pub(super) struct Text(pub(super) Format<Full>);

impl<S, N> FormatEvent<S, N> for Text
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some((trace_id, span_id)) = trace::current_ids() else {
            return self.0.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.0
            .format_event(context, Writer::new(&mut line), event)?;
        writeln!(
            writer,
            "{} trace_id={trace_id} span_id={span_id}",
            line.trim_end()
        )
    }
}

/// One object a line.
pub(super) struct Objects {
    format: Format<Json>,
    /// The members that all lines have.
    service: String,
}

impl Objects {
    pub(super) fn of(service: &Service) -> Self {
        let format = Format::default().json();
        let members = json!({
            "service.name": service.name,
            "service.version": VERSION,
            "service.instance.id": service.instance,
        })
        .to_string();
        Self {
            // The context once: there are no spans within spans.
            format: format.flatten_event(true).with_span_list(false),
            service: members.trim_matches(['{', '}']).to_owned(),
        }
    }
}

impl<S, N> FormatEvent<S, N> for Objects
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.format
            .format_event(context, Writer::new(&mut line), event)?;
        let members = line.trim_end().strip_suffix('}').unwrap_or(&line);
        write!(writer, "{members},{}", self.service)?;
        if let Some((trace_id, span_id)) = trace::current_ids() {
            write!(writer, r#","trace_id":"{trace_id}","span_id":"{span_id}""#)?;
        }
        writer.write_str("}\n")
    }
}
