//! What payment gateways compute by their own libraries, and what is computed here. The libraries are asked where `./dev test`
//! could install them, and their recorded answers are held to everywhere (`docs/testing.md`).

mod calls;
mod form;
mod library;
mod questions;
mod recordings;
mod redirect;
mod stand_ins;

use library::Library;
use questions::Scenario;
use recordings::Recordings;
