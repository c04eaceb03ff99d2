// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/machine.h"

#include "core/inference/torch/torch_packs.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace bifocal::cli {
namespace {

/// What stands behind "key" and its colon in one of the kernel's lists of lines; empty for nothing.
std::string entryOf(const char* file, const std::string& key) {
    std::ifstream stream(file);
    std::string line;
    while (std::getline(stream, line)) {
        if (line.starts_with(key)) {
            const std::size_t colon = line.find(':');
            const std::size_t first = line.find_first_not_of(" \t", colon + 1);
            return first == std::string::npos ? std::string() : line.substr(first);
        }
    }
    return {};
}

std::uint64_t memoryBytes(const char* key) {
    return std::strtoull(entryOf("/proc/meminfo", key).c_str(), nullptr, 10) * 1024;
}

const char* instructionSet() {
    if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
        __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
        return "AVX-512";
    }
    const bool hasAvx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    return hasAvx2 ? "AVX2" : "x86-64-v2";
}

}  // namespace

std::string describeMachine() {
    const std::string model = entryOf("/proc/cpuinfo", "model name");
    std::string machine = model.empty() ? "unknown processor" : model;
    machine += ", " + std::to_string(std::thread::hardware_concurrency()) + " cores, ";
    const double gibibytes =
        static_cast<double>(memoryBytes("MemTotal")) / static_cast<double>(1ULL << 30U);
    machine += std::to_string(std::lround(gibibytes)) + " GiB, ";
    machine += instructionSet();
    machine += torch_backend::computesInBf16() ? ", BF16" : ", FP32";
    const char* forced = std::getenv("BIFOCAL_KERNEL_ISA");  // NOLINT(concurrency-mt-unsafe)
    if (forced != nullptr) {
        machine += std::string(", kernels told to use ") + forced;
    }
    return machine;
}

BenchReport reportOf(const char* bench) {
    BenchReport report;
    report.bench = bench;
    report.machine = describeMachine();
    return report;
}

std::uint64_t availableMemoryBytes() {
    return memoryBytes("MemAvailable");
}

}  // namespace bifocal::cli
