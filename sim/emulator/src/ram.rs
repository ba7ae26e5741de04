//! What DMA and the host can do to a processor's RAM.

/// A processor's RAM as DMA sees it. Offsets are multiples of four.
pub(crate) trait Ram {
    /// The word at an offset.
    fn read(&self, offset: u32) -> u32;
    /// Writes the word at an offset behind the core's back: what the core has fetched stays as it
    /// was.
    fn write_behind(&mut self, offset: u32, value: u32);
}
