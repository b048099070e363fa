use super::*;

const OK: StatusCode = StatusCode::OK;

fn counted(requests: &Requests, line: &str) -> bool {
    requests
        .render(Format::Text)
        .lines()
        .any(|rendered| rendered == line)
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
        requests.add(
            route,
            &method,
            StatusCode::from_u16(status).unwrap(),
            took,
            None,
        );
    }
    for (labels, count) in [
        (r#"route="/v1/aa",method="GET",status="200""#, 2),
        (r#"route="/v1/aa",method="POST",status="429""#, 1),
        (r#"route="/v1/bb",method="GET",status="200""#, 1),
        (r#"route="unknown",method="GET",status="404""#, 1),
        (r#"route="unknown",method="other",status="other""#, 1),
    ] {
        let line = format!("halyard_http_requests_total{{{labels}}} {count}");
        assert!(
            counted(&requests, &line),
            "{line} in {}",
            requests.render(Format::Text)
        );
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
            None,
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
        assert!(
            counted(&requests, &line),
            "{line} in {}",
            requests.render(Format::Text)
        );
    }
    let labels = r#"{route="/a",method="GET"}"#;
    let name = "halyard_http_request_duration_seconds";
    assert!(counted(&requests, &format!("{name}_count{labels} 5")));
    assert!(
        counted(&requests, &format!("{name}_sum{labels} 20.000100003")),
        "{}",
        requests.render(Format::Text)
    );
}

#[test]
fn templates_longer_than_the_table_are_told_apart() {
    let requests = Requests::new();
    let long = |end: &str| format!("/{}/{end}", "a".repeat(LENGTHS));
    for end in ["x", "x", "y", "zz"] {
        requests.add(Some(&long(end)), &Method::GET, OK, Duration::ZERO, None);
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
                        requests.add(Some(template), &Method::GET, OK, Duration::ZERO, None);
                    }
                }
            });
        }
    });
    for template in templates {
        let labels = format!(r#"route="{template}",method="GET",status="200""#);
        let line = format!("halyard_http_requests_total{{{labels}}} 16000");
        assert!(
            counted(&requests, &line),
            "{}",
            requests.render(Format::Text)
        );
    }
}
#[test]
fn a_bucket_has_the_last_request_that_is_in_a_trace_where_the_format_can_say_so() {
    let requests = Requests::new();
    let took = Duration::from_micros(60);
    for trace_id in [Some(TraceId::from(7)), Some(TraceId::from(8)), None] {
        requests.add(Some("/a"), &Method::GET, OK, took, trace_id);
    }
    let bucket =
        r#"halyard_http_request_duration_seconds_bucket{route="/a",method="GET",le="0.0001"} 3"#;
    assert!(counted(&requests, bucket));
    let text = requests.render(Format::OpenMetrics);
    let with = text
        .lines()
        .filter(|line| line.contains('#') && !line.starts_with('#'));
    let with: Vec<&str> = with.collect();
    let id = "00000000000000000000000000000008";
    let start = format!("{bucket} # {{trace_id=\"{id}\"}} 0.00006 ");
    assert!(with.len() == 1 && with[0].starts_with(&start), "{with:?}");
}
