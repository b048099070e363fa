//! How much may be in flight to an edge: no more than keeps its line busy.
//!
//! Controllers driven by loss alone fill the queue of a slow line until it overflows, and whatever is urgent then waits
//! behind all of it, regardless of priority: behind 256 KiB at 1 Mbit/s that is two seconds. So the window of CUBIC,
//! which shares lines fairly, is capped by a [`Ceiling`] derived from what the line was seen to carry. The library's
//! BBR has such a bound only after it was busy for a while; on a link that is mostly quiet its window grows without
//! one.

mod ceiling;

use std::{any::Any, sync::Arc, time::Instant};

use quinn::congestion::{Controller, ControllerFactory, Cubic, CubicConfig};
use quinn_proto::RttEstimator;

use self::ceiling::Ceiling;

/// Creates the congestion controllers of connections.
#[derive(Debug, Default)]
pub(crate) struct Bounded;

/// CUBIC under a ceiling.
#[derive(Clone, Debug)]
struct Controlled {
    cubic: Cubic,
    ceiling: Ceiling,
    mtu: u64,
}

impl ControllerFactory for Bounded {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Controlled {
            cubic: Cubic::new(Arc::new(CubicConfig::default()), now, current_mtu),
            ceiling: Ceiling::new(now),
            mtu: current_mtu.into(),
        })
    }
}

impl Controlled {
    fn ceiling(&self) -> u64 {
        self.ceiling.bytes(self.mtu).unwrap_or(u64::MAX)
    }
}

impl Controller for Controlled {
    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.ceiling.acknowledged(now, sent, bytes, app_limited);
        // A window that is not fully used must not grow: it would not shrink at the next loss either.
        let is_unused = app_limited || self.cubic.window() > self.ceiling();
        self.cubic.on_ack(now, sent, bytes, is_unused, rtt);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        _in_flight: u64,
        _app_limited: bool,
        _largest_packet_num_acked: Option<u64>,
    ) {
        self.ceiling.look(now);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        self.cubic
            .on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.mtu = new_mtu.into();
        self.cubic.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        self.cubic.window().min(self.ceiling())
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.cubic.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
