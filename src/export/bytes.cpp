#include "export/bytes.hpp"

#include <bit>
#include <utility>

namespace stickslip {

void ByteWriter::big_endian(std::uint64_t value, int count) {
  for (int shift = 8 * (count - 1); shift >= 0; shift -= 8)
    out += static_cast<char>((value >> shift) & 0xffU);
}

// Major type and argument of an item, the argument in as few bytes as it needs (RFC 8949, section 3).
void ByteWriter::head(unsigned major, std::uint64_t argument) {
  const auto first = [&](unsigned info) { out += static_cast<char>((major << 5U) | info); };
  if (argument < 24) return first(static_cast<unsigned>(argument));
  if (argument < 0x100) return first(24), big_endian(argument, 1);
  if (argument < 0x10000) return first(25), big_endian(argument, 2);
  if (argument < 0x100000000) return first(26), big_endian(argument, 4);
  first(27), big_endian(argument, 8);
}

void ByteWriter::text(std::string_view value) {
  head(3, value.size());
  out += value;
}

void ByteWriter::bytes(std::string_view value) {
  head(2, value.size());
  out += value;
}

void ByteWriter::integer(std::int64_t value) {
  if (value < 0)
    head(1, ~static_cast<std::uint64_t>(value));
  else
    head(0, static_cast<std::uint64_t>(value));
}

void ByteWriter::number(double value) {
  out += static_cast<char>(0xfb);
  big_endian(std::bit_cast<std::uint64_t>(value), 8);
}

unsigned char ByteReader::next() {
  if (rest.empty()) throw DamagedBytes();
  const auto byte = static_cast<unsigned char>(rest.front());
  rest.remove_prefix(1);
  return byte;
}

std::uint64_t ByteReader::big_endian(int count) {
  std::uint64_t value = 0;
  for (int k = 0; k < count; ++k) value = (value << 8U) | next();
  return value;
}

std::uint64_t ByteReader::argument(unsigned major) {
  const unsigned char first = next();
  if (first >> 5U != major) throw DamagedBytes();
  const unsigned info = first & 31U;
  if (info < 24) return info;
  if (info > 27) throw DamagedBytes();
  return big_endian(1 << (info - 24U));
}

// Every item takes a byte at least, which bounds the memory that damaged bytes can ask for.
Index ByteReader::count(unsigned major) {
  const std::uint64_t items = argument(major);
  if (items > rest.size()) throw DamagedBytes();
  return static_cast<Index>(items);
}

std::string_view ByteReader::span(unsigned major) {
  const auto size = static_cast<std::size_t>(count(major));
  const std::string_view out = rest.substr(0, size);
  rest.remove_prefix(size);
  return out;
}

void ByteReader::array(Index items) {
  if (array() != items) throw DamagedBytes();
}

std::int64_t ByteReader::integer() {
  if (rest.empty()) throw DamagedBytes();
  const bool negative = static_cast<unsigned char>(rest.front()) >> 5U == 1U;
  const std::uint64_t value = argument(negative ? 1 : 0);
  if (value > INT64_MAX) throw DamagedBytes();
  return static_cast<std::int64_t>(negative ? ~value : value);
}

double ByteReader::number() {
  if (next() != 0xfb) throw DamagedBytes();
  return std::bit_cast<double>(big_endian(8));
}

bool ByteReader::boolean() {
  const unsigned char byte = next();
  if (byte != 0xf4 && byte != 0xf5) throw DamagedBytes();
  return byte == 0xf5;
}

bool ByteReader::null() {
  const bool found = !rest.empty() && static_cast<unsigned char>(rest.front()) == 0xf6;
  if (found) rest.remove_prefix(1);
  return found;
}

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

namespace {

std::int64_t positive_checksum(std::string_view bytes) {
  return static_cast<std::int64_t>(checksum(bytes) >> 1U);
}

} // namespace

std::string to_file(std::string_view kind, int format, std::string_view values) {
  ByteWriter file;
  file.array(4);
  file.text(kind);
  file.integer(format);
  file.integer(positive_checksum(values));
  file.bytes(values);
  return std::move(file.out);
}

std::string_view values_of_file(std::string_view file, std::string_view kind, int format) {
  ByteReader from(file);
  from.array(4);
  if (from.text() != kind) throw DamagedBytes();
  if (const std::int64_t given = from.integer(); given != format)
    throw InvalidArgument("this " + std::string(kind) + " has the format " + std::to_string(given) +
                          ", this library reads format " + std::to_string(format) +
                          ": another version of stickslip has written it");
  const std::int64_t sum = from.integer();
  const std::string_view values = from.bytes();
  if (positive_checksum(values) != sum || !from.at_end()) throw DamagedBytes();
  return values;
}

} // namespace stickslip
