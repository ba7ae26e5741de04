// VexRiscv as LiteX has it, on Wishbone: block RAM of two ports, which answers a cycle after the request and in every cycle of a burst.
module peer(input clock, input reset, input [31:0] tohost, output reg done, output reg [31:0] value);
  reg [31:0] memory [0:16383];
  reg [8*1024-1:0] image;
  initial begin
    done = 0;
    if ($value$plusargs("image=%s", image)) $readmemh(image, memory);
  end
  wire fetch_cycle, fetch, data_cycle, request, stores;
  wire [29:0] fetch_address, address;
  wire [2:0] fetch_kind;
  wire [31:0] data;
  wire [3:0] lanes;
  reg fetched = 0, answered = 0;
  reg [31:0] instruction, word;
  wire burst = fetched && fetch_kind == 3'b010;
  wire [29:0] wanted = burst ? fetch_address + 30'd1 : fetch_address;
  integer lane;
  always @(posedge clock) begin
    instruction <= memory[wanted[13:0]];
    fetched <= !reset && fetch_cycle && fetch && (!fetched || burst);
    word <= memory[address[13:0]];
    answered <= !reset && data_cycle && request && !answered;
    if (data_cycle && request && stores && !answered) begin
      for (lane = 0; lane < 4; lane = lane + 1)
        if (lanes[lane]) memory[address[13:0]][8*lane +: 8] <= data[8*lane +: 8];
      if (!reset && {address, 2'b0} == tohost) begin
        done <= 1;
        value <= data;
      end
    end
  end
  VexRiscv core (
    .clk(clock), .reset(reset), .externalResetVector(32'h8000_0000),
    .timerInterrupt(1'b0), .softwareInterrupt(1'b0), .externalInterruptArray(32'b0),
    .iBusWishbone_CYC(fetch_cycle), .iBusWishbone_STB(fetch), .iBusWishbone_ACK(fetched), .iBusWishbone_ADR(fetch_address),
    .iBusWishbone_DAT_MISO(instruction), .iBusWishbone_ERR(1'b0), .iBusWishbone_CTI(fetch_kind),
    .dBusWishbone_CYC(data_cycle), .dBusWishbone_STB(request), .dBusWishbone_ACK(answered), .dBusWishbone_WE(stores),
    .dBusWishbone_ADR(address), .dBusWishbone_DAT_MISO(word), .dBusWishbone_DAT_MOSI(data), .dBusWishbone_SEL(lanes),
    .dBusWishbone_ERR(1'b0)
  );
endmodule
