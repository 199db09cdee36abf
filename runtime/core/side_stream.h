// A second stream of a device, for work beside the first: what ranks exchange while a step goes on.
#pragma once

#include "runtime/core/op.h"

#include <functional>
#include <memory>

namespace stretto::runtime {

class Device;

class SideStream {
public:
  virtual ~SideStream() = default;

  // What is put here from now on waits for what is on the stream of the device now.
  virtual void follow() = 0;
  // Puts a launch, a copy or a clearing here; of others throws Error.
  virtual void submit(Op op) = 0;
  // Puts work of a library here. Where the host itself works, it runs in its turn, on another thread, and returns when
  // it is done; on a GPU it is called at once and puts its own work on this stream.
  virtual void call(std::function<void()> work) = 0;
  // A name for what was put here so far, until the next join; and what is put on the stream of the device from now on
  // waits for that.
  virtual int64_t mark() = 0;
  virtual void await(int64_t mark) = 0;
  // What is put on the stream of the device from now on waits for what is here. Where the host itself works, returns
  // when all of it is done, and throws the first failure.
  virtual void join() = 0;
};

// The stream of the device itself under this interface: everything runs in its turn.
std::unique_ptr<SideStream> sideStreamOn(Device &device);

} // namespace stretto::runtime
