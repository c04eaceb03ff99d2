// SPDX-License-Identifier: Apache-2.0
#include "app/cli/path_text.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace bifocal::cli {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

void appendHex(std::string& text, char byte) {
    const auto value = static_cast<unsigned char>(byte);
    text += {kHexDigits[value >> 4U], kHexDigits[value & 0xFU]};
}

bool isUtf8(const std::string& text) {
    const nlohmann::json value(text);
    using Handler = nlohmann::json::error_handler_t;
    return value.dump(-1, ' ', false, Handler::ignore) ==
           value.dump(-1, ' ', false, Handler::replace);
}

std::string fileUri(const std::string& path) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    std::string uri = "file://";
    for (const char byte : path) {
        if (kPlain.find(byte) != std::string_view::npos) {
            uri += byte;
        } else {
            uri += '%';
            appendHex(uri, byte);
        }
    }
    return uri;
}

}  // namespace

std::string printable(const std::filesystem::path& path) {
    const std::string& name = path.native();
    std::string text;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto byte = static_cast<unsigned char>(name[i]);
        const auto next = static_cast<unsigned char>(i + 1 < name.size() ? name[i + 1] : 0);
        const bool isLongControl = byte == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080 to U+009F
        if (byte == '\n') {
            text += "\\n";
        } else if (byte == '\t') {
            text += "\\t";
        } else if (byte < 0x20 || byte == 0x7F || isLongControl) {
            text += "\\x";
            appendHex(text, name[i]);
        } else {
            text += name[i];
        }
    }
    return text;
}

void putPath(nlohmann::json& object, const std::filesystem::path& path) {
    object["path"] = path.native();
    if (!isUtf8(path.native())) {
        object["uri"] = fileUri(path.native());
    }
}

}  // namespace bifocal::cli
