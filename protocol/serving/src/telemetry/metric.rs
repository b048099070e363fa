//! What each metric means, so that `/metrics` says so itself.

/// A metric of a process. Each part of the system has a table of its own; `docs/metrics.md` has them all.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    name: &'static str,
    kind: Kind,
    help: &'static str,
    label: Option<Label>,
}

/// A label and its values; none where they are not known beforehand.
type Label = (&'static str, &'static [&'static str]);

#[derive(Clone, Copy, Debug)]
enum Kind {
    Counter,
    Gauge,
    Summary,
    Histogram,
}

impl Metric {
    /// Counts what happens; it only grows while the process runs.
    #[must_use]
    pub const fn counter(name: &'static str, help: &'static str) -> Self {
        Self::new(name, Kind::Counter, help)
    }

    /// Tells how something stands now.
    #[must_use]
    pub const fn gauge(name: &'static str, help: &'static str) -> Self {
        Self::new(name, Kind::Gauge, help)
    }

    /// Quantiles of what was measured lately.
    #[must_use]
    pub const fn summary(name: &'static str, help: &'static str) -> Self {
        Self::new(name, Kind::Summary, help)
    }

    /// How much of what was measured lies below each of a few bounds.
    #[must_use]
    pub const fn histogram(name: &'static str, help: &'static str) -> Self {
        Self::new(name, Kind::Histogram, help)
    }

    const fn new(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self {
            name,
            kind,
            help,
            label: None,
        }
    }

    /// With a label that has these values, or, if there are none, values that are not known beforehand.
    #[must_use]
    pub const fn by(self, label: &'static str, values: &'static [&'static str]) -> Self {
        Self {
            label: Some((label, values)),
            ..self
        }
    }

    /// Its name.
    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    /// What stands before its values.
    pub(super) fn head(&self) -> String {
        let kind = match self.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Summary => "summary",
            Kind::Histogram => "histogram",
        };
        let Self { name, help, .. } = self;
        format!("# HELP {name} {help}\n# TYPE {name} {kind}\n")
    }
}

/// Tells the recorder of this process what these metrics mean: whoever starts a part that emits them does. Counters and
/// histograms are there from then on, so that whoever asks by how much they grew sees the first time, too.
pub fn describe(table: &[Metric]) {
    for Metric {
        name,
        kind,
        help,
        label,
    } in table
    {
        match kind {
            Kind::Counter => {
                metrics::describe_counter!(*name, *help);
                match label {
                    None => metrics::counter!(*name).absolute(0),
                    Some((label, values)) => values.iter().for_each(|value| {
                        metrics::counter!(*name, *label => *value).absolute(0);
                    }),
                }
            }
            Kind::Gauge => metrics::describe_gauge!(*name, *help),
            Kind::Summary => metrics::describe_histogram!(*name, *help),
            Kind::Histogram => {
                metrics::describe_histogram!(*name, *help);
                drop(metrics::histogram!(*name));
            }
        }
    }
}
