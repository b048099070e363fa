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

use super::metric::Metric;

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

/// Counts an answer of this process. `route` is the template that matched.
pub(crate) fn answered(route: Option<&str>, method: &Method, status: StatusCode, took: Duration) {
    REQUESTS.add(route, method, status, took);
}

/// What this process answered, as Prometheus reads it.
pub(super) fn render() -> String {
    REQUESTS.render()
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
type ByMethod = [OnceLock<Box<[Counts; STRIPES]>>; KNOWN_METHODS + 1];

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

    fn add(&self, route: Option<&str>, method: &Method, status: StatusCode, took: Duration) {
        let counts = route.map_or(&self.unknown, |template| self.route(template));
        let method = METHODS.iter().position(|known| known == method);
        let counts = counts[method.unwrap_or(KNOWN_METHODS)]
            .get_or_init(|| Box::new([const { Counts::new() }; STRIPES]));
        counts[stripe()].add(status, took);
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

    fn render(&self) -> String {
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
                    Sums::of(&counts[..]).write(&labels, &mut answered, &mut durations);
                }
            }
        }
        answered + "\n" + &durations + "\n"
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

    fn add(&self, status: StatusCode, took: Duration) {
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

    fn write(&self, labels: &str, answered: &mut String, durations: &mut String) {
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
        for (bound, count) in bounds.chain(["+Inf"]).zip(self.buckets) {
            below += count;
            line(
                durations,
                format_args!("{name}_bucket{{{labels},le=\"{bound}\"}} {below}"),
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
mod tests {
    use super::*;

    const OK: StatusCode = StatusCode::OK;

    fn counted(requests: &Requests, line: &str) -> bool {
        requests.render().lines().any(|rendered| rendered == line)
    }

    #[test]
    fn the_tables_are_in_order_since_they_are_searched() {
        assert!(STATUSES.is_sorted());
        assert!(BOUNDS.is_sorted());
        for (nanoseconds, text) in BOUNDS {
            let seconds: f64 = text.parse().unwrap();
            assert_eq!(
                Duration::from_secs_f64(seconds).as_nanos(),
                nanoseconds.into()
            );
        }
    }

    #[test]
    fn answers_are_counted_by_route_method_and_status() {
        let requests = Requests::new();
        let took = Duration::from_micros(30);
        for (route, method, status) in [
            (Some("/v1/aa"), Method::GET, 200),
            (Some("/v1/aa"), Method::GET, 200),
            (Some("/v1/aa"), Method::POST, 429),
            // Of the same length.
            (Some("/v1/bb"), Method::GET, 200),
            (None, Method::GET, 404),
            (None, Method::from_bytes(b"BREW").unwrap(), 418),
        ] {
            requests.add(route, &method, StatusCode::from_u16(status).unwrap(), took);
        }
        for (labels, count) in [
            (r#"route="/v1/aa",method="GET",status="200""#, 2),
            (r#"route="/v1/aa",method="POST",status="429""#, 1),
            (r#"route="/v1/bb",method="GET",status="200""#, 1),
            (r#"route="unknown",method="GET",status="404""#, 1),
            (r#"route="unknown",method="other",status="other""#, 1),
        ] {
            let line = format!("halyard_http_requests_total{{{labels}}} {count}");
            assert!(counted(&requests, &line), "{line} in {}", requests.render());
        }
    }

    #[test]
    fn a_bucket_has_everything_up_to_its_bound() {
        let requests = Requests::new();
        for nanoseconds in [1, 50_000, 50_001, 10_000_000_000, 10_000_000_001] {
            requests.add(
                Some("/a"),
                &Method::GET,
                OK,
                Duration::from_nanos(nanoseconds),
            );
        }
        for (le, count) in [
            ("0.00005", 2),
            ("0.0001", 3),
            ("5", 3),
            ("10", 4),
            ("+Inf", 5),
        ] {
            let line = format!(
                r#"halyard_http_request_duration_seconds_bucket{{route="/a",method="GET",le="{le}"}} {count}"#
            );
            assert!(counted(&requests, &line), "{line} in {}", requests.render());
        }
        let labels = r#"{route="/a",method="GET"}"#;
        let name = "halyard_http_request_duration_seconds";
        assert!(counted(&requests, &format!("{name}_count{labels} 5")));
        assert!(
            counted(&requests, &format!("{name}_sum{labels} 20.000100003")),
            "{}",
            requests.render()
        );
    }

    #[test]
    fn templates_longer_than_the_table_are_told_apart() {
        let requests = Requests::new();
        let long = |end: &str| format!("/{}/{end}", "a".repeat(LENGTHS));
        for end in ["x", "x", "y", "zz"] {
            requests.add(Some(&long(end)), &Method::GET, OK, Duration::ZERO);
        }
        for (end, count) in [("x", 2), ("y", 1), ("zz", 1)] {
            let labels = format!(r#"route="{}",method="GET",status="200""#, long(end));
            let line = format!("halyard_http_requests_total{{{labels}}} {count}");
            assert!(counted(&requests, &line), "{line}");
        }
    }

    #[test]
    fn threads_that_meet_at_a_new_route_lose_nothing() {
        let requests = Requests::new();
        let templates = ["/one", "/two", "/six"];
        std::thread::scope(|scope| {
            for _ in 0..2 * STRIPES {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        for template in templates {
                            requests.add(Some(template), &Method::GET, OK, Duration::ZERO);
                        }
                    }
                });
            }
        });
        for template in templates {
            let labels = format!(r#"route="{template}",method="GET",status="200""#);
            let line = format!("halyard_http_requests_total{{{labels}}} 16000");
            assert!(counted(&requests, &line), "{}", requests.render());
        }
    }
}
