# SPDX-License-Identifier: Apache-2.0

# Warnings and sanitizers for one of our own targets.
function(bifocal_harden name)
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wno-missing-field-initializers;-Wpedantic;-Wshadow;-Wconversion;-Wnon-virtual-dtor;-Woverloaded-virtual>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${BIFOCAL_WARNINGS_AS_ERRORS}>>:-Werror>)
  if(BIFOCAL_SANITIZE)
    target_compile_options(${name} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${BIFOCAL_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
    target_link_options(${name} PUBLIC -fsanitize=${BIFOCAL_SANITIZE})
  endif()
endfunction()

# bifocal_library(name SOURCES a.cpp HEADERS a.h PUBLIC dep PRIVATE dep)
# A static library with the alias bifocal::…, whose public headers are compiled alone by
# all_verify_interface_header_sets. Includes are written from the repository's root.
function(bifocal_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  string(REGEX REPLACE "^bifocal_" "bifocal::" alias ${name})
  add_library(${alias} ALIAS ${name})
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARG_HEADERS})
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  bifocal_harden(${name})
endfunction()

# bifocal_qt_library(…): the same with moc; Qt's keywords are off so that LibTorch and GLib never meet them.
function(bifocal_qt_library name)
  bifocal_library(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  target_compile_definitions(${name} PUBLIC QT_NO_KEYWORDS QT_NO_CAST_TO_ASCII)
endfunction()

# bifocal_test(name SOURCES a_test.cpp LINK dep LABELS slow ENVIRONMENT A=b): one GoogleTest program, one CTest entry.
# The test's own code is not optimised: half of the compiler's time went there.
function(bifocal_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS;ENVIRONMENT" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  bifocal_harden(${name})
  target_compile_options(${name} PRIVATE -O0)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(BIFOCAL_SANITIZE AND ARG_TIMEOUT LESS 600)
    set(ARG_TIMEOUT 600)
  endif()
  if(BIFOCAL_SANITIZE STREQUAL "thread")
    # libvips and its friends are not instrumented: what they do under locks of their own would look like races.
    list(APPEND ARG_ENVIRONMENT "TSAN_OPTIONS=ignore_noninstrumented_modules=1 suppressions=${PROJECT_SOURCE_DIR}/packaging/cmake/thread_sanitizer.supp")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}" ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

# bifocal_qt_test(…): the same for a test of ui/, offscreen, with moc.
function(bifocal_qt_test name)
  bifocal_test(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  target_link_libraries(${name} PRIVATE Qt6::Test)
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "QT_QPA_PLATFORM=offscreen")
endfunction()
