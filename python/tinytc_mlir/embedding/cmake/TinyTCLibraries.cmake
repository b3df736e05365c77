# Libraries of kernels that are built with a project:
#
#   tinytc_add_library(<name> <source> [TARGETS <target>...] [DEFINES <name>=<value>...] [MASKS])
#
# runs "tinytc build" when the source changes, which is a program, a kernel of Python as
# module.py:name, chains in JSON or generated C++ code. The targets are those that find_package(<name>)
# has for a library that was built before: <name>::<name>, <name>::shared for processors, <name>::cuda
# or <name>::opencl for GPUs, and <name>::fortran if the project has Fortran.
#
# TINYTC_COMMAND is the command, by default the program tinytc.
include_guard(GLOBAL)

if(NOT TINYTC_COMMAND)
  find_program(TINYTC_COMMAND tinytc HINTS ENV VIRTUAL_ENV PATH_SUFFIXES bin)
endif()

function(tinytc_add_library name source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "MASKS" "" "TARGETS;DEFINES")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(
      FATAL_ERROR
      "tinytc_add_library: expected TARGETS, DEFINES or MASKS with their values, got "
      "${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}"
    )
  endif()
  if(NOT TINYTC_COMMAND)
    message(
      FATAL_ERROR
      "tinytc_add_library: expected the program tinytc (pip install tinytc-mlir) or "
      "TINYTC_COMMAND, got none"
    )
  endif()
  string(REGEX REPLACE ":[A-Za-z_0-9]+$" "" file "${source}")
  cmake_path(ABSOLUTE_PATH source)
  cmake_path(ABSOLUTE_PATH file)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "tinytc_add_library: expected a program, got no file ${file}")
  endif()
  set(kind processor)
  if(arg_TARGETS MATCHES "^cuda:")
    set(kind cuda)
  elseif(arg_TARGETS AND NOT arg_TARGETS MATCHES "^(native|x86-64|aarch64)")
    set(kind opencl)
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  set(
    words
    build
    "${source}"
    --name
    ${name}
    -o
    "${folder}"
  )
  if(arg_TARGETS)
    list(JOIN arg_TARGETS "," targets)
    list(APPEND words --target ${targets})
  endif()
  if(arg_MASKS)
    list(APPEND words --masks)
  endif()
  foreach(define IN LISTS arg_DEFINES)
    list(APPEND words -D ${define})
  endforeach()
  set(headers ${name}.h ${name}.hpp ${name}_batch.hpp ${name}.f90)
  list(TRANSFORM headers PREPEND "${folder}/include/")
  set(made ${headers} "${folder}/lib/lib${name}.a")
  if(kind STREQUAL processor)
    list(APPEND made "${folder}/lib/lib${name}.so")
  else()
    list(APPEND made "${folder}/src/${name}_${kind}.c")
  endif()
  file(MAKE_DIRECTORY "${folder}/include")
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${TINYTC_COMMAND} ${words}
    DEPENDS "${file}"
    COMMENT "Building the kernels of ${name}"
    VERBATIM
  )
  add_custom_target(${name}_kernels DEPENDS ${made})
  _tinytc_import(${name}::${name} STATIC "${folder}" "lib${name}.a")
  if(kind STREQUAL processor)
    _tinytc_import(${name}::shared SHARED "${folder}" "lib${name}.so")
    set_target_properties(${name}::shared PROPERTIES IMPORTED_SONAME lib${name}.so)
  else()
    _tinytc_add_launches()
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(Fortran IN_LIST languages)
    add_library(${name}_fortran STATIC EXCLUDE_FROM_ALL "${folder}/include/${name}.f90")
    set_target_properties(
      ${name}_fortran
      PROPERTIES Fortran_MODULE_DIRECTORY "${folder}/modules"
    )
    target_include_directories(${name}_fortran INTERFACE "${folder}/modules")
    target_link_libraries(${name}_fortran PUBLIC ${name}::${name})
    add_library(${name}::fortran ALIAS ${name}_fortran)
  endif()
endfunction()

# Adds a target for a file of a library.
function(_tinytc_import target type folder file)
  add_library(${target} ${type} IMPORTED GLOBAL)
  set_target_properties(
    ${target}
    PROPERTIES
      IMPORTED_LOCATION "${folder}/lib/${file}"
      INTERFACE_INCLUDE_DIRECTORIES "${folder}/include"
      INTERFACE_LINK_LIBRARIES m
  )
  add_dependencies(${target} ${name}_kernels)
endfunction()

# Adds the target with launches on devices.
macro(_tinytc_add_launches)
  if(kind STREQUAL cuda)
    set(package CUDAToolkit)
    set(driver CUDA::cuda_driver)
  else()
    set(package OpenCL)
    set(driver OpenCL::OpenCL)
  endif()
  if(NOT TARGET ${driver})
    find_package(${package} REQUIRED)
  endif()
  add_library(${name}_${kind} STATIC EXCLUDE_FROM_ALL "${folder}/src/${name}_${kind}.c")
  target_link_libraries(${name}_${kind} PUBLIC ${name}::${name} ${driver})
  add_dependencies(${name}_${kind} ${name}_kernels)
  add_library(${name}::${kind} ALIAS ${name}_${kind})
endmacro()
