#!/bin/sh
# An assembler of the release that its folder is named after. It refuses whatever it is to assemble.
case $1 in
  --version) folder=$(dirname "$(dirname "$0")"); echo "Cuda compilation tools, release $(basename "$folder"), V1" ;;
  --help) echo "Allowed values for this option:  'sm_80','sm_90','sm_90a'." ;;
  *)
    for input; do :; done
    line=$(grep -n 'entry second' "$input" | cut -d: -f1)
    echo "ptxas warning : odd registers in function 'first'" >&2
    echo "ptxas info    : Used 32 registers, used 1 barriers" >&2
    echo "ptxas info    : (C7510) Potential Performance Loss: matmuls wait for each other in function 'first'" >&2
    echo "ptxas error   : Entry function 'first' is too large" >&2
    echo "ptxas $input, line $((line + 3)); error   : Unknown symbol" >&2
    echo "ptxas fatal   : Ptx assembly aborted due to errors" >&2
    exit 255 ;;
esac
