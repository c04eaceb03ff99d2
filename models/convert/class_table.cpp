// SPDX-License-Identifier: Apache-2.0
#include "models/convert/class_table.h"

#include "core/inference/label_mixture.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace bifocal::models {
namespace {

using Json = nlohmann::json;
using Vector = std::vector<double>;

Error broken(std::size_t index, const std::string& message) {
    return {ErrorCode::Corruption, "class words: class " + std::to_string(index) + " " + message};
}

/// False when the vector has no direction.
bool normalize(Vector& v) {
    double sum = 0;
    for (const double x : v) {
        sum += x * x;
    }
    if (!(sum > 0) || !std::isfinite(sum)) {
        return false;
    }
    for (double& x : v) {
        x /= std::sqrt(sum);
    }
    return true;
}

Result<void> readDetails(const Json& entry, std::size_t index, ClassWords& words) {
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_array() ||
        !entry.contains("description") || !entry["description"].is_string()) {
        return broken(index, "has a misshapen entry");
    }
    for (const Json& synonym : entry["name"]) {
        if (!synonym.is_string()) {
            return broken(index, "has a synonym that is no string");
        }
        words.synonyms.push_back(synonym.get<std::string>());
    }
    words.description = entry["description"].get<std::string>();
    return {};
}

/// Reads the rows of `embedded` one after the other.
class Rows {
public:
    Rows(std::span<const float> embedded, std::size_t width) : rest_(embedded), width_(width) {}

    void addNext(Vector& sum) {
        BIFOCAL_ASSERT(rest_.size() >= width_);
        for (std::size_t i = 0; i < width_; ++i) {
            sum[i] += static_cast<double>(rest_[i]);
        }
        rest_ = rest_.subspan(width_);
    }
    bool isAtEnd() const { return rest_.empty(); }

private:
    std::span<const float> rest_;
    std::size_t width_;
};

}  // namespace

Result<std::vector<ClassWords>> readClassWords(std::string_view names, std::string_view details) {
    const Json list = Json::parse(names, nullptr, false);
    const Json object = Json::parse(details, nullptr, false);
    if (!list.is_array() || list.size() != kClassCount || !object.is_object()) {
        return Error{ErrorCode::Corruption, "class words: not a list of 1000 names and an object"};
    }
    std::vector<ClassWords> classes;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!list[i].is_string()) {
            return broken(i, "has a name that is no string");
        }
        ClassWords words{list[i].get<std::string>(), {}, {}};
        if (const auto entry = object.find(std::to_string(i)); entry != object.end()) {
            BIFOCAL_CHECK(readDetails(*entry, i, words));
        }
        if (words.synonyms.empty()) {
            words.synonyms = {words.name};
        }
        if (words.description.empty()) {
            words.description = words.name;
        }
        classes.push_back(std::move(words));
    }
    return classes;
}

std::vector<std::string> classSentences(std::span<const ClassWords> classes) {
    std::vector<std::string> sentences;
    for (const ClassWords& words : classes) {
        sentences.push_back("a " + words.name);
        for (const std::string& synonym : words.synonyms) {
            sentences.push_back("a " + synonym);
        }
        sentences.push_back(words.description);
    }
    return sentences;
}

Result<ClassTable> makeClassTable(std::span<const ClassWords> classes,
                                  std::span<const float> embedded,
                                  std::size_t width) {
    Rows rows(embedded, width);
    std::vector<Vector> table;
    Vector mean(width, 0.0);
    for (std::size_t i = 0; i < classes.size(); ++i) {
        Vector sum(width, 0.0);
        Vector synonyms(width, 0.0);
        rows.addNext(sum);
        for (std::size_t s = 0; s < classes[i].synonyms.size(); ++s) {
            rows.addNext(synonyms);
        }
        rows.addNext(sum);
        bool hasDirection = normalize(synonyms);
        std::transform(sum.begin(), sum.end(), synonyms.begin(), sum.begin(), std::plus<>());
        hasDirection = normalize(sum) && hasDirection;
        if (!hasDirection) {
            return Error{ErrorCode::Internal, "class " + std::to_string(i) + " has no direction"};
        }
        std::transform(mean.begin(), mean.end(), sum.begin(), mean.begin(), std::plus<>());
        table.push_back(std::move(sum));
    }
    BIFOCAL_ASSERT(rows.isAtEnd());
    ClassTable out;
    for (double& value : mean) {
        value /= static_cast<double>(classes.size());
        out.mean.push_back(static_cast<float>(value));
    }
    for (Vector& row : table) {
        std::transform(row.begin(), row.end(), mean.begin(), row.begin(), std::minus<>());
        if (!normalize(row)) {
            return Error{ErrorCode::Internal, "a class lies at the mean of all"};
        }
        std::transform(row.begin(), row.end(), std::back_inserter(out.classes), [](double value) {
            return static_cast<float>(value);
        });
    }
    return out;
}

}  // namespace bifocal::models
