// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bifocal::cli {

enum class Better { Lower = 1, Higher };

/// Somebody else's figure, or our own from a full run. Threads: value.
struct BenchPeer {
    std::string name;
    double value = 0;
};

/// One figure. Threads: value.
struct BenchRow {
    std::string id;
    double value = 0;
    std::string unit;
    Better better = Better::Lower;
    std::optional<double> target;  ///< none: the figure is reported, not judged
    std::optional<BenchPeer> peer;

    /// Whether the value reaches the target; true when there is none.
    bool holds() const;
};

/// A figure that could not be taken, and why.
struct LeftOut {
    std::string id;
    std::string reason;
};

/// What one bench found. Threads: value.
struct BenchReport {
    std::string bench;
    std::string machine;
    std::vector<BenchRow> rows;
    std::vector<LeftOut> leftOut;
};

/// The value in the middle, or the mean of the two there; 0 for none.
double median(std::span<const double> values);
/// Nearest-rank quantile, q in [0, 1]; 0 for none.
double quantile(std::span<const double> values, double q);

/// {"bench":…,"machine":…,"rows":[…],"left_out":[…]}
std::string toJson(const BenchReport& report);
/// An array of those.
std::string toJson(std::span<const BenchReport> reports);
/// For people.
std::string toTable(const BenchReport& report);

}  // namespace bifocal::cli
