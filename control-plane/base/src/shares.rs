//! Places that organizations, or client networks, share: those of both servers, by organization where nothing else is said.

pub use serving::shares::{Full, Queue, Taken};

use crate::ids::OrgId;

pub type Shares<K = OrgId, G = ()> = serving::shares::Shares<K, G>;
pub type Place<K = OrgId, G = ()> = serving::shares::Place<K, G>;
