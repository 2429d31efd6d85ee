# The engine: a static library that needs Eigen and threads, no Python. Included by whoever uses it, at the head of a
# project, for which it also says how to compile.

set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# A compiler cache is used where there is one. It has to be told that headers are precompiled.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE}")
endif()

option(STICKSLIP_SWITCHES "Let STICKSLIP_OFF switch rules of decisions off, see src/core/switches.hpp" OFF)
option(STICKSLIP_WERROR "Treat our own warnings as errors" OFF)
set(STICKSLIP_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Calls within the engine go straight to their function, and may be inlined: nobody replaces one from outside.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# The wheel cmeel-eigen keeps its CMake files under <site-packages>/cmeel.prefix, which no default path leads to.
foreach(entry IN LISTS CMAKE_PREFIX_PATH)
  list(APPEND CMAKE_PREFIX_PATH "${entry}/cmeel.prefix")
endforeach()
# The version is checked by hand: Eigen 5 answers "no" to a request for 3.4, though it serves as well.
find_package(Eigen3 CONFIG REQUIRED)
if(Eigen3_VERSION VERSION_LESS 3.4)
  message(FATAL_ERROR "Eigen ${Eigen3_VERSION} is too old: 3.4 or newer is needed")
endif()
find_package(Threads REQUIRED)

add_library(stickslip_flags INTERFACE)
target_compile_features(stickslip_flags INTERFACE cxx_std_20)
# Indices are signed, as Eigen counts, so -Wsign-conversion (which clang turns on) has nothing to say.
# -ffp-contract=off: the same bits on every machine of one architecture, whatever the compiler fuses.
if(MSVC)
  target_compile_options(stickslip_flags INTERFACE /W4 /fp:precise /utf-8 /bigobj $<$<BOOL:${STICKSLIP_WERROR}>:/WX>)
else()
  target_compile_options(stickslip_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    -ffp-contract=off
    $<$<BOOL:${STICKSLIP_WERROR}>:-Werror>)
endif()
if(STICKSLIP_SANITIZE)
  target_compile_options(stickslip_flags INTERFACE -fsanitize=${STICKSLIP_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(stickslip_flags INTERFACE -fsanitize=${STICKSLIP_SANITIZE})
endif()

file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*.cpp")
list(FILTER sources EXCLUDE REGEX "/src/fmi/") # a library of its own
if(STICKSLIP_SWITCHES)
  file(GLOB decisions CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/transition/*.cpp")
  set_source_files_properties(${decisions} PROPERTIES COMPILE_DEFINITIONS STICKSLIP_SWITCHES)
endif()
file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*.hpp")

# STICKSLIP_BUILT: a library that another build of this checkout has left. It is taken if it is younger than every
# source and was compiled in the same way.
set(made "${CMAKE_BUILD_TYPE} ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} Eigen ${Eigen3_VERSION} ${CMAKE_CXX_FLAGS} ${STICKSLIP_SANITIZE}")
foreach(library IN LISTS STICKSLIP_BUILT)
  get_filename_component(folder "${library}" DIRECTORY)
  set(made_there "")
  if(EXISTS "${folder}/made.txt")
    file(READ "${folder}/made.txt" made_there)
  endif()
  set(fits TRUE)
  if(NOT made_there STREQUAL made)
    set(fits FALSE)
  endif()
  foreach(file IN LISTS sources headers)
    if("${file}" IS_NEWER_THAN "${library}")
      set(fits FALSE)
    endif()
  endforeach()
  if(fits AND NOT TARGET stickslip_core)
    message(STATUS "The engine is there: ${library}")
    add_library(stickslip_core STATIC IMPORTED GLOBAL)
    set_target_properties(stickslip_core PROPERTIES IMPORTED_LOCATION "${library}"
      INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}"
      INTERFACE_LINK_LIBRARIES "Eigen3::Eigen;Threads::Threads;stickslip_flags")
  endif()
endforeach()

if(NOT TARGET stickslip_core)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/made.txt" "${made}")
  add_library(stickslip_core STATIC ${sources})
  target_include_directories(stickslip_core PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_LIST_DIR}>")
  target_link_libraries(stickslip_core PUBLIC Eigen3::Eigen Threads::Threads $<BUILD_INTERFACE:stickslip_flags>)
  # Installed: warnings are not those of the user. For wider registers than those of the library (-march=native) Eigen
  # would allocate memory in another way, which the library cannot free: alignment by 16 bytes is that of malloc.
  target_compile_features(stickslip_core INTERFACE cxx_std_20)
  target_compile_definitions(stickslip_core INTERFACE
    $<INSTALL_INTERFACE:EIGEN_MAX_ALIGN_BYTES=16> $<INSTALL_INTERFACE:EIGEN_MALLOC_ALREADY_ALIGNED=1>)
  # What nearly every file reads is parsed once. Files compile without it too (CMAKE_DISABLE_PRECOMPILE_HEADERS, as
  # in the preset debug), so that each includes what it uses.
  target_precompile_headers(stickslip_core PRIVATE <Eigen/Core> <algorithm> <cmath> <memory> <string> <vector>)
  # Pairs of numbers that are written one by one and read together stall the processor: a tenth of a sampled run.
  if(NOT MSVC)
    set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/flow/stride.cpp"
      PROPERTIES COMPILE_OPTIONS -fno-tree-slp-vectorize SKIP_PRECOMPILE_HEADERS ON)
  endif()
  # Several are compiled together, in three quarters of the time; not in a checkout, where one changed file is to be
  # built again in seconds. Those with the greatest of Eigen's templates stay alone, to fit into 0.7 GB, and those
  # with the loops over steps and laws, in which the compiler would inline less.
  if(NOT STICKSLIP_INPLACE)
    set_target_properties(stickslip_core PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5)
    foreach(room core expression friction dynamics flow)
      file(GLOB alone "${CMAKE_CURRENT_LIST_DIR}/${room}/*.cpp")
      set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
    set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/model/compile_constraints.cpp"
      PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endif()
