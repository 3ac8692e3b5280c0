# find_package(mica) gives mica::mica (static) and mica::mica_shared.
include(${CMAKE_CURRENT_LIST_DIR}/mica-targets.cmake)
