//===- CopyElements.cpp - Copies of arrays with other strides -------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays in opposite orders are transposed in tiles: the rows of a tile are contiguous
// in the target, its columns in the source. A tile goes through a buffer, so that whole
// cache lines of both arrays are read and written at once, whatever their strides:
// those of powers of two would push each other out of the caches. Large arrays are
// written past the caches, which saves reading the target's lines.
//
//===----------------------------------------------------------------------===//

#include "CopyElements.h"
#include "Workers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

using namespace tinytc;
using Size = ptrdiff_t;

namespace {

/// Bytes that are transposed at once, in both directions.
constexpr Size kVectorBytes = 16;
/// Squares of that size that fill a cache line.
constexpr Size kSquares = 4;
/// Arrays from here on are written past the caches.
constexpr Size kStreamBytes = Size(32) << 20;
/// Tiles up to here fit in the first cache as they are.
constexpr Size kSmallBytes = 4096;
/// Bytes that a thread copies at once where no order changes.
constexpr Size kLinePieceBytes = Size(1) << 18;

using Modes = std::vector<Mode>;

Size product(const Modes &modes) {
  Size count = 1;
  for (const Mode &mode : modes)
    count *= mode.size;
  return count;
}

/// Walks through elements, of which the first mode runs fastest. Divisions would take
/// longer than copies of few bytes.
struct Walk {
  Walk(const Modes &modes, Size first) : modes(modes), index(modes.size()) {
    for (size_t m = 0; m < modes.size(); ++m) {
      index[m] = first % modes[m].size;
      first /= modes[m].size;
      add(m, index[m]);
    }
  }

  /// Goes on to the next element.
  void next() {
    for (size_t m = 0; m < modes.size(); ++m) {
      add(m, 1);
      if (++index[m] < modes[m].size)
        return;
      add(m, -modes[m].size);
      index[m] = 0;
    }
  }

  void add(size_t mode, Size count) {
    offset.target += count * modes[mode].target;
    offset.source += count * modes[mode].source;
  }

  const Modes &modes;
  std::vector<Size> index;
  Mode offset{};
};

/// Writes the offsets of elements `first` to `first + count - 1`.
void fillOffsets(Size *offsets, const Modes &modes, Size Mode::*stride, Size first,
                 Size count) {
  Walk walk(modes, first);
  for (Size i = 0; i < count; ++i, walk.next())
    offsets[i] = walk.offset.*stride;
}

template <typename Element, Size bytes>
constexpr Size kLanes = bytes / Size(sizeof(Element));

/// Rows and columns of a tile at most: shorter runs do not keep memory busy, and a line
/// of each row is to stay in the first cache.
template <typename Element>
constexpr Size kTile = sizeof(Element) <= 4 ? 256 : 128;

template <typename Element, Size bytes>
struct VectorOf {
  using Type [[gnu::vector_size(bytes)]] = Element;
};
template <>
struct VectorOf<std::array<char, 16>, kVectorBytes> {
  using Type [[gnu::vector_size(kVectorBytes)]] = uint64_t;
};

/// Interleaves the low or the high halves of two vectors.
template <bool isHigh, typename Vector, size_t... lane>
Vector interleave(Vector a, Vector b, std::index_sequence<lane...>) {
  constexpr int count = sizeof...(lane);
  return __builtin_shufflevector(
      a, b, (int(lane) / 2 + (isHigh ? count / 2 : 0) + (lane % 2 ? count : 0))...);
}

/// Transposes a square of elements.
template <typename Vector, size_t numRows>
void transpose(Vector (&rows)[numRows]) {
  constexpr Size count = numRows;
  constexpr auto lanes = std::make_index_sequence<count>();
  for (Size step = 1; step < count; step *= 2) {
    Vector next[count];
    for (Size i = 0; i < count / 2; ++i) {
      next[2 * i] = interleave<false>(rows[i], rows[i + count / 2], lanes);
      next[2 * i + 1] = interleave<true>(rows[i], rows[i + count / 2], lanes);
    }
    std::copy(next, next + count, rows);
  }
}

template <bool isStreamed, typename Vector>
void store(char *target, Vector value) {
#if defined(__SSE2__)
  if constexpr (isStreamed)
    return _mm_stream_si128(reinterpret_cast<__m128i *>(target),
                            reinterpret_cast<__m128i>(value));
#endif
  std::memcpy(target, &value, sizeof(value));
}

/// Writes a tile whose rows are in a buffer, by squares whose sides have so many bytes.
template <typename Element, bool isStreamed, Size bytes = kVectorBytes>
void writeTile(char *target, const Size *columnOffsets, const char *buffer, Size pitch,
               Size rows, Size columns) {
  constexpr Size lanes = kLanes<Element, bytes>, size = sizeof(Element);
  if constexpr (size <= 2 && bytes == kVectorBytes)
    if (std::min(rows, columns) < lanes)
      return writeTile<Element, false, bytes / 2>(target, columnOffsets, buffer, pitch,
                                                  rows, columns);
  using Vector = typename VectorOf<Element, bytes>::Type;
  const Size wholeRows = rows - rows % lanes, wholeColumns = columns - columns % lanes;
  for (Size column = 0; column < wholeColumns; column += lanes)
    for (Size row = 0; row < wholeRows; row += lanes * kSquares) {
      Vector values[kSquares][lanes];
      const Size squares = std::min(kSquares, (wholeRows - row) / lanes);
      for (Size square = 0; square < squares; ++square) {
        const char *from = buffer + (row + square * lanes) * pitch + column * size;
        for (Size i = 0; i < lanes; ++i)
          std::memcpy(&values[square][i], from + i * pitch, sizeof(Vector));
        if constexpr (lanes > 1)
          transpose(values[square]);
      }
      for (Size i = 0; i < lanes; ++i) {
        char *to = target + columnOffsets[column + i] + row * size;
        for (Size square = 0; square < squares; ++square)
          store<isStreamed>(to + square * bytes, values[square][i]);
      }
    }
  for (Size column = 0; column < columns; ++column)
    for (Size row = column < wholeColumns ? wholeRows : 0; row < rows; ++row)
      std::memcpy(target + columnOffsets[column] + row * size,
                  buffer + row * pitch + column * size, size);
}

/// Copies between arrays in opposite orders.
template <typename Element>
class Transposition : public Work {
public:
  /// `rows` are contiguous in the target and `columns` in the source, both with their
  /// fastest mode first.
  Transposition(char *target, const char *source, Modes rows, Modes columns,
                Modes others)
      : target(target), source(source), rows(std::move(rows)),
        columns(std::move(columns)), others(std::move(others)),
        numRows(product(this->rows)), numColumns(product(this->columns)),
        rowTiles((numRows + kRows - 1) / kRows),
        columnTiles((numColumns + kRows - 1) / kRows) {
    Size bytes = numRows * numColumns * product(this->others) * Size(sizeof(Element));
    isStreamed = bytes >= kStreamBytes;
  }

  int64_t count() const { return rowTiles * columnTiles * product(others); }

  void run(int64_t first, int64_t last) const override {
    const Size numTiles = rowTiles * columnTiles;
    Tile tile;
    Walk walk(others, first / numTiles);
    Size number = first % numTiles;
    for (int64_t item = first; item < last; ++item) {
      findTile(tile, number);
      copyTile(tile, walk.offset);
      if (++number == numTiles) {
        number = 0;
        walk.next();
      }
    }
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }

private:
  static constexpr Size kSize = sizeof(Element), kRows = kTile<Element>;
  static constexpr Size kPitch = kRows * kSize + kVectorBytes;

  /// Where rows and columns are, which tiles share that follow each other in `others`.
  struct Tile {
    Size number = -1, row, column, height, width;
    std::array<Size, kRows> rowOffsets, columnOffsets;
  };

  void findTile(Tile &tile, Size number) const {
    if (tile.number == number)
      return;
    tile.number = number;
    tile.row = number % rowTiles * kRows;
    tile.column = number / rowTiles * kRows;
    tile.height = std::min(kRows, numRows - tile.row);
    tile.width = std::min(kRows, numColumns - tile.column);
    fillOffsets(tile.rowOffsets.data(), rows, &Mode::source, tile.row, tile.height);
    fillOffsets(tile.columnOffsets.data(), columns, &Mode::target, tile.column,
                tile.width);
  }

  void copyTile(const Tile &tile, const Mode &offset) const {
    const char *from = source + offset.source + tile.column * kSize;
    char *to = target + offset.target + tile.row * kSize;
    const Size *columnOffsets = tile.columnOffsets.data();
    if (rows.size() == 1 && tile.height * tile.width * kSize <= kSmallBytes)
      return writeTile<Element, false>(to, columnOffsets, from + tile.rowOffsets[0],
                                       rows[0].source, tile.height, tile.width);
    thread_local std::unique_ptr<char[]> buffer(new char[kRows * kPitch]);
    for (Size i = 0; i < tile.height; ++i)
      std::memcpy(buffer.get() + i * kPitch, from + tile.rowOffsets[i],
                  tile.width * kSize);
    bool isAligned =
        std::all_of(columnOffsets, columnOffsets + tile.width, [&](Size offset) {
          return reinterpret_cast<uintptr_t>(to + offset) % kVectorBytes == 0;
        });
    auto write =
        isStreamed && isAligned ? writeTile<Element, true> : writeTile<Element, false>;
    write(to, columnOffsets, buffer.get(), kPitch, tile.height, tile.width);
  }

  char *target;
  const char *source;
  Modes rows, columns, others;
  Size numRows, numColumns, rowTiles, columnTiles;
  bool isStreamed;
};

/// Copies between arrays in the same order, or without neighbours.
template <typename Element>
class StridedCopy : public Work {
public:
  /// The first mode runs fastest in the target.
  StridedCopy(char *target, const char *source, const Modes &modes)
      : target(target), source(source), line(modes.front()),
        others(modes.begin() + 1, modes.end()) {
    constexpr Size size = sizeof(Element);
    isContiguous = line.target == size && line.source == size;
    piece = std::min(line.size, kLinePieceBytes / size);
    pieces = (line.size + piece - 1) / piece;
  }

  int64_t count() const { return pieces * product(others); }

  void run(int64_t first, int64_t last) const override {
    Walk walk(others, first / pieces);
    Size number = first % pieces;
    for (int64_t item = first; item < last; ++item) {
      const Size start = number * piece, length = std::min(piece, line.size - start);
      char *to = target + walk.offset.target + start * line.target;
      const char *from = source + walk.offset.source + start * line.source;
      if (isContiguous)
        std::memcpy(to, from, length * sizeof(Element));
      else
        for (Size i = 0; i < length; ++i)
          std::memcpy(to + i * line.target, from + i * line.source, sizeof(Element));
      if (++number == pieces) {
        number = 0;
        walk.next();
      }
    }
  }

private:
  char *target;
  const char *source;
  Mode line;
  Modes others;
  bool isContiguous;
  Size piece, pieces;
};

/// Moves modes out of a list that continue the elements of others without a gap, until
/// there are enough for a tile.
void takeContiguous(Modes &taken, Modes &modes, Size Mode::*stride, Size enough) {
  while (product(taken) < enough) {
    Size next = taken.back().size * (taken.back().*stride);
    auto found = std::find_if(modes.begin(), modes.end(),
                              [&](const Mode &mode) { return mode.*stride == next; });
    if (found == modes.end())
      return;
    taken.push_back(*found);
    modes.erase(found);
  }
}

/// Makes one mode of two that follow each other without a gap in both arrays.
void mergeModes(Modes &modes) {
  for (size_t i = 0; i + 1 < modes.size();) {
    const Mode inner = modes[i], outer = modes[i + 1];
    if (inner.size * inner.target == outer.target &&
        inner.size * inner.source == outer.source) {
      modes[i].size *= outer.size;
      modes.erase(modes.begin() + i + 1);
    } else {
      ++i;
    }
  }
}

template <typename Element>
void copy(char *target, const char *source, Modes modes, int64_t numThreads) {
  constexpr Size size = sizeof(Element);
  auto with = [&](Size Mode::*stride) {
    return std::find_if(modes.begin(), modes.end(),
                        [&](const Mode &mode) { return mode.*stride == size; });
  };
  auto row = with(&Mode::target), column = with(&Mode::source);
  if (row == modes.end() || column == modes.end() || row == column) {
    StridedCopy<Element> work(target, source, modes);
    return Workers::get().run(work, work.count(), numThreads);
  }
  Modes rows{*row}, columns{*column};
  modes.erase(std::max(row, column));
  modes.erase(std::min(row, column));
  takeContiguous(rows, modes, &Mode::target, kTile<Element>);
  takeContiguous(columns, modes, &Mode::source, kTile<Element>);
  Transposition<Element> work(target, source, rows, columns, modes);
  Workers::get().run(work, work.count(), numThreads);
}

} // namespace

void tinytc::copyElements(char *target, const char *source, std::vector<Mode> modes,
                          ptrdiff_t itemBytes, int64_t numThreads) {
  for (const Mode &mode : modes)
    if (mode.size == 0)
      return;
  auto isOne = [](const Mode &mode) { return mode.size == 1; };
  modes.erase(std::remove_if(modes.begin(), modes.end(), isOne), modes.end());
  if (modes.empty())
    modes.push_back({1, itemBytes, itemBytes});
  std::sort(modes.begin(), modes.end(), [](const Mode &a, const Mode &b) {
    return std::abs(a.target) < std::abs(b.target);
  });
  mergeModes(modes);
  switch (itemBytes) {
  case 1:
    return copy<uint8_t>(target, source, modes, numThreads);
  case 2:
    return copy<uint16_t>(target, source, modes, numThreads);
  case 4:
    return copy<uint32_t>(target, source, modes, numThreads);
  case 8:
    return copy<uint64_t>(target, source, modes, numThreads);
  default:
    return copy<std::array<char, 16>>(target, source, modes, numThreads);
  }
}
