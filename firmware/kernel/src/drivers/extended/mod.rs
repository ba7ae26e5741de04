//! What is known of the monitors' settings.

pub mod settings;
