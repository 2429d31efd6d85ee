// Values as bytes that describe themselves: maps, arrays, texts, booleans, null, integers and numbers of 64 bits in the
// encoding of CBOR (RFC 8949), which other programs read as well.
#pragma once

#include "core/error.hpp"
#include "core/types.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace stickslip {

struct DamagedBytes : InvalidArgument {
  DamagedBytes()
      : InvalidArgument("the data are damaged: they end too early, or hold another kind of value") {}
};

class ByteWriter {
public:
  std::string out;

  void map(Index entries) { head(5, static_cast<std::uint64_t>(entries)); }
  void array(Index items) { head(4, static_cast<std::uint64_t>(items)); }
  void text(std::string_view value);
  void bytes(std::string_view value);
  void integer(std::int64_t value);
  void number(double value);
  void boolean(bool value) { out += static_cast<char>(value ? 0xf5 : 0xf4); }
  void null() { out += static_cast<char>(0xf6); }

private:
  void head(unsigned major, std::uint64_t argument);
  void big_endian(std::uint64_t value, int count);
};

// Throws DamagedBytes where the next value is of another kind.
class ByteReader {
public:
  explicit ByteReader(std::string_view of) : rest(of) {}

  Index map() { return count(5); }
  Index array() { return count(4); }
  void array(Index items); // of this length
  std::string_view text() { return span(3); }
  std::string_view bytes() { return span(2); }
  std::int64_t integer();
  double number();
  bool boolean();
  bool null(); // takes it if it is next
  bool at_end() const { return rest.empty(); }

private:
  std::string_view rest;

  unsigned char next();
  std::uint64_t big_endian(int count);
  std::uint64_t argument(unsigned major);
  Index count(unsigned major);
  std::string_view span(unsigned major);
};

// The hash of Fowler, Noll and Vo (FNV-1a, 64 bits), which reveals damaged bytes.
std::uint64_t checksum(std::string_view bytes);

// A file of one kind: its name, its format and a checksum before the values.
std::string to_file(std::string_view kind, int format, std::string_view values);
// The values. Throws DamagedBytes, or InvalidArgument for another format.
std::string_view values_of_file(std::string_view file, std::string_view kind, int format);

} // namespace stickslip
