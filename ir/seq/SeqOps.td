// Everything of the dialect `seq`, family by family.
#ifndef STRETTO_IR_SEQ_SEQOPS_TD
#define STRETTO_IR_SEQ_SEQOPS_TD

include "ir/seq/SeqModelOps.td"
include "ir/seq/SeqLayerOps.td"
include "ir/seq/SeqRowOps.td"
include "ir/seq/SeqLibraryOps.td"
include "ir/seq/SeqMixerOps.td"
include "ir/seq/SeqExpertOps.td"
include "ir/seq/SeqDecodeOps.td"

#endif
