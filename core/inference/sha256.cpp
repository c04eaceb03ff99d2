// SPDX-License-Identifier: Apache-2.0
#include "core/inference/sha256.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <vector>

#include <openssl/evp.h>

namespace bifocal {
namespace {

/// Threads: compatible. Owns: the digest's state.
class Digest {
public:
    Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        BIFOCAL_ASSERT(context_ != nullptr);
        BIFOCAL_ASSERT(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
    }

    void update(const void* data, std::size_t size) {
        BIFOCAL_ASSERT(EVP_DigestUpdate(context_.get(), data, size) == 1);
    }

    std::string finish() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
        unsigned int size = 0;
        BIFOCAL_ASSERT(EVP_DigestFinal_ex(context_.get(), raw.data(), &size) == 1);
        static constexpr char kDigits[] = "0123456789abcdef";
        std::string text;
        for (unsigned int i = 0; i < size; ++i) {
            text += kDigits[raw[i] >> 4U];
            text += kDigits[raw[i] & 15U];
        }
        return text;
    }

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256(std::span<const std::uint8_t> bytes) {
    Digest digest;
    digest.update(bytes.data(), bytes.size());
    return digest.finish();
}

Result<std::string> sha256OfFile(const std::filesystem::path& path, const std::stop_token& stop) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return Error{ErrorCode::NotFound, path.string() + ": cannot be opened"};
    }
    Digest digest;
    std::vector<char> piece(1U << 20U);
    while (file) {
        if (stop.stop_requested()) {
            return Error{ErrorCode::Cancelled, path.string()};
        }
        file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        digest.update(piece.data(), static_cast<std::size_t>(file.gcount()));
    }
    if (file.bad()) {
        return Error{ErrorCode::Internal, path.string() + ": read failed"};
    }
    return digest.finish();
}

bool isSha256(const std::string& text) {
    return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

}  // namespace bifocal
