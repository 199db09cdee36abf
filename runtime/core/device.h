// The device a program runs on: memory, and a stream of ops run in order, at once or later.
#pragma once

#include "runtime/core/op.h"
#include "runtime/core/side_stream.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace stretto::runtime {

// Sees every op, in order, before and after it runs.
class OpObserver {
public:
  virtual ~OpObserver() = default;
  virtual void before(const Op &op) = 0;
  // `seconds`: how long the device was at it; negative where it did the op at once, between `before` and `after`.
  virtual void after(const Op &op, const CallSite &at, double seconds) = 0;
  // Whether `after` must be called before the next op runs, as it looks at what the op wrote. Others may be called
  // later, at the latest by the wait.
  virtual bool looksAtResults() const = 0;
};

class Device {
public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;
  // What it is, for the user: "cpu on 2 threads, matmuls by tiles".
  virtual std::string describe() const = 0;
  // By what it computes matmuls and attention, as far as that depends on the machine, and bits on it; else empty.
  virtual std::string matmuls() const { return ""; }

  // Memory aligned to 64 bytes; throws Error when there is none.
  virtual void *allocate(int64_t bytes) = 0;
  virtual void release(void *data, int64_t bytes) = 0;

  // Puts an op on the stream. A failure is thrown here or by the next wait.
  virtual void submit(Op op, const CallSite &at = {}) = 0;

  // Puts what `work` submits on the stream. A device that `repeats` may keep these ops under `key` and put them there
  // again without asking `work`, as one: so each time it must submit the same ops with the same addresses, and none
  // that copies from or to the host.
  virtual void repeat(int key, const std::function<void()> &work) {
    (void)key;
    work();
  }
  virtual bool repeats() const { return false; }

  // Returns when everything submitted has run; throws the first failure since the last wait.
  virtual void wait() = 0;

  // A place in the stream, behind all that was submitted so far.
  using Mark = uint64_t;
  virtual Mark mark() { return 0; }
  // Returns when all in front of the mark has run, what it copied to the host included; what was submitted behind it
  // may still run. Throws as `wait` does.
  virtual void waitFor(Mark mark) {
    (void)mark;
    wait();
  }

  // A second stream; it may be this one.
  virtual std::unique_ptr<SideStream> sideStream() { return sideStreamOn(*this); }

  // Sees every op; null: none. Set only while the stream is empty.
  virtual void observe(OpObserver *observer) = 0;

  // What was computed so far, where the host can read it: the data itself, or a copy of it in `storage`. For observers
  // of an op that has run, and where the stream is empty.
  virtual const void *hostView(const void *data, int64_t, std::vector<std::byte> &) { return data; }

  // Threads of this machine: used by an op where ops run on them, and by what prepares data. Results do not depend on
  // it.
  virtual void setThreads(int count) = 0;
  // How many of them an op uses; 0 where ops run elsewhere.
  virtual int threads() const = 0;

  // Rows and columns of a matmul that is large enough to show how fast the device is.
  virtual int64_t peakSize() const { return 1024; }

  // Bytes that arenas and libraries may take, what libraries hold already included; 0: as much as this machine has.
  virtual int64_t availableBytes() const { return 0; }

  // The most bytes held at once beside what `allocate` gave, since the latest ReserveOp: by LibTorch's allocator, by
  // MKL for its matmuls, and as scratch of kernels. Ask only while the stream is empty.
  virtual int64_t libraryPeakBytes() const = 0;
};

// How a device goes about its work.
struct DeviceOptions {
  bool repeat = true;        // keep ops that come again, see Device::repeat
  bool deterministic = true; // the same bits each time, on one kind of device
  bool tf32 = false;         // matmuls of floats may round their operands to 10 bits
  int place = 0;             // which of the devices of this host that this process sees; of one alone it is that one
  // Told once why ops that come again cannot be kept; they are submitted each time from then on. Null: that is an
  // error, as it must be where ranks have to do the same.
  std::function<void(const std::string &reason)> onUnkept = {};
};

// A device that needs no program, by its name: the CPU, or one that behaves like it; throws Error for another name.
std::unique_ptr<Device> makeDevice(const std::string &name, const DeviceOptions &options = {});

} // namespace stretto::runtime
