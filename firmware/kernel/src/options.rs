//! Choices of policy, with the report's as the default.

/// An arriving packet ends the running thread's time-slice, so that it is served at once. The report's kernel serves it at
/// the next pass of the main loop.
pub const PREEMPT_ON_RECEIVE: bool = false;

/// What the receive phase queues is passed to Centrenet before a thread is scheduled. In the report's kernel it waits for
/// the next send phase, up to a time-slice later (report, section 3.3.2).
pub const TRANSMIT_BEFORE_SCHEDULE: bool = false;
