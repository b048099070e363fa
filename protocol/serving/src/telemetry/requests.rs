//! How many requests were answered, by route, method and status, and how long that took.
//!
//! The evaluation paths are counted here too, so counting takes a few tens of nanoseconds: a route is found by the length
//! and the bytes of its template, and everything else by an index. There is no lock and no hash, and nothing is allocated
//! but for the first answer of a route and a method. Threads count in stripes, so that they seldom share a cache line.

use std::{
    fmt::Write as _,
    sync::{
        OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::http::{Method, StatusCode};
use opentelemetry::TraceId;
use parking_lot::Mutex;

use super::{
    metric::Metric,
    open_metrics::{Exemplar, Format},
};

/// How many were answered.
const ANSWERED: Metric = Metric::counter(
    "halyard_http_requests_total",
    "HTTP requests that were answered, by the template of their route (unknown: no such path), method and status.",
);
/// How long it took.
const DURATIONS: Metric = Metric::histogram(
    "halyard_http_request_duration_seconds",
    "Seconds from the head of an HTTP request to the head of its answer, by the template of its route and method.",
);

/// The label of requests whose path no route has. Anybody can make up paths, so they are not told apart.
const UNKNOWN: &str = "unknown";
/// What everything else is counted under.
const OTHER: &str = "other";

const KNOWN_METHODS: usize = 7;

static METHODS: [Method; KNOWN_METHODS] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::OPTIONS,
];

/// What handlers and layers answer.
const STATUSES: [u16; 31] = [
    200, 201, 202, 204, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409,
    410, 412, 413, 414, 415, 422, 429, 500, 501, 502, 503, 504,
];

/// Upper bounds in nanoseconds, and as they are written in seconds. An evaluation takes less than the first few, a password
/// some tens of milliseconds, and a statement of the database 20 s at most.
const BOUNDS: [(u64, &str); 17] = [
    (50_000, "0.00005"),
    (100_000, "0.0001"),
    (250_000, "0.00025"),
    (500_000, "0.0005"),
    (1_000_000, "0.001"),
    (2_500_000, "0.0025"),
    (5_000_000, "0.005"),
    (10_000_000, "0.01"),
    (25_000_000, "0.025"),
    (50_000_000, "0.05"),
    (100_000_000, "0.1"),
    (250_000_000, "0.25"),
    (500_000_000, "0.5"),
    (1_000_000_000, "1"),
    (2_500_000_000, "2.5"),
    (5_000_000_000, "5"),
    (10_000_000_000, "10"),
];

/// Templates of this length or longer share a list.
const LENGTHS: usize = 128;
/// More threads than this share cache lines.
const STRIPES: usize = 8;

static REQUESTS: Requests = Requests::new();

/// Counts an answer of this process. `route` is the template that matched, `trace_id` that of a trace which has the request.
pub(crate) fn answered(
    route: Option<&str>,
    method: &Method,
    status: StatusCode,
    took: Duration,
    trace_id: Option<TraceId>,
) {
    REQUESTS.add(route, method, status, took, trace_id);
}

/// What this process answered, as Prometheus reads it.
pub(super) fn render(format: Format) -> String {
    REQUESTS.render(format)
}

/// The routes that were asked, by the length of their templates. There are as many as the routers of the process have.
struct Requests {
    routes: [Routes; LENGTHS],
    unknown: ByMethod,
}

/// A list that only grows.
type Routes = OnceLock<Box<Route>>;

struct Route {
    template: Box<str>,
    counts: ByMethod,
    next: Routes,
}

/// The last is for all other methods.
type ByMethod = [OnceLock<Box<Counted>>; KNOWN_METHODS + 1];

struct Counted {
    stripes: [Counts; STRIPES],
    /// The last request of each bucket that is in a trace.
    exemplars: [Mutex<Option<Exemplar>>; BOUNDS.len() + 1],
}

/// What threads of one stripe counted.
#[repr(align(64))]
struct Counts {
    /// The last is for all other statuses.
    statuses: [AtomicU64; STATUSES.len() + 1],
    /// The last is for what is above all bounds.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
}

impl Requests {
    const fn new() -> Self {
        Self {
            routes: [const { OnceLock::new() }; LENGTHS],
            unknown: [const { OnceLock::new() }; KNOWN_METHODS + 1],
        }
    }

    fn add(
        &self,
        route: Option<&str>,
        method: &Method,
        status: StatusCode,
        took: Duration,
        trace_id: Option<TraceId>,
    ) {
        let counts = route.map_or(&self.unknown, |template| self.route(template));
        let method = METHODS.iter().position(|known| known == method);
        let counts =
            counts[method.unwrap_or(KNOWN_METHODS)].get_or_init(|| Box::new(Counted::new()));
        let bucket = counts.stripes[stripe()].add(status, took);
        if let Some(trace_id) = trace_id {
            *counts.exemplars[bucket].lock() = Some(Exemplar::new(trace_id, took));
        }
    }

    fn route(&self, template: &str) -> &ByMethod {
        let mut routes = &self.routes[template.len().min(LENGTHS - 1)];
        loop {
            // Whoever comes second finds the route of whoever came first, and looks whether it is the same one.
            let route = routes.get_or_init(|| {
                Box::new(Route {
                    template: template.into(),
                    counts: [const { OnceLock::new() }; KNOWN_METHODS + 1],
                    next: OnceLock::new(),
                })
            });
            if *route.template == *template {
                return &route.counts;
            }
            routes = &route.next;
        }
    }

    fn render(&self, format: Format) -> String {
        let mut answered = ANSWERED.head();
        let mut durations = DURATIONS.head();
        let mut routes = vec![(UNKNOWN, &self.unknown)];
        for first in &self.routes {
            let mut next = first;
            while let Some(route) = next.get() {
                routes.push((&*route.template, &route.counts));
                next = &route.next;
            }
        }
        routes.sort_unstable_by_key(|(template, _)| *template);
        for (template, counts) in routes {
            let methods = METHODS.iter().map(Method::as_str).chain([OTHER]);
            for (method, counts) in methods.zip(counts) {
                if let Some(counts) = counts.get() {
                    // A template has no character that would need an escape.
                    let labels = format!("route=\"{template}\",method=\"{method}\"");
                    let sums = Sums::of(&counts.stripes);
                    let exemplars = counts.exemplars(format);
                    sums.write(&labels, &exemplars, &mut answered, &mut durations);
                }
            }
        }
        answered + "\n" + &durations + "\n"
    }
}

impl Counted {
    const fn new() -> Self {
        Self {
            stripes: [const { Counts::new() }; STRIPES],
            exemplars: [const { Mutex::new(None) }; BOUNDS.len() + 1],
        }
    }

    /// What follows the values of the buckets.
    fn exemplars(&self, format: Format) -> [String; BOUNDS.len() + 1] {
        self.exemplars.each_ref().map(|exemplar| match format {
            Format::Text => String::new(),
            Format::OpenMetrics => exemplar.lock().map(|it| it.to_string()).unwrap_or_default(),
        })
    }
}

impl Counts {
    const fn new() -> Self {
        Self {
            statuses: [const { AtomicU64::new(0) }; STATUSES.len() + 1],
            buckets: [const { AtomicU64::new(0) }; BOUNDS.len() + 1],
            nanoseconds: AtomicU64::new(0),
        }
    }

    /// Returns the bucket.
    fn add(&self, status: StatusCode, took: Duration) -> usize {
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let status = STATUSES.binary_search(&status.as_u16());
        let bucket = BOUNDS.partition_point(|(bound, _)| *bound < nanoseconds);
        for (counter, by) in [
            (&self.statuses[status.unwrap_or(STATUSES.len())], 1),
            (&self.buckets[bucket], 1),
            (&self.nanoseconds, nanoseconds),
        ] {
            counter.fetch_add(by, Ordering::Relaxed);
        }
        bucket
    }
}

/// The stripe in which this thread counts.
fn stripe() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static STRIPE: usize = THREADS.fetch_add(1, Ordering::Relaxed) % STRIPES;
    }
    STRIPE.with(|stripe| *stripe)
}

/// What all threads counted.
struct Sums {
    statuses: [u64; STATUSES.len() + 1],
    buckets: [u64; BOUNDS.len() + 1],
    nanoseconds: u64,
}

impl Sums {
    fn of(stripes: &[Counts]) -> Self {
        let mut sums = Self {
            statuses: [0; STATUSES.len() + 1],
            buckets: [0; BOUNDS.len() + 1],
            nanoseconds: 0,
        };
        for stripe in stripes {
            for (sum, counter) in sums.statuses.iter_mut().zip(&stripe.statuses) {
                *sum += counter.load(Ordering::Relaxed);
            }
            for (sum, counter) in sums.buckets.iter_mut().zip(&stripe.buckets) {
                *sum += counter.load(Ordering::Relaxed);
            }
            let nanoseconds = stripe.nanoseconds.load(Ordering::Relaxed);
            sums.nanoseconds = sums.nanoseconds.saturating_add(nanoseconds);
        }
        sums
    }

    fn write(
        &self,
        labels: &str,
        exemplars: &[String],
        answered: &mut String,
        durations: &mut String,
    ) {
        let name = ANSWERED.name();
        let statuses = STATUSES.iter().map(u16::to_string);
        for (status, count) in statuses.chain([OTHER.to_owned()]).zip(self.statuses) {
            if count > 0 {
                line(
                    answered,
                    format_args!("{name}{{{labels},status=\"{status}\"}} {count}"),
                );
            }
        }
        let name = DURATIONS.name();
        let mut below = 0;
        let bounds = BOUNDS.iter().map(|(_, bound)| *bound);
        for ((bound, count), exemplar) in bounds.chain(["+Inf"]).zip(self.buckets).zip(exemplars) {
            below += count;
            line(
                durations,
                format_args!("{name}_bucket{{{labels},le=\"{bound}\"}} {below}{exemplar}"),
            );
        }
        let seconds = Duration::from_nanos(self.nanoseconds).as_secs_f64();
        line(durations, format_args!("{name}_sum{{{labels}}} {seconds}"));
        line(durations, format_args!("{name}_count{{{labels}}} {below}"));
    }
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a string takes everything");
}

#[cfg(test)]
mod tests;
