// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/detail/vips_error.h"

#include <string_view>

#include <vips/vips.h>

namespace bifocal::imaging::detail {
namespace {

constexpr std::size_t kLongestReason = 300;

/// "a: b\nc: d\n" → "a: b; c: d", without control characters.
std::string asOneLine(std::string_view text) {
    std::string line;
    for (const char byte : text) {
        if (byte == '\n') {
            line += "; ";
        } else {
            line.push_back(static_cast<unsigned char>(byte) < 0x20 ? ' ' : byte);
        }
    }
    while (!line.empty() && (line.back() == ' ' || line.back() == ';')) {
        line.pop_back();
    }
    if (line.size() > kLongestReason) {
        line.resize(kLongestReason);
        line += "...";
    }
    return line;
}

}  // namespace

Error takeVipsError(ErrorCode otherwise, const std::string& context) {
    char* buffer = vips_error_buffer_copy();
    std::string reason = asOneLine(buffer == nullptr ? "" : buffer);
    g_free(buffer);
    const auto says = [&reason](const char* part) {
        return reason.find(part) != std::string::npos;
    };
    const ErrorCode code = says("nsupported") || says("not supported") ? ErrorCode::Unsupported
                           : says("out of memory") || says("unable to allocate")
                               ? ErrorCode::ResourceExhausted
                               : otherwise;
    return {code, reason.empty() ? context : context + ": " + reason};
}

}  // namespace bifocal::imaging::detail
