# SPDX-License-Identifier: Apache-2.0
# What the architecture checks share. Each is run as `cmake -DROOT=… -P <check>.cmake`, prints one line
# `file:line: reason` per violation, and fails when there is one.

if(NOT IS_DIRECTORY "${ROOT}")
  message(FATAL_ERROR "ROOT is not a folder: '${ROOT}'")
endif()

set(BIFOCAL_SOURCE_TREES app core kernels models tests ui)
set(BIFOCAL_VIOLATION_COUNT 0)

# Prints a violation; the line is that of the first occurrence of `text` in the file.
function(bifocal_violation file text reason)
  set(line 1)
  if(NOT text STREQUAL "" AND EXISTS "${ROOT}/${file}")
    file(READ "${ROOT}/${file}" content)
    string(FIND "${content}" "${text}" position)
    if(position GREATER 0)
      string(SUBSTRING "${content}" 0 ${position} before)
      string(REGEX REPLACE "[^\n]" "" before "${before}")
      string(LENGTH "${before}" line)
      math(EXPR line "${line} + 1")
    endif()
  endif()
  message(NOTICE "${file}:${line}: ${reason}")
  math(EXPR count "${BIFOCAL_VIOLATION_COUNT} + 1")
  set(BIFOCAL_VIOLATION_COUNT ${count} PARENT_SCOPE)
endfunction()

# Files under the given folders of ROOT, relative to it; what tools leave behind is not ours.
function(bifocal_files result)
  set(found)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE "${ROOT}" "${ROOT}/${folder}/*")
    list(APPEND found ${files})
  endforeach()
  list(FILTER found EXCLUDE REGEX "(^|/)(\\.[^/]*|__pycache__/.*|[^/]*~)$")
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Ends a check: a check that looked at nothing has not passed.
function(bifocal_finish name looked_at)
  if(looked_at EQUAL 0)
    message(FATAL_ERROR "architecture.${name}: nothing to look at under ${ROOT}")
  endif()
  if(BIFOCAL_VIOLATION_COUNT GREATER 0)
    message(FATAL_ERROR "architecture.${name}: ${BIFOCAL_VIOLATION_COUNT} violations")
  endif()
  message(STATUS "architecture.${name}: ${looked_at} looked at, no violation")
endfunction()
