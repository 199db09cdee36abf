// How the ranks of a communicator of the made-up NCCL reach each other: a Unix socket between any two of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

class Links {
public:
  // Returns when all have come; throws std::runtime_error where they do not within 20 s. `name`: what they have in
  // common.
  Links(const std::string &name, int rank, int size);
  ~Links();
  Links(const Links &) = delete;
  Links &operator=(const Links &) = delete;

  int rank() const { return own; }
  int size() const { return static_cast<int>(sockets.size()); }

  // Bytes to and from each rank, this one included. A rank that is gone never sends any: only `abort` ends the wait.
  // Returns whether all has come.
  struct Piece {
    char *data;
    size_t bytes;
  };
  bool exchange(std::vector<Piece> out, std::vector<Piece> in);

  // From any thread.
  void abort() { aborted = true; }
  bool isAborted() const { return aborted; }
  bool hasLostRank() const { return lost; }

private:
  void connectTo(const std::string &name, int other);
  void acceptOthers(int listener);
  bool move(int socket, Piece &piece, bool out);

  int own;
  std::vector<int> sockets; // by rank
  std::atomic<bool> aborted = false, lost = false;
};
