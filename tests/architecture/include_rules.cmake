# SPDX-License-Identifier: Apache-2.0
# Which folder may include what: an allow-list. A folder, a file extension or a header that is not named here fails, so
# that whoever adds one decides where it belongs. The reasons are in ARCHITECTURE.md.

# ---- modules, deepest first: a file belongs to the first one that its path begins with

set(BIFOCAL_MODULES
  core/inference/torch core/inference/cuda kernels/cuda
  core/base core/profile core/imaging core/prompt core/inference core/library core/index core/schedule core/pipeline
  core/engine
  kernels
  ui/models ui/bridge ui/desktop ui/views
  app
  models/convert
  tests)

# ---- what each may include: modules of ours, then groups of headers

# The operating system is reached where a seam to it is: files and locks in base, memory readings in profile, helper
# processes in imaging, watching in library, mapping in index, threads in schedule, the allocator in torch.
set(BIFOCAL_MAY_core/base            std system)
set(BIFOCAL_MAY_kernels              core/base std simd)
set(BIFOCAL_MAY_kernels/cuda         core/base kernels std cuda)
set(BIFOCAL_MAY_core/profile         core/base std system json)
set(BIFOCAL_MAY_core/imaging         core/base kernels std system json opencv vips tesseract)
set(BIFOCAL_MAY_core/prompt          core/base std json icu sentencepiece)
set(BIFOCAL_MAY_core/inference       core/base kernels core/prompt std json curl sha256 checksum)
set(BIFOCAL_MAY_core/inference/torch core/base kernels core/prompt core/inference std system json torch)
set(BIFOCAL_MAY_core/inference/cuda  core/base kernels kernels/cuda core/prompt core/inference core/schedule std json cuda)
set(BIFOCAL_MAY_core/library         core/base kernels std system json sqlite checksum)
set(BIFOCAL_MAY_core/index           core/base kernels std system json approximate_search checksum)
set(BIFOCAL_MAY_core/schedule        core/base core/profile std system json)
set(BIFOCAL_MAY_core/pipeline        core/base core/profile core/imaging core/prompt core/inference core/library
                                     core/index core/schedule std json)
# The engine opens what the graphs of core/pipeline run on, so it knows all of the core but no backend.
set(BIFOCAL_MAY_core/engine          core/base core/profile core/imaging core/prompt core/inference core/library
                                     core/index core/schedule core/pipeline std json)
set(BIFOCAL_MAY_ui/models            core/base std qt_core qt_gui)
set(BIFOCAL_MAY_ui/bridge            core/base core/engine ui/models std qt_core qt_gui)
# What the desktop around the program offers: pictures of the screens, keys, without the window or the engine.
set(BIFOCAL_MAY_ui/desktop           std qt_core qt_gui qt_dbus xcb)
set(BIFOCAL_MAY_ui/views             core/base ui/models ui/bridge ui/desktop std qt_core qt_gui qt_widgets qt_multimedia)
set(BIFOCAL_MAY_app                  ${BIFOCAL_MODULES} std system json tbb qt_core qt_gui qt_widgets qt_multimedia
                                     qt_network)
list(REMOVE_ITEM BIFOCAL_MAY_app kernels/cuda core/inference/cuda tests)
# The converter makes the class table with the text tower itself.
set(BIFOCAL_MAY_models/convert       core/base core/inference core/inference/torch core/prompt kernels std json zip)
# Tests see every public header, and make inputs with whatever the module under test reads.
set(BIFOCAL_MAY_tests                ${BIFOCAL_MODULES} std system json simd test qt_core qt_gui qt_widgets qt_multimedia
                                     qt_dbus qt_network qt_test xcb opencv vips tesseract icu sentencepiece sqlite zip checksum sha256 torch
                                     cuda approximate_search)

# Third parties stay out of public headers, so that their include paths need not travel.
set(BIFOCAL_THIRD_PARTIES
  json opencv vips tesseract icu sentencepiece curl sha256 torch cuda sqlite approximate_search checksum tbb xcb zip)

# ---- groups of headers, by pattern; the first that matches counts. checksum is xxHash, for content keys and blocks;
# sha256 is OpenSSL's digest, for the files of a pack.

set(BIFOCAL_GROUPS
  umbrella std system simd qt_core qt_gui qt_widgets qt_multimedia qt_dbus qt_network qt_test test json opencv vips
  tesseract icu sentencepiece curl sha256 torch cuda sqlite approximate_search checksum tbb xcb zip)

set(BIFOCAL_HEADERS_umbrella
  "torch/(torch|all|extension)\\.h|ATen/ATen\\.h|opencv2/opencv\\.hpp|Qt[A-Za-z]+(/Qt[A-Za-z]+)?|bits/.*")
set(std
  algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes
  climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef
  cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem forward_list fstream
  functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
  memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore
  set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view syncstream
  system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector
  version)
list(JOIN std "|" BIFOCAL_HEADERS_std)
set(BIFOCAL_HEADERS_system
  "(sys|linux|asm|net|netinet|arpa)/.*|(dirent|dlfcn|errno|fcntl|features|glob|grp|link|malloc|poll|pthread|pwd|sched|signal|spawn|stdlib|string|syscall|termios|time|unistd|utime)\\.h")
set(BIFOCAL_HEADERS_simd          "(immintrin|x86intrin|cpuid|arm_neon)\\.h")
set(BIFOCAL_HEADERS_test          "(gtest|gmock)/.*\\.h")
set(BIFOCAL_HEADERS_json          "nlohmann/.*")
set(BIFOCAL_HEADERS_opencv        "opencv2/.*")
set(BIFOCAL_HEADERS_vips          "vips/.*")
set(BIFOCAL_HEADERS_tesseract     "(tesseract|leptonica)/.*")
set(BIFOCAL_HEADERS_icu           "unicode/.*")
set(BIFOCAL_HEADERS_sentencepiece "sentencepiece.*")
set(BIFOCAL_HEADERS_curl          "curl/.*")
set(BIFOCAL_HEADERS_sha256        "openssl/evp\\.h")
set(BIFOCAL_HEADERS_torch         "(torch|ATen|c10)/.*|(dnnl|ideep).*")
set(BIFOCAL_HEADERS_cuda          "(cuda|cub|thrust|cooperative_groups)(/.*|[A-Za-z0-9_]*\\.h)|(cublas|cudnn|nvtx)[A-Za-z0-9_]*\\.h")
set(BIFOCAL_HEADERS_sqlite        "sqlite3\\.h")
set(BIFOCAL_HEADERS_approximate_search "(faiss|hnswlib|usearch)/.*")
set(BIFOCAL_HEADERS_checksum      "xxhash\\.h")
set(BIFOCAL_HEADERS_tbb           "tbb/.*")  # a peer in benches, nothing more
set(BIFOCAL_HEADERS_xcb           "xcb/.*")
set(BIFOCAL_HEADERS_zip           "zip\\.h")
include("${CMAKE_CURRENT_LIST_DIR}/qt_headers.cmake")
foreach(qt IN ITEMS Core DBus Gui Widgets Multimedia Network Test)
  string(TOUPPER ${qt} upper)
  string(TOLOWER ${qt} lower)
  list(JOIN BIFOCAL_QT_${upper} "|" classes)
  set(BIFOCAL_HEADERS_qt_${lower} "Qt${qt}/(q[a-z0-9_]+\\.h|${classes})|${classes}")
endforeach()

# Below the views a picture is a QImage: a pixmap needs the window system.
set(BIFOCAL_PIXMAP_FREE ui/models ui/bridge)
set(BIFOCAL_PIXMAPS "QPixmap|QPixmapCache|QBitmap")

# ---- files that may be there

set(cxx  "cpp h cpp.in h.in md")
set(data "avif bin bmp csv f16 f32 gif heic jpg jpeg json md mp4 pdf png safetensors svg tif tiff tsv txt u8 wav webm webp zip")
# Folders with the extensions of their files, deepest first; CMakeLists.txt may be in all of them.
set(BIFOCAL_FOLDERS
  "tests/golden=cpp h py ${data}"
  "tests/data=${data}"
  "tests/architecture=cmake md"
  "tests/core/prompt=cpp h ${data}"
  "tests/(app|core|fuzz|kernels|models|package|support|ui)=cpp h cu cmake sh md"
  "models/convert=${cxx}"
  "models/fetch=sh cmake md"
  "models/[a-z0-9-]+=json md"
  "(kernels|core/inference)/cuda=cpp h cu cuh md"
  "core/(base|engine|imaging|index|inference|library|pipeline|profile|prompt|schedule)=${cxx}"
  "kernels=${cxx}"
  "ui/(bridge|desktop|models|views)=${cxx}"
  "app=${cxx}")
# Folders that hold folders, and of files only these.
set(BIFOCAL_PARENTS core models tests ui)
set(BIFOCAL_PARENT_FILES CMakeLists.txt README.md)
