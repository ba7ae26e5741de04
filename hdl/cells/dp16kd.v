// Block RAM of ECP5 as yosys emits it: 16 Kibit, 18 with parity; two ports that read and write, of 1, 2, 4, 9 or 18 bits, or one of 36 that writes (A) and one of 36 that reads (B).
//
// From Lattice's "ECP5 and ECP5-5G Memory Usage Guide", FPGA-TN-02204 (TN1264 before), and from what yosys puts into a netlist, `brams_map.v` of its technology library. What of
// the cell is not here makes elaboration fail: a parameter is missing, or a value of one is refused; an input that would need it ends the simulation.
//
// Ports that are used have one clock and one width. What the guide leaves undefined must not matter, so here it is surely wrong: of a bit that one port writes, the other reads the inverse
// in that cycle; of one that both write, the inverse of what port A writes stays.
module DP16KD(
  input DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
  input ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
  input CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
  output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
  input DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
  input ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
  input CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
  output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
  parameter DATA_WIDTH_A = 18;
  parameter DATA_WIDTH_B = 18;
  parameter REGMODE_A = "NOREG";
  parameter REGMODE_B = "NOREG";
  parameter RESETMODE = "SYNC";
  parameter ASYNC_RESET_RELEASE = "SYNC";
  parameter CSDECODE_A = "0b000";
  parameter CSDECODE_B = "0b000";
  parameter WRITEMODE_A = "NORMAL";
  parameter WRITEMODE_B = "NORMAL";
  parameter CLKAMUX = "CLKA";
  parameter CLKBMUX = "CLKB";
  // Of the device's global reset, which the Testbed does not use.
  parameter GSR = "DISABLED";
  parameter [319:0] INITVAL_00 = 320'b0;
  parameter [319:0] INITVAL_01 = 320'b0;
  parameter [319:0] INITVAL_02 = 320'b0;
  parameter [319:0] INITVAL_03 = 320'b0;
  parameter [319:0] INITVAL_04 = 320'b0;
  parameter [319:0] INITVAL_05 = 320'b0;
  parameter [319:0] INITVAL_06 = 320'b0;
  parameter [319:0] INITVAL_07 = 320'b0;
  parameter [319:0] INITVAL_08 = 320'b0;
  parameter [319:0] INITVAL_09 = 320'b0;
  parameter [319:0] INITVAL_0A = 320'b0;
  parameter [319:0] INITVAL_0B = 320'b0;
  parameter [319:0] INITVAL_0C = 320'b0;
  parameter [319:0] INITVAL_0D = 320'b0;
  parameter [319:0] INITVAL_0E = 320'b0;
  parameter [319:0] INITVAL_0F = 320'b0;
  parameter [319:0] INITVAL_10 = 320'b0;
  parameter [319:0] INITVAL_11 = 320'b0;
  parameter [319:0] INITVAL_12 = 320'b0;
  parameter [319:0] INITVAL_13 = 320'b0;
  parameter [319:0] INITVAL_14 = 320'b0;
  parameter [319:0] INITVAL_15 = 320'b0;
  parameter [319:0] INITVAL_16 = 320'b0;
  parameter [319:0] INITVAL_17 = 320'b0;
  parameter [319:0] INITVAL_18 = 320'b0;
  parameter [319:0] INITVAL_19 = 320'b0;
  parameter [319:0] INITVAL_1A = 320'b0;
  parameter [319:0] INITVAL_1B = 320'b0;
  parameter [319:0] INITVAL_1C = 320'b0;
  parameter [319:0] INITVAL_1D = 320'b0;
  parameter [319:0] INITVAL_1E = 320'b0;
  parameter [319:0] INITVAL_1F = 320'b0;
  parameter [319:0] INITVAL_20 = 320'b0;
  parameter [319:0] INITVAL_21 = 320'b0;
  parameter [319:0] INITVAL_22 = 320'b0;
  parameter [319:0] INITVAL_23 = 320'b0;
  parameter [319:0] INITVAL_24 = 320'b0;
  parameter [319:0] INITVAL_25 = 320'b0;
  parameter [319:0] INITVAL_26 = 320'b0;
  parameter [319:0] INITVAL_27 = 320'b0;
  parameter [319:0] INITVAL_28 = 320'b0;
  parameter [319:0] INITVAL_29 = 320'b0;
  parameter [319:0] INITVAL_2A = 320'b0;
  parameter [319:0] INITVAL_2B = 320'b0;
  parameter [319:0] INITVAL_2C = 320'b0;
  parameter [319:0] INITVAL_2D = 320'b0;
  parameter [319:0] INITVAL_2E = 320'b0;
  parameter [319:0] INITVAL_2F = 320'b0;
  parameter [319:0] INITVAL_30 = 320'b0;
  parameter [319:0] INITVAL_31 = 320'b0;
  parameter [319:0] INITVAL_32 = 320'b0;
  parameter [319:0] INITVAL_33 = 320'b0;
  parameter [319:0] INITVAL_34 = 320'b0;
  parameter [319:0] INITVAL_35 = 320'b0;
  parameter [319:0] INITVAL_36 = 320'b0;
  parameter [319:0] INITVAL_37 = 320'b0;
  parameter [319:0] INITVAL_38 = 320'b0;
  parameter [319:0] INITVAL_39 = 320'b0;
  parameter [319:0] INITVAL_3A = 320'b0;
  parameter [319:0] INITVAL_3B = 320'b0;
  parameter [319:0] INITVAL_3C = 320'b0;
  parameter [319:0] INITVAL_3D = 320'b0;
  parameter [319:0] INITVAL_3E = 320'b0;
  parameter [319:0] INITVAL_3F = 320'b0;

  // Each has sixteen words of 18 bits, 20 bits apart.
  localparam [64*320-1:0] CONTENT = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
    INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
    INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
    INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
    INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
    INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
    INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
  };

  // A port of 36 bits takes the inputs and outputs of both.
  localparam PSEUDO = DATA_WIDTH_A == 36;
  function supported(input integer width);
    supported = width == 1 || width == 2 || width == 4 || width == 9 || width == 18;
  endfunction
  generate
    if (PSEUDO ? DATA_WIDTH_B != 36 : !supported(DATA_WIDTH_A) || !supported(DATA_WIDTH_B))
      dp16kd_has_no_such_widths refused();
    if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG") dp16kd_has_no_output_registers refused();
    if (CSDECODE_A != "0b000" || CSDECODE_B != "0b000") dp16kd_has_no_chip_select refused();
    if (CLKAMUX != "CLKA" || CLKBMUX != "CLKB") dp16kd_has_no_inverted_clock refused();
    if (RESETMODE != "SYNC" && RESETMODE != "ASYNC") dp16kd_has_no_such_reset refused();
    if (GSR != "DISABLED") dp16kd_has_no_global_reset refused();
    if ((WRITEMODE_A != "NORMAL" && WRITEMODE_A != "WRITETHROUGH" && WRITEMODE_A != "READBEFOREWRITE")
        || (WRITEMODE_B != "NORMAL" && WRITEMODE_B != "WRITETHROUGH" && WRITEMODE_B != "READBEFOREWRITE"))
      dp16kd_has_no_such_write_mode refused();
  endgenerate

  // The memory is 512 times 36 bits; a port of fewer sees a window of them. The lowest address bits say where it begins.
  function [5:0] offset(input integer width, input [13:0] address);
    case (width)
      36: offset = 0;
      18: offset = 18 * address[4];
      9: offset = 9 * address[4:3];
      4: offset = 9 * address[4:3] + 4 * address[2];
      2: offset = 9 * address[4:3] + 2 * address[2:1];
      default: offset = 9 * address[4:3] + address[2:0];
    endcase
  endfunction

  function [35:0] ones(input integer width);
    ones = ~(36'hfffffffff << width);
  endfunction


  wire [13:0] address_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [17:0] in_a = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [13:0] address_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  wire [17:0] in_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};

  wire [5:0] offset_a = offset(DATA_WIDTH_A, address_a);
  wire [5:0] offset_b = offset(DATA_WIDTH_B, address_b);
  wire [35:0] data_a = (PSEUDO ? {in_b, in_a} : {18'b0, in_a}) << offset_a;
  wire [35:0] data_b = {18'b0, in_b} << offset_b;
  // Ports of 18 and 36 bits have byte enables in place of their lowest address bits.
  wire [35:0] bytes_a = DATA_WIDTH_A < 18 ? ones(36) : {{9{ADA3 || !PSEUDO}}, {9{ADA2 || !PSEUDO}}, {9{ADA1}}, {9{ADA0}}};
  wire [35:0] bytes_b = DATA_WIDTH_B < 18 ? ones(36) : {18'b0, {9{ADB1}}, {9{ADB0}}};
  wire write_a = CEA && WEA && !RSTA;
  wire write_b = CEB && WEB && !RSTB;
  wire [35:0] written_a = write_a ? (ones(DATA_WIDTH_A) & bytes_a) << offset_a : 36'b0;
  wire [35:0] written_b = write_b ? (ones(DATA_WIDTH_B) & bytes_b) << offset_b : 36'b0;
  wire [8:0] place_a = address_a[13:5];
  wire [8:0] place_b = address_b[13:5];
  wire same = place_a == place_b;

  reg [35:0] mem [0:511];
  reg [35:0] old_a, old_b, new_a, new_b, both;
  // What the ports show, shifted to the right.
  reg [35:0] out_a, out_b;
  integer word;
  initial begin
    for (word = 0; word < 512; word = word + 1) mem[word] = {CONTENT[40*word+20 +: 18], CONTENT[40*word +: 18]};
    out_a = 0;
    out_b = 0;
  end

  // Blocking assignments, as the ports may write parts of one word; only the outputs are seen from outside.
  always @(posedge CLKA) begin
    old_a = mem[place_a];
    old_b = mem[place_b];
    new_a = (old_a & ~written_a) | (data_a & written_a);
    new_b = (old_b & ~written_b) | (data_b & written_b);
    both = same ? written_a & written_b : 36'b0;
    if (write_a) mem[place_a] = new_a;
    if (write_b) mem[place_b] = (mem[place_b] & ~written_b) | ((data_b & ~both | ~data_a & both) & written_b);
    if (RSTA) out_a <= 0;
    else if (CEA && !(WEA && WRITEMODE_A == "NORMAL"))
      out_a <= ((WRITEMODE_A == "WRITETHROUGH" ? new_a : old_a) ^ (same ? written_b : 36'b0)) >> offset_a & ones(DATA_WIDTH_A);
    if (RSTB) out_b <= 0;
    else if (CEB && !(WEB && WRITEMODE_B == "NORMAL"))
      out_b <= ((WRITEMODE_B == "WRITETHROUGH" ? new_b : old_b) ^ (same ? written_a : 36'b0)) >> offset_b & ones(DATA_WIDTH_B);

    if (CEB && !CLKB) begin
      $display("%m: the ports of this model have one clock");
      $fatal;
    end
    if (CEA && CEB && DATA_WIDTH_A != DATA_WIDTH_B) begin
      $display("%m: the ports of this model have one width");
      $fatal;
    end
    if ({CSA2, CSA1, CSA0, CSB2, CSB1, CSB0} != 0) begin
      $display("%m: this model has no chip select");
      $fatal;
    end
    if (PSEUDO && (WEB || RSTA)) begin
      $display("%m: port B of a block RAM with 36 bits only reads, port A only writes");
      $fatal;
    end
    if (RESETMODE == "ASYNC" && (RSTA || RSTB)) begin
      $display("%m: this model has no asynchronous reset");
      $fatal;
    end
  end
  always @(posedge CLKB)
    if (CEB && !CLKA) begin
      $display("%m: the ports of this model have one clock");
      $fatal;
    end

  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = PSEUDO ? out_b[17:0] : out_a[17:0];
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = DATA_WIDTH_B == 36 ? out_b[35:18] : out_b[17:0];
endmodule
