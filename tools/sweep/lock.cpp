// One sweep at a time in a folder.
#include "tools/sweep/lock.h"

#include "runtime/core/error.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace stretto::tools {

SweepLock::SweepLock(const std::filesystem::path &folder) {
  const std::string path = (folder / "lock").string();
  file = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0644);
  if (file < 0)
    throw runtime::Error("cannot open '" + path + "': " + std::strerror(errno));
  if (flock(file, LOCK_EX | LOCK_NB) == 0)
    return;
  close(file);
  throw runtime::Error("sweep directory '" + folder.string() +
                       "' must have one sweep, but another one, or a run of one that was killed, is going on in it");
}

SweepLock::~SweepLock() { close(file); }

} // namespace stretto::tools
