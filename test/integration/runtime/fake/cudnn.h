// cuDNN's graphs on the made-up GPU.
#pragma once

// What its attention does from now on.
enum class CudnnBehaviour {
  Right,
  Slow,      // and right
  Wrong,     // what it writes is larger by a tenth
  Unwritten, // it computes nothing
  Refused,   // it has no engine for any graph
  NoBackward // it has one for the forward alone
};
void setCudnnBehaviour(CudnnBehaviour behaviour);

// How many plans were made so far.
int cudnnPlans();
