// What core_verilog's pipelined core is measured with: 8 KiB of RAM in two banks, as hdl/src/ram.rs has them, inputs
// registered, the retirement port unconnected. `top` is the core as rust-hdl generates it.
module measure(input clock, input timer, input external, input stall, input dma, input [31:0] dma_data, output reg shown);
  wire [31:0] address, wdata, ahead_0, ahead_1;
  wire [3:0] mask;
  wire read, write;
  (* no_rw_check *) reg [31:0] memory_0 [1023:0];
  (* no_rw_check *) reg [31:0] memory_1 [1023:0];
  reg [31:0] code_0, code_1, fetched_0, fetched_1;
  reg odd;
  wire ram = address[31];
  wire [6:0] second = address[9:3] + address[2];
  wire [9:0] row_0 = {address[12:10], second};
  wire [9:0] row_1 = address[12:3];
  reg free_0 = 0, free_1 = 0;
  reg [31:0] dma_address = 0, dma_word = 0;
  integer lane;
  always @(posedge clock) begin
    code_0 <= memory_0[row_0];
    code_1 <= memory_1[row_1];
    odd <= address[2];
    for (lane = 0; lane < 4; lane = lane + 1) begin
      if (write & ram & !address[2] & mask[lane]) memory_0[row_0][8 * lane +: 8] <= wdata[8 * lane +: 8];
      if (write & ram & address[2] & mask[lane]) memory_1[row_1][8 * lane +: 8] <= wdata[8 * lane +: 8];
    end
    if (write & !ram) shown <= wdata[0];
  end
  wire [9:0] second_0 = free_0 ? ahead_0[12:3] : dma_address[12:3];
  wire [9:0] second_1 = free_1 ? ahead_1[12:3] : dma_address[12:3];
  always @(posedge clock) begin
    fetched_0 <= memory_0[second_0];
    if (!free_0) memory_0[second_0] <= dma_word;
  end
  always @(posedge clock) begin
    fetched_1 <= memory_1[second_1];
    if (!free_1) memory_1[second_1] <= dma_word;
  end
  wire [31:0] rdata = odd ? code_1 : code_0;
  reg [31:0] cycles = 0;
  reg held, timer_line, external_line;
  always @(posedge clock) begin
    cycles <= cycles + 1;
    held <= stall;
    timer_line <= timer;
    external_line <= external;
    free_0 <= !(dma && !cycles[0]);
    free_1 <= !(dma && cycles[0]);
    dma_address <= dma_data;
    dma_word <= dma_data ^ cycles;
  end
  top core(.clock(clock), .reset_vector(32'h80000000), .hart_id(4'd0), .ram_mask(32'h1fff), .has_smi(1'b1),
    .has_mmi(1'b1), .address(address), .read(read), .write(write), .wdata(wdata), .mask(mask), .rdata(rdata),
    .code_0(code_0), .code_1(code_1), .ahead_0(ahead_0), .ahead_1(ahead_1), .fetched_0(fetched_0),
    .fetched_1(fetched_1), .free_0(free_0), .free_1(free_1),
    .stall(held), .irq_timer(timer_line), .irq_software(1'b0), .irq_external(external_line),
    .mtime_low(cycles), .mtime_high(32'd0));
endmodule
