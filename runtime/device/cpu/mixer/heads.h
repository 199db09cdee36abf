// Heads side by side in lanes: which ones, and the ways of their numbers between rows and lanes. Rows whose heads have
// one number each are read and written in place; others are copied to where each column of all heads lies side by side.
#pragma once

#include "runtime/device/cpu/mixer/lanes.h"
#include "runtime/device/cpu/mixer/operands.h"

#include "runtime/core/threads.h"

#include <algorithm>

namespace stretto::runtime::mixer {

constexpr int64_t mostNumbers = lanes * mostNarrow;

// Vectors that the heads of a group fill: some where states are small, so that rows are read by more than a cache line
// at a time.
inline int64_t vectorsOf(const Operands &op) {
  return op.keyColumns * op.valueColumns <= mostVectors ? mostVectors : 1;
}

// What is shared out among threads.
struct Pieces {
  // Groups of one vector where wider ones would leave threads without work. Results are the same.
  Pieces(const Operands &op, int64_t sequences)
      : vectors(sequences * op.heads < threadCount() * mostVectors * lanes ? 1 : vectorsOf(op)),
        groups((op.heads + vectors * lanes - 1) / (vectors * lanes)), count(sequences * groups) {}
  int64_t vectors, groups, count;
  int64_t sequence(int64_t piece) const { return piece / groups; }
};

// Some neighbouring heads, and where their numbers lie in rows. Lanes behind the last head hold anything.
template <typename Real> class Heads {
public:
  Heads(const Operands &op, const Pieces &pieces, int64_t piece)
      : op(op), form(op), first(piece % pieces.groups * pieces.vectors * lanes),
        count(std::min(pieces.vectors * lanes, op.heads - first)), vectors((count + lanes - 1) / lanes),
        width(vectors * lanes) {}

  // Vectors of an operand that has so many columns for each head.
  Lanes<const Real> read(const Rows &rows, int64_t token, int64_t tokens, int64_t columns, Real *buffer) const {
    if (isInPlace(rows, columns))
      return Lanes<const Real>{placeIn<Real>(rows, token, first), rows.stride, 0};
    for (int64_t t = 0; t < tokens; ++t) {
      Real copies[mostNumbers];
      bringNear</*writes=*/0>(rows, token + t, first * columns, count * columns);
      spread(readRows(rows, token + t, 1, first * columns, count * columns, copies).data, columns,
             buffer + t * columns * width);
    }
    return packed(buffer, columns);
  }

  // The same of q and k, which heads may share.
  Lanes<const Real> readKeys(const Rows &rows, int64_t token, int64_t tokens, Real *buffer) const {
    if (op.keyHeads == op.heads)
      return read(rows, token, tokens, form.keys, buffer);
    for (int64_t t = 0; t < tokens; ++t) {
      Real *const to = buffer + t * form.keys * width, copies[mostNumbers];
      for (int64_t head = 0, next; head < count; head = next) {
        next = std::min(count, endOf(keyHead(head)) - first);
        const Real *numbers = readRows(rows, token + t, 1, keyHead(head) * form.keys, form.keys, copies).data;
        for (int64_t d = 0; d < form.keys; ++d)
          std::fill(to + d * width + head, to + d * width + next, numbers[d]);
      }
    }
    return packed(buffer, form.keys);
  }

  // Vectors of as many columns for each head in a buffer, token by token.
  Lanes<Real> packed(Real *buffer, int64_t columns) const { return {buffer, columns * width, width}; }

  // Where vectors of a result are best written.
  Lanes<Real> target(const Rows &rows, int64_t token, int64_t columns, Real *buffer) const {
    if (!rows)
      return {};
    return isInPlace(rows, columns) ? Lanes<Real>{placeIn<Real>(rows, token, first), rows.stride, 0}
                                    : packed(buffer, columns);
  }

  // Writes them there, unless they are.
  void put(const Rows &rows, int64_t token, int64_t tokens, int64_t columns, Lanes<const Real> from) const {
    if (!rows || isInPlace(rows, columns))
      return;
    for (int64_t t = 0; t < tokens; ++t) {
      bringNear</*writes=*/1>(rows, token + t, first * columns, count * columns);
      if (isPlain<Real>(rows)) {
        gather(from.at({t, 0}, 0), columns, placeIn<Real>(rows, token + t, first * columns));
      } else {
        Real numbers[mostNumbers];
        gather(from.at({t, 0}, 0), columns, numbers);
        storeRows<Real>(rows, token + t, 1, first * columns, count * columns, {numbers, 0}, 1);
      }
    }
  }

  // Memory for so many columns of one token.
  Lanes<Real> oneToken(Real *buffer) const { return {buffer, 0, width}; }

  // The same two for what has the key columns of a head for each vector.
  tiles::Matrix<Real> parts(const Rows &rows, int64_t token, Real *buffer) const {
    if (isPlain<Real>(rows))
      return {placeIn<Real>(rows, token, firstPart()), rows.stride};
    return {buffer, vectors * form.keys};
  }
  void putParts(const Rows &rows, int64_t token, int64_t tokens, tiles::Matrix<const Real> from) const {
    storeRows<Real>(rows, token, tokens, firstPart(), vectors * form.keys, from, 1);
  }

  // States: of lanes, and in memory, where those of a head are `apart` numbers from those of the one before.
  void clearStates(Real *states) const { std::fill_n(states, form.keys * form.values * width, Real(0)); }
  void loadStates(const Real *from, int64_t apart, Real *states) const {
    clearStates(states);
    for (int64_t head = 0; head < count; ++head)
      for (int64_t i = 0; i < form.keys * form.values; ++i)
        states[place(head, i)] = from[head * apart + i];
  }
  void storeStates(const Real *states, int64_t apart, Real *to) const {
    for (int64_t head = 0; head < count; ++head)
      for (int64_t i = 0; i < form.keys * form.values; ++i)
        to[head * apart + i] = states[place(head, i)];
  }

  const Operands &op;
  const Form form;
  const int64_t first, count;
  const int64_t vectors, width; // that they fill, and lanes of these

private:
  // Number i of the state of a head among those of all, [vectors][keys][values][lanes].
  int64_t place(int64_t head, int64_t i) const {
    return (head / lanes * form.keys * form.values + i) * lanes + head % lanes;
  }
  int64_t firstPart() const { return first / lanes * form.keys; }
  bool isInPlace(const Rows &rows, int64_t columns) const {
    return columns == 1 && count == width && isPlain<Real>(rows);
  }
  // Asks for the memory of a row soon: of each, a group uses so little that processors do not foresee the next.
  template <int writes> static void bringNear(const Rows &rows, int64_t token, int64_t column, int64_t columns) {
    const int64_t soon = token + 2, bytes = isPlain<Real>(rows) ? sizeof(Real) : sizeof(uint16_t), line = 64;
    const char *begin = static_cast<const char *>(rows.data) + (soon * rows.stride + column) * bytes;
    for (int64_t at = 0; at < columns * bytes; at += line)
      __builtin_prefetch(begin + at, writes);
  }
  // The key head of a head of the group, and the first head behind those that share it.
  int64_t keyHead(int64_t head) const { return (first + head) * op.keyHeads / op.heads; }
  int64_t endOf(int64_t keyHead) const { return (keyHead + 1) * (op.heads / op.keyHeads); }

  // [heads][columns] to [columns][lanes], and back.
  void spread(const Real *numbers, int64_t columns, Real *to) const {
    tiles::transposeRows(count, columns, {numbers, columns}, {to, width});
  }
  void gather(const Real *from, int64_t columns, Real *numbers) const {
    tiles::transposeRows(columns, count, {from, width}, {numbers, columns});
  }
};

} // namespace stretto::runtime::mixer
