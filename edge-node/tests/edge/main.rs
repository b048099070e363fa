//! The edge in this process, as its clients and as whoever feeds it see it.

mod evaluation;
mod pushes;
mod stream;
mod support;
