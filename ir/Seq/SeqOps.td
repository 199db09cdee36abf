// Everything of the dialect `seq`, family by family.
#ifndef STRETTO_IR_SEQ_SEQOPS_TD
#define STRETTO_IR_SEQ_SEQOPS_TD

include "ir/Seq/SeqModelOps.td"
include "ir/Seq/SeqLayerOps.td"
include "ir/Seq/SeqRowOps.td"
include "ir/Seq/SeqLibraryOps.td"
include "ir/Seq/SeqDecodeOps.td"

#endif
