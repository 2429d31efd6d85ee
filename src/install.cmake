# The engine for programs in C++: `cmake --install <build> --component cpp` puts the static library, the headers of
# src/stickslip with those that they include, and the files that find_package(stickslip) reads into a prefix.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/stickslip")
set_target_properties(stickslip_core PROPERTIES EXPORT_NAME core)
install(TARGETS stickslip_core EXPORT stickslip_targets COMPONENT cpp
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT stickslip_targets NAMESPACE stickslip:: FILE stickslip-targets.cmake
  DESTINATION "${package_folder}" COMPONENT cpp)

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/stickslip-config.cmake.in"
  "${PROJECT_BINARY_DIR}/stickslip-config.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/stickslip-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/stickslip-config.cmake" "${PROJECT_BINARY_DIR}/stickslip-config-version.cmake"
  DESTINATION "${package_folder}" COMPONENT cpp)

# The script runs at installation, so that it finds the headers as they are then.
install(CODE "set(source \"${CMAKE_CURRENT_LIST_DIR}\")
set(staging \"${PROJECT_BINARY_DIR}/installed_headers\")
set(destination \"${CMAKE_INSTALL_INCLUDEDIR}\")
include(\"${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake\")" COMPONENT cpp)
