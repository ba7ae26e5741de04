//! How the table of system calls is written ([`crate::dispatch::extended::calls`]).

/// The table of the calls that save all registers: a row for each, with its name in
/// `definitions::syscall`, the memory that it names (at most two ranges), and what serves it. Pages
/// of that memory are here before the call is served; what the thread may not touch is the
/// service's to refuse.
macro_rules! calls {
    (($kernel:ident, $index:ident, [$($argument:ident),*]) $($name:ident [$($range:expr),*] $service:expr;)*) => {
        /// Serves the call with this number.
        #[inline(always)]
        pub fn serve($kernel: &mut Kernel, $index: Index, number: u32, arguments: [u32; 5]) -> Outcome {
            #[allow(unused_variables)]
            let [$($argument),*] = arguments;
            match number {
                $(syscall::$name => {
                    calls!(@memory $kernel, $index, $($range),*);
                    Outcome::from($service)
                })*
                _ => Outcome::Done(Err(Error::UnknownCall)),
            }
        }
    };
    (@memory $kernel:ident, $index:ident,) => {};
    (@memory $kernel:ident, $index:ident, $range:expr) => {
        calls!(@memory $kernel, $index, $range, NO_MEMORY)
    };
    (@memory $kernel:ident, $index:ident, $one:expr, $other:expr) => {
        if !$kernel.ensure_for($index, [$one, $other]) {
            return Outcome::Waits;
        }
    };
}
pub(crate) use calls;
