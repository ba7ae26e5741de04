//! See `docs/hardware.md`.
