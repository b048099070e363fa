//! The built binaries as real processes, with QUIC between them. One file a topic.
