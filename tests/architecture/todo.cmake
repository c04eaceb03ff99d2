# SPDX-License-Identifier: Apache-2.0
# What is left to do has an issue; product code does not sleep and lets no thread go.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/check.cmake")

# Reports each line of `file` that has `pattern` and has not `unless`.
function(forbid file pattern unless reason)
  file(STRINGS "${ROOT}/${file}" lines REGEX "${pattern}")
  foreach(line IN LISTS lines)
    if("${line}" MATCHES "${pattern}" AND NOT "${line}" MATCHES "${unless}")
      bifocal_violation("${file}" "${line}" "${reason}")
    endif()
  endforeach()
  set(BIFOCAL_VIOLATION_COUNT ${BIFOCAL_VIOLATION_COUNT} PARENT_SCOPE)
endfunction()

set(nothing "^$")
bifocal_files(files ${BIFOCAL_SOURCE_TREES} packaging)
list(FILTER files INCLUDE REGEX "(CMakeLists\\.txt|\\.(cpp|h|cu|cuh|cmake|py|sh)(\\.in)?|/[^./]+)$")
list(FILTER files EXCLUDE REGEX "^tests/architecture/")  # these name what they look for
foreach(file IN LISTS files)
  forbid("${file}" "(^|[^A-Za-z_])(TODO|FIXME|XXX|HACK)([^A-Za-z_]|$)" "TODO\\(#[0-9]+\\): "
    "left to do without an issue: write TODO(#123): …")
  if("${file}" MATCHES "^(app|core|kernels|models|ui)/.*\\.(cpp|h|cu|cuh)$")
    forbid("${file}" "(^|[^A-Za-z_])(sleep_for|sleep_until|sleep|usleep|nanosleep|msleep)[ ]*\\(" "${nothing}"
      "product code does not sleep: wait for what is to happen")
    forbid("${file}" "[.>]detach[ ]*\\([ ]*\\)" "${nothing}" "no thread is let go: join it")
  endif()
endforeach()
list(LENGTH files file_count)
bifocal_finish(todo ${file_count})
