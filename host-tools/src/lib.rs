//! host-tools
