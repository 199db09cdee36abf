"""What bench/gpu/estimate.py reads from machine code, in listings as nvdisasm prints them: a loop of ten rounds of two loads each,
matmuls on copies to shared memory, loops too long to be followed to their end, and warps that copy and multiply for each other.

RUN: %python3 %s %root
"""
import sys

sys.path.insert(0, f"{sys.argv[1]}/bench/gpu")
from types import SimpleNamespace

import roles
from loops import Loops
from sass import functions
from walk import follow

LISTING = """
.text.sum_rows:
        /*0000*/                   S2R R0, SR_CTAID.Y ;
        /*0010*/                   ISETP.NE.AND P1, PT, R0, RZ, PT ;
        /*0020*/               @P1 EXIT ;
        /*0030*/                   HFMA2.MMA R2, -RZ, RZ, 0, 0 ;
        /*0040*/                   CS2R R4, SRZ ;
.L_x_0:
        /*0050*/                   LDG.E.128 R8, desc[UR4][R6.64] ;
        /*0060*/                   LDG.E R12, desc[UR4][R6.64+0x10] ;
        /*0070*/                   IADD3 R2, P0, R2, 0x1, RZ ;
        /*0080*/                   IADD3.X R3, RZ, R4, RZ, P0, !PT ;
        /*0090*/                   ISETP.NE.U32.AND P0, PT, R2, 0xa, PT ;
        /*00a0*/                   ISETP.NE.U32.AND.EX P0, PT, R3, RZ, PT, P0 ;
        /*00b0*/                   FADD R13, R8, R12 ;
        /*00c0*/                   STG.E desc[UR4][R6.64], R13 ;
        /*00d0*/               @P0 BRA `(.L_x_0) ;
        /*00e0*/                   EXIT ;
.text.unknown_end:
.L_x_1:
        /*0000*/                   LDG.E R0, desc[UR4][R2.64] ;
        /*0010*/                   ISETP.NE.AND P0, PT, R0, RZ, PT ;
        /*0020*/               @P0 BRA `(.L_x_1) ;
        /*0030*/                   EXIT ;
.text.divided:
        /*0000*/                   S2R R0, SR_CTAID.X ;
        /*0010*/                   IMAD.HI.U32 R1, R0, 0x33333334, RZ ;
        /*0020*/                   PRMT R2, R1, 0x9910, RZ ;
        /*0030*/                   VIMNMX.U32 R3, R2, 0xb, PT ;
        /*0040*/                   VIMNMX R3, R3, -0x2, !PT ;
        /*0050*/                   MOV R4, RZ ;
.L_x_9:
        /*0060*/                   LDG.E.128 R8, desc[UR4][R6.64] ;
        /*0070*/                   IADD3 R4, R4, 0x1, RZ ;
        /*0080*/                   ISETP.NE.U32.AND P0, PT, R4, R3, PT ;
        /*0090*/               @P0 BRA `(.L_x_9) ;
        /*00a0*/                   EXIT ;
.text.kept:
        /*0000*/                   S2R R0, SR_CTAID.X ;
        /*0010*/                   ISETP.GE.AND P2, PT, R0, 0x8, PT ;
        /*0020*/                   P2R R1, PR, RZ, 0x4 ;
        /*0030*/                   ISETP.NE.AND P1, PT, R1, RZ, PT ;
        /*0040*/               @P1 EXIT ;
        /*0050*/                   LDG.E.128 R8, desc[UR4][R6.64] ;
        /*0060*/                   EXIT ;
.text.subtracted:
        /*0000*/                   S2R R0, SR_CTAID.X ;
        /*0010*/                   IADD3 R1, P2, -R0, R0, RZ ;
        /*0020*/                   IADD3.X R1, RZ, -0x1, RZ, P2, !PT ;
        /*0030*/                   IADD3 R2, P0, P1, R1, -0x1, -R0 ;
        /*0040*/                   IADD3.X R2, RZ, RZ, RZ, P0, P1 ;
        /*0050*/                   ISETP.NE.AND P2, PT, R1, RZ, PT ;
        /*0060*/                   ISETP.NE.OR P2, PT, R2, 0x1, P2 ;
        /*0070*/               @P2 EXIT ;
        /*0080*/                   LDG.E.128 R8, desc[UR4][R6.64] ;
        /*0090*/                   EXIT ;
.text.several:
        /*0000*/                   S2R R0, SR_CTAID.Y ;
        /*0010*/                   MOV R5, 0xffffffff ;
        /*0020*/                   VIADDMNMX.U32 R4, R0, R5, 0x2, PT ;
        /*0030*/                   SHF.L.U32 R6, R4, 0x2, RZ ;
        /*0040*/                   LDC R4, c[0x2][R6+0x1c] ;
        /*0050*/                   SHF.R.S32.HI R5, RZ, 0x1f, R4 ;
.L_x_10:
        /*0060*/                   BRX R4 -0x70                                  (*"BRANCH_TARGETS .L_x_12,.L_x_11,.L_x_13"*);
.L_x_11:
        /*0070*/                   LDG.E.128 R8, desc[UR4][R6.64] ;
.L_x_12:
        /*0080*/                   LDG.E.128 R8, desc[UR4][R6.64] ;
.L_x_13:
        /*0090*/                   EXIT ;
.text.roles:
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   ISETP.GE.U32.AND P0, PT, R0, 0x20, PT ;
        /*0020*/               @P0 BRA `(.L_x_5) ;
        /*0030*/                   ELECT P1, URZ, PT ;
        /*0040*/              @!P1 EXIT ;
        /*0050*/                   MOV R4, 0xc000 ;
        /*0060*/                   MOV R2, RZ ;
.L_x_6:
        /*0070*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R1+URZ], R3 ;
        /*0080*/              @!P0 BRA `(.L_x_6) ;
        /*0090*/                   SYNCS.ARRIVE.TRANS64 RZ, [R1+URZ], R4 ;
        /*00a0*/                   UTMALDG.2D [UR8], [UR4] ;
        /*00b0*/                   IADD3 R2, R2, 0x1, RZ ;
        /*00c0*/                   ISETP.NE.U32.AND P0, PT, R2, 0x1e, PT ;
        /*00d0*/               @P0 BRA `(.L_x_6) ;
        /*00e0*/                   EXIT ;
.L_x_5:
        /*00f0*/                   WARPGROUP.ARRIVE ;
        /*0100*/                   HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4], RZ, !UPT ;
        /*0110*/                   HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4], R24, gsb0 ;
        /*0120*/                   HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4], R24, gsb0 ;
        /*0130*/                   WARPGROUP.DEPBAR.LE gsb0, 0x1 ;
        /*0140*/                   WARPGROUP.DEPBAR.LE gsb0, 0x0 ;
        /*0150*/                   SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R1+URZ], RZ ;
        /*0160*/                   EXIT ;
.text.exchanging:
.L_x_7:
        /*0000*/                   USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xb8 ;
        /*0010*/                   PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0 ;
        /*0020*/              @!P0 BRA `(.L_x_7) ;
        /*0030*/                   BRA.DIV UR4, `(.L_x_8) ;
        /*0040*/                   EXIT ;
.L_x_8:
        /*0050*/                   LDG.E.128 R8, desc[UR4][R6.64] ;
        /*0060*/                   EXIT ;
.text.matrices:
        /*0000*/              @!PT LDS RZ, [RZ] ;
        /*0010*/                   LDGSTS.E.BYPASS.128 [R0], desc[UR4][R2.64] ;
        /*0020*/                   LDGDEPBAR ;
        /*0030*/                   LDGSTS.E.BYPASS.128 [R0+0x200], desc[UR4][R2.64+0x200] ;
        /*0040*/                   LDGDEPBAR ;
        /*0050*/                   DEPBAR.LE SB0, 0x1 ;
        /*0060*/                   LDSM.16.MT88.2 R8, [R0+0x200] ;
        /*0070*/                   LDSM.16.M88.4 R4, [R0] ;
        /*0080*/                   HMMA.16816.F32.BF16 R12, R4, R8, RZ ;
        /*0090*/                   HMMA.1688.F32.TF32 R16, R4, R8, RZ ;
        /*00a0*/                   DMMA.8x8x4 R20, R2, R10, R20 ;
        /*00b0*/                   FADD R30, R15, R19 ;
        /*00c0*/                   EXIT ;
.text.long:
        /*0000*/                   MOV R2, RZ ;
.L_x_2:
        /*0010*/                   MOV R3, RZ ;
        /*0020*/                   LDG.E.128 R8, desc[UR4][R6.64] ;
.L_x_3:
        /*0030*/                   IADD3 R3, R3, 0x2, RZ ;
        /*0040*/                   FADD R13, R8, R13 ;
        /*0050*/                   ISETP.NE.U32.AND P0, PT, R3, 0x40, PT ;
        /*0060*/               @P0 BRA `(.L_x_3) ;
        /*0070*/                   IADD3 R2, R2, 0x1, RZ ;
        /*0080*/                   LOP3.LUT R4, R2, 0x1, RZ, 0xc0, !PT ;
        /*0090*/                   ISETP.NE.AND P1, PT, R4, RZ, PT ;
        /*00a0*/              @!P1 FADD R14, R8, R14 ;
        /*00b0*/                   ISETP.LT.AND P0, PT, R2, 0x100001, PT ;
        /*00c0*/               @P0 BRA `(.L_x_2) ;
        /*00d0*/                   EXIT ;
"""
LATENCIES = {"load": 1000, "copy": 1000, "shared": 30, "matrix": 33, "other": 4}


def check(what, is_true):
    if not is_true:
        sys.exit(f"{what} is not as it must be")


kernels = functions(LISTING)
trace = follow(kernels["sum_rows"], 0, 0, LATENCIES, 1.0)
check("how often the loop runs", trace.loaded == 10 * 32 * (16 + 4))
check("what is on its way at once", trace.outstanding == 32 * (16 + 4))
check("what is issued", trace.issued["issue"] == 5 + 10 * 9 + 1 and trace.issued["load"] == 10 * (4 + 1))
check("the time: ten waits for the second load", 10 * 1000 < trace.cycles < 10 * 1010 + 20)
check("the lone end", trace.is_sure)
check("a block of the other branch", follow(kernels["sum_rows"], 0, 1, LATENCIES, 1.0).loaded == 0)
check("a gap between instructions", follow(kernels["sum_rows"], 0, 0, LATENCIES, 8.0).cycles > trace.cycles + 250)
for block, turns in ((47, 9), (60, 11)):  # a fifth of the block's number, at most 11
    trace = follow(kernels["divided"], block, 0, LATENCIES, 1.0)
    check("an end that depends on the block", trace.is_sure and trace.loaded == turns * 512)
for block, loads in ((7, 1), (8, 0)):
    check("a predicate that a register keeps", follow(kernels["kept"], block, 0, LATENCIES, 1.0).loaded == loads * 512)
for block, loads in ((1, 1), (2, 2), (3, 0), (7, 0), (0, 0)):  # one less, as a number without a sign, and at most 2
    trace = follow(kernels["several"], 0, block, LATENCIES, 1.0)
    check("a branch by a table", trace.is_sure and trace.loaded == loads * 512)
check("an end that depends on data", not follow(kernels["unknown_end"], 0, 0, LATENCIES, 1.0).is_sure)

code = kernels["matrices"]
matmul = next(i for i in code if i.name.startswith("HMMA.16816"))
check("the registers of a matmul", matmul.writes == ("R12", "R13", "R14", "R15") and matmul.reads == ("R4", "R5", "R6", "R7", "R8", "R9"))
trace = follow(code, 0, 0, LATENCIES, 1.0, 2.0)
check("copies are loaded, and nothing that never runs", trace.loaded == 2 * 512 and trace.issued["copy"] == 8 and trace.issued["shared"] == 2 + 4)
check("the cycles of tensor cores", trace.issued["matrix"] == 4 + 4 + 8)
# The first copies arrive 1000 cycles behind the second instruction; the wait lasts until then. Then come blocks from shared memory,
# and the second matmul begins 8 cycles behind the first.
check("a wait for all groups but one, and a busy tensor core", trace.cycles == 1001 + 1 + 1 + 30 + 8 + 33 + 2)
check("what is carried from zeros that are subtracted", follow(kernels["subtracted"], 0, 0, LATENCIES, 1.0).loaded == 512)

check("which kernels have roles", roles.has_roles(kernels["roles"]) and not roles.has_roles(code))
copying, *multiplying = traces = roles.follow_roles(SimpleNamespace(block=160), kernels["roles"], LATENCIES, 4, 0.5)
check("what TMA brings", copying.is_sure and copying.loaded == 30 * 0xC000)
check("matmuls of a warpgroup", all(t.issued["matrix"] == 3 * 128 for t in multiplying))
# The number of the thread and what follows from it take 10 cycles; then each matmul takes 256 at half of the peak.
check("the time: the last group is waited for", all(t.cycles == 10 + 3 * 256 + 3 for t in multiplying))
for cluster, delivered in ((0, 0xC000), (1, 0xC000), (2, 0x8000)):  # of the 48 KiB of a stage 16 are the block's own rows
    limits = roles.cycles_of(SimpleNamespace(cluster=cluster, boxes=[0x4000, 0x8000]), traces, 4, 0.5, 32, 64, 2)
    check("what limits a block", limits == {
        "way": 781, "tensor cores": 768, "issue": 2 * (7 + 30 * 7 + 1 + 11), "second-level cache": 30 * delivered / 32, "operands": 30 * 768})  # fmt: skip
trace = follow(kernels["exchanging"], 0, 0, LATENCIES, 1.0)
check("registers that are free, and lanes that stay together", trace.is_sure and trace.issued["issue"] == 5 and trace.loaded == 0)
trace = follow(kernels["long"], 0, 0, LATENCIES, 1.0)
turns = 0x100001
check("how often loops run that are not followed", trace.is_sure and trace.loaded == turns * 512)
check("what is issued in them", trace.issued["issue"] == 1 + turns * (2 + 32 * 4 + 6) + 1)
short = functions(LISTING.replace("0x100001", "0x31"))["long"]
skipping = follow(short, 0, 0, LATENCIES, 1.0)
Loops.step = lambda self: None
check("what is skipped: the same as without", follow(short, 0, 0, LATENCIES, 1.0) == skipping)
