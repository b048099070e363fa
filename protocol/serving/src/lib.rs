//! What both servers do the same: HTTP conventions, settings, the clock, draining, telemetry.
