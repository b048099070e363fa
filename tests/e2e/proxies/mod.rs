//! Halyard behind the proxies of `deploy/proxies/`: the same holds for each.

pub mod proxy;
mod rolling;
mod smuggling;
mod streams;

use harness::{Caller, Edge};
use reqwest::{ClientBuilder, Method, StatusCode, Version, header};
use serde_json::json;

use self::proxy::{API, EDGES, Proxy, Running};
use crate::{
    bulk::Bulk,
    scene::{FLAG, Scene, question},
};

const TRUSTED: (&str, &str) = ("TRUSTED_PROXIES", "127.0.0.1/32");

/// Runs each case behind each proxy.
macro_rules! behind_each {
    ($($case:ident),+) => {
        behind_each!(nginx Nginx: $($case),+);
        behind_each!(caddy Caddy: $($case),+);
        behind_each!(envoy Envoy: $($case),+);
    };
    ($name:ident $proxy:ident: $($case:ident),+) => {
        mod $name {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    super::$case(super::Proxy::$proxy).await;
                }
            )+
        }
    };
}
use behind_each;

behind_each!(
    evaluations_and_writes_pass_over_http_1_and_http_2,
    each_client_has_rates_of_its_own,
    bodies_up_to_the_limit_pass_and_larger_ones_are_refused_in_json,
    a_large_answer_arrives_whole
);

/// A control plane and two edges behind a proxy.
struct Installation {
    scene: Scene,
    second: Edge,
    proxy: Running,
}

impl Installation {
    /// `None` where there are no proxies.
    async fn start(proxy: Proxy, settings: &[(&'static str, &str)]) -> Option<Self> {
        let settings = [settings, &[TRUSTED]].concat();
        let mut scene = Scene::start_with(&settings).await;
        let second = scene.stack.edge_with(&settings).await;
        let control = &mut scene.stack.control;
        control.terminate();
        for (name, value) in settings {
            control.set(name, value);
        }
        scene.stack.start_control().await;
        let proxy = proxy
            .start(&scene.stack.control, [&scene.edge, &second])
            .await?;
        Some(Self {
            scene,
            second,
            proxy,
        })
    }

    /// An SDK at the edges, over this client.
    fn sdk(&self, client: ClientBuilder) -> Caller {
        self.proxy.caller(EDGES, client).with_key(&self.scene.key)
    }
}

async fn evaluations_and_writes_pass_over_http_1_and_http_2(proxy: Proxy) {
    let Some(all) = Installation::start(proxy, &[]).await else {
        return;
    };
    for (client, version) in [
        (all.proxy.client().http1_only(), Version::HTTP_11),
        (all.proxy.client(), Version::HTTP_2),
    ] {
        let client = client.build().unwrap();
        let url = all.proxy.url(EDGES);
        let request = client.request(Method::POST, format!("{url}/v1/evaluate"));
        let request = request
            .header("x-api-key", &all.scene.key)
            .json(&question());
        let answer = request.send().await.unwrap();
        assert_eq!(
            (answer.status(), answer.version()),
            (StatusCode::OK, version)
        );
        assert_eq!(
            answer.headers()["strict-transport-security"],
            "max-age=31536000"
        );
        let body: serde_json::Value = answer.json().await.unwrap();
        assert_eq!(
            (&body["flag_key"], &body["value"]),
            (&json!(FLAG), &json!("v0"))
        );

        let owner = all.scene.owner.at(&all.proxy.url(API)).sent_by(client);
        let path = format!("/v1/projects/{}/flags/{FLAG}", all.scene.project);
        let name = format!("Over {version:?}");
        let written = owner.change(&path, json!({"name": name})).await;
        assert_eq!(owner.get(&path).await.body["name"], json!(name));
        assert!(written.headers.contains_key("x-request-id"));
    }
    let plain = all
        .proxy
        .client()
        .redirect(reqwest::redirect::Policy::none());
    let request = plain
        .build()
        .unwrap()
        .get(format!("http://{}/v1/me?all=1", all.proxy.http));
    let answer = request.header(header::HOST, API).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::PERMANENT_REDIRECT);
    let location = answer.headers()[header::LOCATION].to_str().unwrap();
    assert!(
        location.starts_with(&format!("https://{API}")),
        "{location}"
    );
    assert!(location.ends_with("/v1/me?all=1"), "{location}");
}

async fn each_client_has_rates_of_its_own(proxy: Proxy) {
    let settings = [("RATE_SIGN_IN", "5")];
    let Some(all) = Installation::start(proxy, &settings).await else {
        return;
    };
    let from = |last: u8| {
        let client = all
            .proxy
            .client()
            .local_address(std::net::IpAddr::from([127, 0, 0, last]));
        all.proxy.caller(API, client)
    };
    let login = async |client: &Caller, claims: &str| {
        let body = json!({"email": "nobody@example.com", "password": "of nobody"});
        let request = client.request(Method::POST, "/v1/auth/login").json(&body);
        client
            .send(request.header("x-forwarded-for", claims))
            .await
            .status
    };
    let (first, second) = (from(2), from(3));
    let mut statuses = Vec::new();
    for number in 0..8 {
        // Which address a client names itself changes nothing.
        statuses.push(login(&first, &format!("192.0.2.{number}")).await);
    }
    assert_eq!(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
    assert_eq!(login(&second, "127.0.0.2").await, 401);
}

async fn bodies_up_to_the_limit_pass_and_larger_ones_are_refused_in_json(proxy: Proxy) {
    const LIMIT: usize = 1024 * 1024;
    let Some(all) = Installation::start(proxy, &[]).await else {
        return;
    };
    let body = |bytes: usize| {
        let body = format!(r#"{{"flag_key":"{FLAG}","context":{{"key":"user-1"}},"more":""}}"#);
        body.replace(r#""""#, &format!(r#""{}""#, "x".repeat(bytes - body.len())))
    };
    for client in [all.proxy.client().http1_only(), all.proxy.client()] {
        let sdk = all.sdk(client);
        let send = async |bytes: usize| {
            let request = sdk.request(Method::POST, "/v1/evaluate");
            let request = request.header("content-type", "application/json");
            sdk.send(request.body(body(bytes))).await
        };
        let answer = send(LIMIT).await;
        assert_eq!(answer.body["value"], "v0", "{:#}", answer.body);
        for bytes in [LIMIT + 1, 3 * LIMIT] {
            let answer = send(bytes).await;
            answer.expect_error(413, "request body is too large");
        }
    }
}

async fn a_large_answer_arrives_whole(proxy: Proxy) {
    const FLAGS: u64 = 60;
    let Some(all) = Installation::start(proxy, &[]).await else {
        return;
    };
    let bulk = Bulk::make(&all.scene.stack, FLAGS).await;
    for edge in [&all.scene.edge, &all.second] {
        harness::eventually("the edge serves the large environment", || async {
            bulk.is_served_by(edge).await.then_some(())
        })
        .await;
    }
    for client in [all.proxy.client().http1_only(), all.proxy.client()] {
        let sdk = all.proxy.caller(EDGES, client).with_key(bulk.key());
        let question = json!({"context": {"targetingKey": "user-1"}});
        let answer = sdk.act("/ofrep/v1/evaluate/flags", question).await;
        let flags = answer.body["flags"].as_array().unwrap();
        assert_eq!(flags.len() as u64, FLAGS);
        let bytes: usize = flags
            .iter()
            .map(|flag| flag["value"].as_str().unwrap().len())
            .sum();
        assert_eq!(bytes as u64, FLAGS * 60_000);
    }
}
