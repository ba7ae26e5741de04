//! Who sits at the console: each processor has a seat, and processes have the seat of who invoked
//! them.

use testbed_definitions::ids::ProcessId;
use testbed_kernel_core::input::{seat, LEAVE};

use crate::state::kernel::Kernel;

impl Kernel {
    /// A process of this processor has its seat at the console from now on; `how` is [`SIT`] or
    /// [`RESERVE`].
    ///
    /// [`SIT`]: testbed_kernel_core::input::SIT
    /// [`RESERVE`]: testbed_kernel_core::input::RESERVE
    pub fn sit_down(&mut self, id: ProcessId, how: u16) {
        let seats = seat(self.me);
        if let Some(place) = self.place(id) {
            (place.invoked.seats, place.invoked.sits) = (seats, true);
            self.want_input(how, 0);
        }
    }

    /// A process has ended: unless another one sits at this processor's seat too, that is empty.
    pub fn stand_up(&mut self, id: ProcessId) {
        let sat = self.place(id).is_some_and(|place| core::mem::take(&mut place.invoked.sits));
        if sat && !self.places.iter().any(|place| place.invoked.sits) {
            self.want_input(LEAVE, 0);
        }
    }
}
