"""The library for Conan 2, from the tree that this file lies in."""

import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rm, rmdir

required_conan_version = ">=2.0"


class MicaConan(ConanFile):
    name = "mica"
    version = "0.2.0"
    description = "An entity component system in C"
    license = "MIT"
    topics = ("ecs", "entity-component-system", "game-development", "simulation")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "tools/gdb/*", "tools/natvis/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def configure(self):
        # The library is C: which C++ is used beside it makes no difference.
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["MICA_BUILD_SHARED"] = bool(self.options.shared)
        for name in ("DEVELOPER", "BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_DEMO", "BUILD_TOOL"):
            toolchain.cache_variables[f"MICA_{name}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        cmake = CMake(self)
        cmake.install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        # What Conan writes itself.
        for folder in (("lib", "cmake"), ("lib", "pkgconfig"), ("share", "licenses")):
            rmdir(self, os.path.join(self.package_folder, *folder))
        # Both libraries are built; a linker prefers the shared one.
        if self.options.shared:
            rm(self, "libmica.a", os.path.join(self.package_folder, "lib"))

    def package_info(self):
        self.cpp_info.libs = ["mica"]
        self.cpp_info.set_property("cmake_file_name", "mica")
        self.cpp_info.set_property("cmake_target_name", "mica::mica")
        self.cpp_info.set_property("pkg_config_name", "mica")
        if self.options.shared:
            self.cpp_info.set_property("cmake_target_aliases", ["mica::mica_shared"])
            self.cpp_info.defines = ["MICA_SHARED"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["m"]
