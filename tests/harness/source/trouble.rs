//! What a source does in place of answering.

use axum::body::Body;
use axum::response::Response;

/// What becomes of a request in place of its answer.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// A status with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// A body without end.
    Endless,
}

impl Trouble {
    /// A status that says nothing more.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Status(status, Vec::new(), "{}".to_owned())
    }

    pub(super) fn answer(self) -> Response {
        match self {
            Self::Status(status, headers, body) => {
                let mut answer = Response::builder().status(status);
                for (name, value) in headers {
                    answer = answer.header(name, value);
                }
                answer.body(Body::from(body)).expect("an answer")
            }
            Self::Endless => {
                let spaces = || Ok::<_, std::io::Error>(" ".repeat(65_536));
                let spaces = futures_util::stream::repeat_with(spaces);
                Response::new(Body::from_stream(spaces))
            }
        }
    }
}
