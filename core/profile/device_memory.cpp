// SPDX-License-Identifier: Apache-2.0
#include "core/profile/profiler.h"

#include <array>
#include <utility>

#include <dlfcn.h>

namespace bifocal::profile {

namespace {

// Our own declarations of the few entries of NVIDIA's management library that are used; their
// binary form is fixed by the version suffix in the symbol's name.
using NvmlStatus = int;  // 0: success
using NvmlDevice = void*;

struct NvmlMemory {
    unsigned long long totalBytes;
    unsigned long long freeBytes;
    unsigned long long usedBytes;
};

constexpr const char* kLibrary = "libnvidia-ml.so.1";
constexpr std::size_t kNameBytes = 96;  // the library's own limit for a device's name

}  // namespace

struct DeviceMemoryProbe::Library {
    Library() = default;
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() {
        if (isInitialised) {
            shutdown();
        }
        if (handle != nullptr) {
            ::dlclose(handle);
        }
    }

    template <typename Function>
    bool find(Function*& function, const char* symbol) {
        function = reinterpret_cast<Function*>(::dlsym(handle, symbol));
        return function != nullptr;
    }

    std::string describe(NvmlStatus status) const {
        const char* text = errorString(status);
        return text != nullptr ? text : std::to_string(status);
    }

    void* handle = nullptr;
    bool isInitialised = false;
    NvmlStatus (*init)() = nullptr;
    NvmlStatus (*shutdown)() = nullptr;
    const char* (*errorString)(NvmlStatus) = nullptr;
    NvmlStatus (*deviceByIndex)(unsigned, NvmlDevice*) = nullptr;
    NvmlStatus (*deviceName)(NvmlDevice, char*, unsigned) = nullptr;
    NvmlStatus (*memoryInfo)(NvmlDevice, NvmlMemory*) = nullptr;
    NvmlDevice device = nullptr;
    std::string name;
};

DeviceMemoryProbe::DeviceMemoryProbe() : library_(std::make_unique<Library>()) {
    Library& nvml = *library_;
    nvml.handle = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (nvml.handle == nullptr) {
        why_ = std::string("no NVIDIA driver: ") + kLibrary + " is not installed";
        return;
    }
    if (!nvml.find(nvml.init, "nvmlInit_v2") || !nvml.find(nvml.shutdown, "nvmlShutdown") ||
        !nvml.find(nvml.errorString, "nvmlErrorString") ||
        !nvml.find(nvml.deviceByIndex, "nvmlDeviceGetHandleByIndex_v2") ||
        !nvml.find(nvml.deviceName, "nvmlDeviceGetName") ||
        !nvml.find(nvml.memoryInfo, "nvmlDeviceGetMemoryInfo")) {
        why_ = std::string(kLibrary) + " lacks an entry that is needed";
        return;
    }
    if (const NvmlStatus status = nvml.init(); status != 0) {
        why_ = std::string(kLibrary) + ": " + nvml.describe(status);
        return;
    }
    nvml.isInitialised = true;
    std::array<char, kNameBytes> name{};
    NvmlStatus status = nvml.deviceByIndex(0, &nvml.device);
    if (status == 0) {
        status = nvml.deviceName(nvml.device, name.data(), kNameBytes);
    }
    if (status != 0) {
        nvml.device = nullptr;
        why_ = "no NVIDIA device: " + nvml.describe(status);
        return;
    }
    nvml.name = name.data();
}

DeviceMemoryProbe::~DeviceMemoryProbe() = default;

std::optional<DeviceMemory> DeviceMemoryProbe::read(std::string* why) const {
    if (library_->device == nullptr) {
        if (why != nullptr) {
            *why = why_;
        }
        return std::nullopt;
    }
    NvmlMemory memory{};
    if (const NvmlStatus status = library_->memoryInfo(library_->device, &memory); status != 0) {
        if (why != nullptr) {
            *why = library_->name + ": " + library_->describe(status);
        }
        return std::nullopt;
    }
    return DeviceMemory{library_->name, memory.usedBytes, memory.totalBytes};
}

std::optional<DeviceMemory> readDeviceMemory(std::string* why) {
    return DeviceMemoryProbe().read(why);
}

}  // namespace bifocal::profile
