// What `testbed bench --synth` measures: the core with 8 KiB of RAM on its port, inputs registered, the
// retirement port unconnected. `top` is the core as rust-hdl generates it.
module measure(input clock, input timer, input external, input stall, output reg shown);
  wire [31:0] address, wdata;
  wire [3:0] mask;
  wire read, write;
  reg [31:0] rdata;
  reg [31:0] memory [2047:0];
  wire ram = address[31];
  integer lane;
  always @(posedge clock) begin
    rdata <= memory[address[12:2]];
    for (lane = 0; lane < 4; lane = lane + 1)
      if (write & ram & mask[lane]) memory[address[12:2]][8 * lane +: 8] <= wdata[8 * lane +: 8];
    if (write & !ram) shown <= wdata[0];
  end
  reg [31:0] cycles = 0;
  reg held, timer_line, external_line;
  always @(posedge clock) begin
    cycles <= cycles + 1;
    held <= stall;
    timer_line <= timer;
    external_line <= external;
  end
  top core(.clock(clock), .reset_vector(32'h80000000), .hart_id(4'd0), .ram_mask(32'h1fff), .has_smi(1'b1),
    .has_mmi(1'b1), .address(address), .read(read), .write(write), .wdata(wdata), .mask(mask), .rdata(rdata),
    .stall(held), .irq_timer(timer_line), .irq_software(1'b0), .irq_external(external_line),
    .mtime_low(cycles), .mtime_high(32'd0));
endmodule
