#include "sim/base/quantity.h"

#include <catch2/catch.hpp>
#include <clocale>
#include <random>

#include "tests/support/printing.h"

using namespace dsim;

TEST_CASE("bandwidths are read in bits and bytes, decimal and binary") {
  CHECK(parse_bandwidth("400 Gb/s") == Bandwidth{50e9});
  CHECK(parse_bandwidth("400Gb/s") == Bandwidth{50e9});
  CHECK(parse_bandwidth("25 GB/s") == Bandwidth{25e9});
  CHECK(parse_bandwidth("1 GiB/s") == Bandwidth{0x1p30});
  CHECK(parse_bandwidth("1.6 Tb/s") == Bandwidth{200e9});
  CHECK(parse_bandwidth("8 b/s") == Bandwidth{1});
  CHECK(parse_bandwidth("2.5e3 MB/s") == Bandwidth{2.5e9});
  CHECK(parse_bandwidth("0 B/s") == Bandwidth{0});
}

TEST_CASE("times are read to the picosecond") {
  CHECK(parse_time("2 us") == 2_us);
  CHECK(parse_time("1.5 ms") == 1500_us);
  CHECK(parse_time("3 s") == 3_s);
  CHECK(parse_time("10 ns") == 10_ns);
  CHECK(parse_time("1 ps") == 1_ps);
  CHECK(parse_time("1.1 us") == 1'100'000_ps);
  CHECK(parse_time("2 min") == 120_s);
  CHECK(parse_time("1 h") == 3600_s);
  CHECK(parse_time("0 s") == 0_s);
  CHECK(parse_time("0.001 ps") == 1_ps);  // no time is free
}

TEST_CASE("sizes are read to the byte") {
  CHECK(parse_bytes("1 GiB") == 1_GiB);
  CHECK(parse_bytes("25 MB") == 25'000'000_B);
  CHECK(parse_bytes("512 B") == 512_B);
  CHECK(parse_bytes("1.5KiB") == 1536_B);
  CHECK(parse_bytes("0 B") == 0_B);
}

TEST_CASE("what is no quantity is refused") {
  for (const char* text :
       {"",          " ",        "400",      "Gb/s",     "-4 Gb/s",    "+4 Gb/s",
        "4  Gb/s",   " 4 Gb/s",  "4 Gb/s ",  "4 Gb/s x", "4 gb/s",     "4 Gbps",
        "4 GB",      "4 s",      "nan Gb/s", "inf Gb/s", "NaN",        "1e30 GB/s",
        "1e400 b/s", "0x4 Gb/s", ".5 Gb/s",  "5. Gb/s",  "1,000 Gb/s", "4 Kb/s",
        "4 ki/s",    "4 /s",     "4 m",      "1e-9 b/s", "4 G b/s"})
    CHECK_FALSE(parse_bandwidth(text).has_value());
  for (const char* text :
       {"", "2", "us", "-2 us", "2 US", "2 sec", "2 us ", "2 m", "1e10 s", "inf s", "2 B"})
    CHECK_FALSE(parse_time(text).has_value());
  for (const char* text :
       {"", "2", "B", "-2 B", "2 b", "2 KB", "2 M", "2 MB/s", "1e10 GB", "nan B", "2 mB"})
    CHECK_FALSE(parse_bytes(text).has_value());
}

TEST_CASE("a refused quantity is explained, with the nearest right spelling") {
  const std::string bandwidth = "expected a bandwidth such as \"400 Gb/s\", found ";
  CHECK(explain_bandwidth("400 gbps") == bandwidth + "\"400 gbps\" (did you mean \"400 Gb/s\"?)");
  CHECK(explain_bandwidth("400 Gbit/s") ==
        bandwidth + "\"400 Gbit/s\" (did you mean \"400 Gb/s\"?)");
  CHECK(explain_bandwidth("400Gb") == bandwidth + "\"400Gb\" (did you mean \"400 Gb/s\"?)");
  CHECK(explain_bandwidth("400 G") == bandwidth + "\"400 G\" (did you mean \"400 Gb/s\"?)");
  CHECK(explain_bandwidth("25 GBps") == bandwidth + "\"25 GBps\" (did you mean \"25 GB/s\"?)");
  CHECK(explain_bandwidth("25 GByte/s") ==
        bandwidth + "\"25 GByte/s\" (did you mean \"25 GB/s\"?)");
  CHECK(explain_bandwidth("25 gib/s") == bandwidth + "\"25 gib/s\" (did you mean \"25 Gib/s\"?)");
  CHECK(explain_bandwidth("10 KB/s") == bandwidth + "\"10 KB/s\" (did you mean \"10 kB/s\"?)");
  CHECK(explain_bandwidth(" 4  Gb/s ") == bandwidth + "\" 4  Gb/s \" (did you mean \"4 Gb/s\"?)");
  CHECK(explain_bandwidth("400") == bandwidth + "\"400\" (the unit is missing)");
  CHECK(explain_bandwidth("-4 Gb/s") == bandwidth + "\"-4 Gb/s\" (it must not be negative)");
  CHECK(explain_bandwidth("1e30 GB/s") == bandwidth + "\"1e30 GB/s\" (out of range)");
  CHECK(explain_bandwidth("4 parsec") == bandwidth + "\"4 parsec\" (unknown unit 'parsec')");
  CHECK(explain_bandwidth("fast") == bandwidth + "\"fast\"");
  CHECK(explain_bandwidth("\x1b[2J") == bandwidth + "\"\\x1b[2J\"");
  const std::string time = "expected a time such as \"2 us\", found ";
  CHECK(explain_time("2 \xc2\xb5s") == time + "\"2 \xc2\xb5s\" (did you mean \"2 us\"?)");
  CHECK(explain_time("2 msec") == time + "\"2 msec\" (did you mean \"2 ms\"?)");
  CHECK(explain_time("2 GB") == time + "\"2 GB\" (unknown unit 'GB')");
  const std::string size = "expected a size such as \"25 MB\" or \"1 GiB\", found ";
  CHECK(explain_bytes("25 mb") == size + "\"25 mb\" (did you mean \"25 MB\"?)");
  CHECK(explain_bytes("25 KiBytes") == size + "\"25 KiBytes\" (did you mean \"25 KiB\"?)");
  CHECK(explain_bytes("25 GB/s") == size + "\"25 GB/s\" (unknown unit 'GB/s')");
}

TEST_CASE("times are written with three or four figures") {
  CHECK(format_time(187.4e-3) == "187.4 ms");
  CHECK(format_time(51.2e-3) == "51.2 ms");
  CHECK(format_time(4.2e-3) == "4.20 ms");
  CHECK(format_time(11e-3) == "11.0 ms");
  CHECK(format_time(999.94e-3) == "999.9 ms");
  CHECK(format_time(999.96e-3) == "1.00 s");
  CHECK(format_time(9.996e-6) == "10.0 us");
  CHECK(format_time(99.96e-9) == "100.0 ns");
  CHECK(format_time(1e-12) == "1.00 ps");
  CHECK(format_time(119.9) == "119.9 s");
  CHECK(format_time(119.96) == "2 min");
  CHECK(format_time(200) == "3 min 20 s");
  CHECK(format_time(7199.6) == "2 h");
  CHECK(format_time(2.5 * 3600) == "2 h 30 min");
  CHECK(format_time(2.25 * 86400) == "2 d 6 h");
  CHECK(format_time(0) == "0 s");
  CHECK(format_time(-0.0) == "0 s");
  CHECK(format_time(1e-20) == "0 s");
  CHECK(format_time(-1e-20) == "0 s");
  CHECK(format_time(-2e-3) ==
        "\xe2\x88\x92"
        "2.00 ms");
}

TEST_CASE("sizes, rates and counts are written with three or four figures") {
  CHECK(format_bytes(1.34e9) == "1.34 GB");
  CHECK(format_bytes(25e6) == "25 MB");
  CHECK(format_bytes(999.4) == "999 B");
  CHECK(format_bytes(999.6e9) == "1 TB");
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_binary_bytes(38.2 * 0x1p30) == "38.2 GiB");
  CHECK(format_binary_bytes(80 * 0x1p30) == "80 GiB");
  CHECK(format_binary_bytes(1000 * 0x1p20) == "1000 MiB");
  CHECK(format_binary_bytes(1023.6 * 0x1p20) == "1 GiB");
  CHECK(format_bandwidth_bits(Bandwidth{50e9}) == "400 Gb/s");
  CHECK(format_bandwidth_bits(Bandwidth{200e9}) == "1.6 Tb/s");
  CHECK(format_bandwidth_bytes(Bandwidth{46.8e9}) == "46.8 GB/s");
  CHECK(format_bandwidth_bytes(Bandwidth{3.35e12}) == "3.35 TB/s");
  CHECK(format_bandwidth_bytes(Bandwidth{0}) == "0 B/s");
  CHECK(format_si(335e6) == "335 M");
  CHECK(format_si(44.7e6) == "44.7 M");
  CHECK(format_si(27) == "27");
  CHECK(format_si(0) == "0");
  CHECK(format_count(87'400) == "87,400");
  CHECK(format_count(87'412.3) == "87,410");
  CHECK(format_count(335'141'888) == "335,141,888");  // whole numbers are exact
  CHECK(format_count(12.34) == "12.3");
  CHECK(format_count(187.44) == "187.4");
  CHECK(format_count(999.96) == "1,000");
  CHECK(format_count(0) == "0");
  CHECK(format_count(-0.0) == "0");
  CHECK(format_count(-0.0001) == "0");
}

TEST_CASE("percentages keep their sign and never read minus zero") {
  CHECK(format_percent(0.412) == "41.2 %");
  CHECK(format_percent(-0.031) ==
        "\xe2\x88\x92"
        "3.1 %");
  CHECK(format_percent(1.5) == "150.0 %");
  CHECK(format_percent(23.456) == "2,346 %");
  CHECK(format_percent(0.00012) == "0.012 %");
  CHECK(format_percent(0) == "0 %");
  CHECK(format_percent(-0.0) == "0 %");
  CHECK(format_percent(-1e-9) == "0 %");
}

TEST_CASE("values that are not finite are named") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(format_time(infinity) == "inf s");
  CHECK(format_time(-infinity) ==
        "\xe2\x88\x92"
        "inf s");
  CHECK(format_bytes(std::nan("")) == "nan B");
  CHECK(format_percent(infinity) == "inf %");
  CHECK(format_count(1e300).size() > 300);
  CHECK(format_time(1e300) == "1.16e+295 d");
}

TEST_CASE("formatting does not depend on the locale of the process") {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) return;
  const std::string text = format_time(999.96e-3) + format_bytes(1.34e9) + format_percent(0.412);
  std::setlocale(LC_NUMERIC, before.c_str());
  CHECK(text == "1.00 s1.34 GB41.2 %");
}

TEST_CASE("what is written is read back to three figures") {
  const unsigned seed = GENERATE(1u, 2u, 3u);
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(0, 17);
  for (int i = 0; i < 500; ++i) {
    const double value = std::pow(10, exponent(random));
    CAPTURE(value);
    const double error =
        0.0051;          // half a unit in the last of three figures; bytes and ps are whole besides
    if (value < 1e14) {  // PB and EB are written, not read
      REQUIRE(parse_bytes(format_bytes(value)).has_value());
      CHECK(static_cast<double>(parse_bytes(format_bytes(value))->count) ==
            Approx(value).epsilon(error).margin(1));
      CHECK(static_cast<double>(parse_bytes(format_binary_bytes(value))->count) ==
            Approx(value).epsilon(error).margin(1));
      CHECK(parse_bandwidth(format_bandwidth_bytes({value}))->bytes_per_second ==
            Approx(value).epsilon(error));
      CHECK(parse_bandwidth(format_bandwidth_bits({value}))->bytes_per_second ==
            Approx(value).epsilon(error));
      CHECK(static_cast<double>(parse_time(format_time(value * 1e-12))->ps) ==
            Approx(value).epsilon(error).margin(1));
    }
  }
}

TEST_CASE("a larger value never reads as a smaller one") {
  double previous = 0;
  for (double value = 1; value < 1e14; value *= 1.0007) {
    const double read = static_cast<double>(parse_bytes(format_bytes(value))->count);
    CAPTURE(value, format_bytes(value));
    REQUIRE(read >= previous);
    previous = read;
  }
}
