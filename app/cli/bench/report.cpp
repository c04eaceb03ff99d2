// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace bifocal::cli {
namespace {

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

nlohmann::json toDocument(const BenchRow& row) {
    nlohmann::json peer;
    if (row.peer) {
        peer = {{"name", row.peer->name}, {"value", row.peer->value}};
    }
    return {{"id", row.id},
            {"value", row.value},
            {"unit", row.unit},
            {"target", row.target ? nlohmann::json(*row.target) : nlohmann::json()},
            {"better", row.better == Better::Lower ? "lower" : "higher"},
            {"holds", row.holds()},
            {"peer", std::move(peer)}};
}

nlohmann::json toDocument(const BenchReport& report) {
    nlohmann::json rows = nlohmann::json::array();
    for (const BenchRow& row : report.rows) {
        rows.push_back(toDocument(row));
    }
    nlohmann::json leftOut = nlohmann::json::array();
    for (const LeftOut& entry : report.leftOut) {
        leftOut.push_back({{"id", entry.id}, {"reason", entry.reason}});
    }
    return {{"bench", report.bench},
            {"machine", report.machine},
            {"rows", std::move(rows)},
            {"left_out", std::move(leftOut)}};
}

std::string dump(const nlohmann::json& document) {
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string formatted(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), std::fabs(value) < 10 ? "%.3f" : "%.1f", value);
    return text.data();
}

void appendPadded(std::string& line, const std::string& text, std::size_t width) {
    line += text;
    line.append(width > text.size() ? width - text.size() : 0, ' ');
    line += ' ';
}

}  // namespace

bool BenchRow::holds() const {
    if (!target) {
        return true;
    }
    return better == Better::Lower ? value <= *target : value >= *target;
}

double median(std::span<const double> values) {
    if (values.empty()) {
        return 0;
    }
    const std::vector<double> order = sorted(values);
    const std::size_t middle = order.size() / 2;
    return order.size() % 2 == 1 ? order[middle] : (order[middle - 1] + order[middle]) / 2;
}

double quantile(std::span<const double> values, double q) {
    if (values.empty()) {
        return 0;
    }
    const std::vector<double> order = sorted(values);
    const double rank = std::ceil(q * static_cast<double>(order.size()));
    return order[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

std::string toJson(const BenchReport& report) {
    return dump(toDocument(report));
}

std::string toJson(std::span<const BenchReport> reports) {
    nlohmann::json array = nlohmann::json::array();
    for (const BenchReport& report : reports) {
        array.push_back(toDocument(report));
    }
    return dump(array);
}

std::string toTable(const BenchReport& report) {
    std::string table = report.bench + " on " + report.machine + "\n";
    for (const BenchRow& row : report.rows) {
        std::string line = "  ";
        appendPadded(line, row.id, 30);
        appendPadded(line, formatted(row.value), 10);
        appendPadded(line, row.unit, 11);
        if (row.target) {
            line += row.holds() ? "holds " : "MISSES ";
            line += row.better == Better::Lower ? "at most " : "at least ";
            line += formatted(*row.target) + "  ";
        }
        if (row.peer) {
            line += "(" + row.peer->name + ": " + formatted(row.peer->value) + ")";
        }
        table += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    for (const LeftOut& entry : report.leftOut) {
        table += "  left out: " + entry.id + ": " + entry.reason + "\n";
    }
    return table;
}

}  // namespace bifocal::cli
