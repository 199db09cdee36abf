"""Which barriers a warp may reach in parts, in machine code written down here.

RUN: %python3 %s %root
"""
import sys

sys.path.insert(0, f"{sys.argv[1]}/bench/gpu")
from convergence import parted
from sass import functions

# Each kernel branches over an addition, and has a barrier behind it.
KERNEL = """
.text.{name}:
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   S2R R1, SR_CTAID.X ;
{lines}
        /*0080*/               @P0 BRA `(.L_{name}) ;
        /*0090*/                   FADD R2, R2, R3 ;
.L_{name}:
{behind}
        /*00b0*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*00c0*/                   EXIT ;
"""
LINES = {  # what the condition is computed from: whether lanes part
    "lanes": (["ISETP.GT.U32.AND P0, PT, R0, 0xf, PT"], True),
    "warps": (["ISETP.GT.U32.AND P0, PT, R0, 0x1f, PT"], False),
    "blocks": (["ISETP.GT.U32.AND P0, PT, R1, 0xf, PT"], False),
    "number_of_warp": (["SHF.R.U64 R4, R0, 0x5, RZ", "ISETP.NE.U32.AND P0, PT, R4, RZ, PT"], False),
    "upper_bits": (["LOP3.LUT R4, R0, 0xe0, RZ, 0xc0, !PT", "ISETP.NE.U32.AND P0, PT, R4, RZ, PT"], False),
    "lower_bits": (["LOP3.LUT R4, R0, 0xf, RZ, 0xc0, !PT", "ISETP.NE.U32.AND P0, PT, R4, RZ, PT"], True),
    "vote": (["ISETP.GT.U32.AND P0, PT, R0, 0xf, PT", "VOTE.ANY R4, PT, P0", "ISETP.NE.U32.AND P0, PT, R4, RZ, PT"], False),
    "shuffle": (["SHFL.BFLY PT, R4, R1, 0x1, 0x1f", "ISETP.NE.U32.AND P0, PT, R4, RZ, PT"], True),
    "loaded": (["LDG.E R4, desc[UR4][R0.64]", "ISETP.NE.U32.AND P0, PT, R4, RZ, PT"], True),
    "loaded_by_all": (["LDG.E R4, desc[UR4][R1.64]", "ISETP.NE.U32.AND P0, PT, R4, RZ, PT"], False),
    "overwritten": (["MOV R0, R1", "ISETP.GT.U32.AND P0, PT, R0, 0xf, PT"], False),
    "kept": (["@P1 MOV R0, R1", "ISETP.GT.U32.AND P0, PT, R0, 0xf, PT"], True),
}  # fmt: skip
BEHIND = {"": True, "BSYNC B0": False, "BSYNC B1": True, "WARPSYNC.ALL": False}


def numbered(lines):
    return "\n".join(f"        /*{0x20 + 16 * number:04x}*/                   {line} ;" for number, line in enumerate(lines) if line)


def parts(name, lines, behind=""):
    return bool(parted(functions(KERNEL.format(name=name, lines=numbered(lines), behind=numbered([behind])))[name]))


for name, (lines, expected) in LINES.items():
    if parts(name, lines) != expected:
        sys.exit(f"lanes must {'' if expected else 'not '}part where the condition comes from '{name}'")
for behind, expected in BEHIND.items():
    if parts("joined", ["BSSY B0, `(.L_joined)", *LINES["lanes"][0]], behind) != expected:
        sys.exit(f"lanes must {'' if expected else 'not '}be apart behind '{behind}'")
