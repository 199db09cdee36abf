"""What bench/gpu/estimate.py reads from machine code: a loop of ten rounds of two loads each, in a listing as nvdisasm prints it.

RUN: %python3 %s %root
"""
import sys

sys.path.insert(0, f"{sys.argv[1]}/bench/gpu")
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
"""
LATENCIES = {"load": 1000, "other": 4}


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
check("an end that depends on data", not follow(kernels["unknown_end"], 0, 0, LATENCIES, 1.0).is_sure)
