//! What-if on real traffic: a draft is a question to edges, which compare what it would answer with what they do, for samples of the
//! requests that they keep. Their findings are collected in the database: any replica may receive one, and any may be asked.

pub mod change;
pub mod draft;
pub mod input;
pub mod model;
pub mod rights;
pub mod statistics;
pub mod store;
