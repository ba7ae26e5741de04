//! Integer registers, with what is on its way to them.

use rust_hdl::prelude::*;

/// Thirty-two registers, two read ports, one write port, all synchronous, and the result of the
/// instruction in X, for a core that forwards it.
///
/// ```text
///   address_1, read                  +--------------+-> data_1, data_2
///   address_2, read_2                |              |
///   forward, .._address, .._data     | RegisterFile |
///   write, .._address, .._data ----->+--------------+
/// ```
///
/// With `read` high in *t* `data_1` is there from *t*+1 and stays until the next `read`; so are
/// `data_2` and `read_2`. What is forwarded in *t* is seen by reads of *t*, and goes before what is
/// written in *t*, which is seen by reads from *t* on: a load's value is written while the next
/// instruction reads its registers. Writes to register 0 are dropped, so it reads as 0.
///
/// Two copies of a memory, so that each read port maps to a memory of its own; the Verilog is written
/// by hand for the read enable. Before the first read the data are 0 in simulation and unknown in
/// hardware, where an initial value would cost a second register: nothing looks at them until then.
#[derive(LogicBlock, Default)]
pub struct RegisterFile {
    pub clock: Signal<In, Clock>,
    pub address_1: Signal<In, Bits<5>>,
    pub address_2: Signal<In, Bits<5>>,
    pub read: Signal<In, Bit>,
    pub read_2: Signal<In, Bit>,
    pub data_1: Signal<Out, Bits<32>>,
    pub data_2: Signal<Out, Bits<32>>,
    pub forward: Signal<In, Bit>,
    pub forward_address: Signal<In, Bits<5>>,
    pub forward_data: Signal<In, Bits<32>>,
    pub write: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<5>>,
    pub write_data: Signal<In, Bits<32>>,
    _words: [u32; 32],
}

impl Logic for RegisterFile {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        let address = self.write_address.val().index();
        if self.write.val() && address != 0 {
            self._words[address] = self.write_data.val().to_u32();
        }
        let (forwards, forwarded) = (self.forward.val(), self.forward_address.val().index());
        let value = self.forward_data.val().to_u32();
        let seen = |words: &[u32; 32], address: usize| {
            let is_forwarded = forwards && forwarded == address && address != 0;
            u64::from(if is_forwarded { value } else { words[address] }).into()
        };
        if self.read.val() {
            self.data_1.next = seen(&self._words, self.address_1.val().index());
        }
        if self.read_2.val() {
            self.data_2.next = seen(&self._words, self.address_2.val().index());
        }
    }

    fn connect(&mut self) {
        self.data_1.connect();
        self.data_2.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "\
reg [31:0] copy_1[31:0];
reg [31:0] copy_2[31:0];
wire writes = write & (write_address != 0);
wire forwards = forward & (forward_address != 0);
integer i;
`ifndef SYNTHESIS
initial begin
   data_1 = 0;
   data_2 = 0;
end
`endif
initial begin
   for (i = 0; i < 32; i = i + 1) begin
      copy_1[i] = 0;
      copy_2[i] = 0;
   end
end
always @(posedge clock) begin
   if (read) begin
      data_1 <= (forwards & (forward_address == address_1)) ? forward_data
              : (writes & (write_address == address_1)) ? write_data : copy_1[address_1];
   end
   if (read_2) begin
      data_2 <= (forwards & (forward_address == address_2)) ? forward_data
              : (writes & (write_address == address_2)) ? write_data : copy_2[address_2];
   end
   if (writes) begin
      copy_1[write_address] <= write_data;
      copy_2[write_address] <= write_data;
   end
end
"
            .into(),
        )
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "register_file".into(),
            clock: "clock".into(),
            inputs: [
                "address_1",
                "address_2",
                "read",
                "read_2",
                "forward",
                "forward_address",
                "forward_data",
                "write",
                "write_address",
                "write_data",
            ]
            .map(String::from)
            .into(),
            outputs: ["data_1", "data_2"].map(String::from).into(),
        }]
    }
}
