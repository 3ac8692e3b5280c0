# find_package(mica) gives mica::mica (static) and mica::mica_shared.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/mica-targets.cmake)
