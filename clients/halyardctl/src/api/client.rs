//! Sends requests: with a time limit, and again where that is safe and may help.

use std::time::{Duration, Instant};

use reqwest::{
    Response, StatusCode,
    header::{ACCEPT, HeaderMap, IF_MATCH, RETRY_AFTER},
};
use secrecy::ExposeSecret;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{Error, Events, Refusal, Request, Settings, operations::PAGE, trace};

/// How long an answer may take as a whole.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The same of what reads another platform.
const SLOW_TIMEOUT: Duration = Duration::from_secs(300);
/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The pauses between attempts of a request that changes nothing.
const PAUSES: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(1200)];
/// The longest pause that a service may ask for.
const MAX_RETRY_AFTER: u64 = 30;
/// The largest page of a list.
const PAGE_SIZE: u64 = 100;

/// A client of one service.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    settings: Settings,
}

/// A success.
#[derive(Debug)]
pub struct Answer {
    /// The headers.
    pub headers: HeaderMap,
    /// The body, empty for 204.
    pub text: String,
}

impl Answer {
    /// The body as JSON; `null` where it is empty.
    ///
    /// # Errors
    /// Where it is neither.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let text = if self.text.is_empty() {
            "null"
        } else {
            &self.text
        };
        serde_json::from_str(text)
            .map_err(|why| Error::while_doing("the answer cannot be read", why))
    }

    /// A header as text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl Client {
    /// A client with these settings.
    ///
    /// # Errors
    /// Where the certificates of the system cannot be read.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        let http = reqwest::Client::builder()
            .user_agent(concat!("halyardctl/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            // A token is not sent to where an answer leads.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|why| Error::while_doing("no connection can be prepared", why))?;
        Ok(Self { http, settings })
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Sends a request. One that changes nothing is sent again, twice at most, where there is no connection, for 502 and 503; and
    /// once for 429 whose `Retry-After` is at most 30 s.
    ///
    /// # Errors
    /// Where there is no answer, or none that is a success.
    pub async fn send(&self, request: &Request) -> Result<Answer, Error> {
        let answer = self.answered(request).await?;
        let headers = answer.headers().clone();
        let text = answer.text().await.map_err(|why| self.unreachable(&why))?;
        Ok(Answer { headers, text })
    }

    /// Sends a request and reads the answer.
    ///
    /// # Errors
    /// As [`Self::send`], and where the answer has another form.
    pub async fn get<T: DeserializeOwned>(&self, request: &Request) -> Result<T, Error> {
        self.send(request).await?.json()
    }

    /// All items of a list, page by page, as one page.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub async fn all(&self, request: &Request) -> Result<Value, Error> {
        let mut whole = Value::Null;
        let mut items = Vec::new();
        loop {
            let [limit, offset] = [PAGE[0], PAGE[1]];
            let page = request
                .clone()
                .query(limit, Some(PAGE_SIZE))
                .query(offset, (!items.is_empty()).then_some(items.len()));
            let mut page: Value = self.get(&page).await?;
            let more = page["has_more"] == true;
            let Some(read) = page["data"].as_array_mut().map(std::mem::take) else {
                return Ok(page);
            };
            let ended = read.is_empty() || !more;
            items.extend(read);
            if whole.is_null() {
                whole = page;
            }
            if ended {
                break;
            }
        }
        whole["total"] = json!(items.len());
        whole["limit"] = json!(items.len());
        whole["has_more"] = json!(false);
        whole["data"] = items.into();
        Ok(whole)
    }

    /// Opens a stream of events, after the one with this id.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub async fn stream(&self, request: &Request, after: Option<&str>) -> Result<Events, Error> {
        let began = Instant::now();
        let mut sent = self.prepared(request).header(ACCEPT, "text/event-stream");
        if let Some(id) = after {
            sent = sent.header("last-event-id", id);
        }
        let outcome = sent.send().await;
        if self.settings.verbose {
            trace::tell(self.address(), request, began, &outcome);
        }
        let answer = outcome.map_err(|why| self.unreachable(&why))?;
        let answer = self.success(answer).await?;
        Ok(Events::new(answer))
    }

    /// The first answer that is not worth another attempt.
    async fn answered(&self, request: &Request) -> Result<Response, Error> {
        let mut pauses = PAUSES.iter().copied();
        let mut may_wait = true;
        let limit = if request.is_slow() {
            SLOW_TIMEOUT
        } else {
            TIMEOUT
        };
        loop {
            let began = Instant::now();
            let outcome = self.prepared(request).timeout(limit).send().await;
            if self.settings.verbose {
                trace::tell(self.address(), request, began, &outcome);
            }
            let pause = match &outcome {
                _ if !request.is_safe() => None,
                Err(why) if is_of_the_connection(why) => pauses.next(),
                Err(_) => None,
                Ok(answer) => match answer.status() {
                    StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE => pauses.next(),
                    StatusCode::TOO_MANY_REQUESTS if may_wait => {
                        may_wait = false;
                        asked_pause(answer)
                    }
                    _ => None,
                },
            };
            match pause {
                Some(pause) => sleep(pause).await,
                None => {
                    let answer = outcome.map_err(|why| self.unreachable(&why))?;
                    return self.success(answer).await;
                }
            }
        }
    }

    fn prepared(&self, request: &Request) -> reqwest::RequestBuilder {
        let method = reqwest::Method::from_bytes(request.method.as_bytes()).unwrap_or_default();
        let url = format!("{}{}", self.address(), request.target());
        let mut sent = self.http.request(method, url);
        if let Some(token) = &self.settings.token {
            sent = sent.bearer_auth(token.expose_secret());
        }
        if let Some(tag) = &request.if_match {
            sent = sent.header(IF_MATCH, tag);
        }
        if let Some(body) = &request.body {
            sent = sent.json(body);
        }
        sent
    }

    async fn success(&self, answer: Response) -> Result<Response, Error> {
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let id = trace::request_id(&answer);
        if status.is_redirection() {
            return Err(Error::Failed(format!(
                "{} leads elsewhere ({}); log in with the address of the service itself",
                self.address(),
                status.as_u16()
            )));
        }
        let text = answer.text().await.unwrap_or_default();
        let refusal = Refusal::new(status, &text, self.settings.token_from, id);
        Err(if status.is_client_error() {
            Error::Refused(refusal)
        } else {
            Error::Broken(refusal)
        })
    }

    fn address(&self) -> &str {
        self.settings.address.as_str()
    }

    fn unreachable(&self, why: &reqwest::Error) -> Error {
        let why = if why.is_timeout() {
            "it did not answer in time".to_owned()
        } else {
            innermost(why)
        };
        Error::Unreachable {
            url: self.address().to_owned(),
            why,
        }
    }
}

/// Whether a connection was not made, or broke before an answer.
fn is_of_the_connection(error: &reqwest::Error) -> bool {
    (error.is_connect() || error.is_request()) && !error.is_timeout()
}

/// The pause that an answer asks for, if it is short enough.
fn asked_pause(answer: &Response) -> Option<Duration> {
    let asked = answer.headers().get(RETRY_AFTER)?.to_str().ok()?;
    let seconds: u64 = asked.parse().ok()?;
    (seconds <= MAX_RETRY_AFTER).then(|| Duration::from_secs(seconds))
}

/// The cause of all, without the address, which may have a query.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;
    use crate::api::{Address, TokenFrom, operations};

    /// A client of a server that gives these answers, one for each connection; and what the server was asked.
    async fn client(answers: Vec<&'static str>) -> (Client, tokio::task::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            let mut asked = Vec::new();
            for answer in answers {
                let (mut connection, _) = listener.accept().await.unwrap();
                let mut bytes = vec![0; 4096];
                let read = connection.read(&mut bytes).await.unwrap();
                asked.push(String::from_utf8_lossy(&bytes[..read]).into_owned());
                let rest = "Content-Length: 2\r\nConnection: close\r\n\r\n{}";
                let answer = format!("HTTP/1.1 {answer}\r\n{rest}");
                connection.write_all(answer.as_bytes()).await.unwrap();
            }
            asked
        });
        let settings = Settings {
            address: Address::parse(&address).unwrap(),
            token: Some("halp_a".into()),
            token_from: TokenFrom::Context,
            verbose: false,
        };
        (Client::new(settings).unwrap(), server)
    }

    #[tokio::test]
    async fn what_changes_nothing_is_asked_again() {
        let answers = vec!["503 X", "429 X\r\nRetry-After: 0", "502 X", "200 OK"];
        let (client, server) = client(answers).await;
        client
            .send(&Request::new(&operations::ME, &[]))
            .await
            .unwrap();
        let asked = server.await.unwrap();
        assert_eq!(asked.len(), 4);
        let head = asked[0].to_lowercase();
        assert!(head.starts_with("get /v1/me http/1.1\r\n"), "{head}");
        assert!(head.contains("authorization: bearer halp_a\r\n"), "{head}");
        let agent = concat!("user-agent: halyardctl/", env!("CARGO_PKG_VERSION"), "\r\n");
        assert!(head.contains(agent), "{head}");
    }

    #[tokio::test]
    async fn a_change_a_long_pause_and_a_third_failure_end_it() {
        let create = Request::new(&operations::CREATE_PROJECT, &[]).field("name", Some("a"));
        let me = Request::new(&operations::ME, &[]);
        for (request, answers, status) in [
            (&create, vec!["503 X"], 503),
            (&create, vec!["429 X\r\nRetry-After: 0"], 429),
            (&me, vec!["429 X\r\nRetry-After: 31"], 429),
            (&me, vec!["503 X", "503 X", "502 X"], 502),
            (&me, vec!["500 X"], 500),
        ] {
            let (client, server) = client(answers).await;
            let error = client.send(request).await.unwrap_err();
            assert_eq!(error.status().unwrap().as_u16(), status);
            server.await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_token_does_not_follow_where_an_answer_leads() {
        let (client, server) = client(vec!["302 X\r\nLocation: http://127.0.0.1:9/"]).await;
        let error = client
            .send(&Request::new(&operations::ME, &[]))
            .await
            .unwrap_err();
        assert!(
            error.to_string().contains("leads elsewhere (302)"),
            "{error}"
        );
        server.await.unwrap();
    }
}
