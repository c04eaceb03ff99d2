// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"
#include "tests/app/cli/process.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace bifocal::test {

/// A folder that is gone when the object is. Threads: compatible.
class ScratchFolder {
public:
    ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder();

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

/// One coloured shape; every number gives another picture.
struct Shape {
    std::string name;         ///< "red_circle"
    std::string description;  ///< "A red circle."
    ImageBuffer picture;
};
Shape makeShape(std::size_t number);

/// Writes makeShape(first) … as PNG files "NNN_colour_shape.png", each with a `.txt` beside it.
void writeShapes(const std::filesystem::path& folder, std::size_t first, std::size_t count);

void writeText(const std::filesystem::path& file, const std::string& text);

/// A program run in a home of its own: settings, data and caches are in a scratch folder.
class CliTest : public ::testing::Test {
protected:
    /// In a process of its own; a test that starts many may do it otherwise.
    virtual Exit cli(std::vector<std::string> words) const;
    Process::Environment environment() const;
    static std::vector<std::string> command(std::vector<std::string> words);
    /// Runs with --json, expects `code`, and returns what was printed.
    nlohmann::json json(std::vector<std::string> words, int code = 0) const;

    ScratchFolder home_;
};

/// The same with the starter pack of BIFOCAL_PACKS, else this user's; fails where there is none.
class CliPackTest : public CliTest {
protected:
    void SetUp() override;

    nlohmann::json index(const std::filesystem::path& folder,
                         std::vector<std::string> options = {}) const;
    std::string library() const { return (home_ / "library").string(); }
};

}  // namespace bifocal::test
