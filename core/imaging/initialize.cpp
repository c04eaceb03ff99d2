// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/decode.h"
#include "core/imaging/detail/vips_error.h"

#include <opencv2/core/utils/logger.hpp>

#include <cstdlib>
#include <mutex>

#include <vips/vips.h>

namespace bifocal::imaging {
namespace {

void dropLog(const gchar* /*domain*/,
             GLogLevelFlags /*level*/,
             const gchar* /*message*/,
             gpointer /*data*/) {}

/// FFmpeg is reached through OpenCV alone, which takes its settings from the environment.
void quietVideo() {
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    // NOLINTBEGIN(concurrency-mt-unsafe): initialize() runs before there are other threads
    ::setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 1);
    // A playlist is a video too; without this it could make us fetch what it names from anywhere.
    ::setenv("OPENCV_FFMPEG_CAPTURE_OPTIONS", "protocol_whitelist;file", 1);
    // NOLINTEND(concurrency-mt-unsafe)
}

Result<void> startVips(const char* programName) {
    if (VIPS_INIT(programName) != 0) {
        return detail::takeVipsError(ErrorCode::Internal, "libvips does not start");
    }
    // Of a damaged file libvips may ask GLib for a picture of no width; the error comes back to us.
    for (const char* domain : {"VIPS", "GLib-GObject"}) {
        g_log_set_handler(domain, G_LOG_LEVEL_MASK, dropLog, nullptr);
    }
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    // Loaders that their authors do not fuzz stay closed to files of strangers. Three of them are
    // formats that people keep pictures in, so they are opened again.
    vips_block_untrusted_set(TRUE);
    vips_operation_block_set("VipsForeignLoadJxl", FALSE);
    vips_operation_block_set("VipsForeignLoadJp2k", FALSE);
    vips_operation_block_set("VipsForeignLoadPpm", FALSE);
    return {};
}

}  // namespace

Result<void> initialize(const char* programName) {
    static std::mutex mutex;
    static bool isStarted = false;
    const std::lock_guard lock(mutex);
    if (isStarted) {
        return {};
    }
    quietVideo();
    Result<void> outcome = startVips(programName);
    isStarted = outcome.has_value();
    return outcome;
}

}  // namespace bifocal::imaging
