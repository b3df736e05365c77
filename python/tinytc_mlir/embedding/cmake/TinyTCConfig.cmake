# find_package(TinyTC COMPONENTS Libraries) of the Python package: tinytc_add_library. The compiler's
# own libraries are in the package that "cmake --install" of a build makes.
foreach(_component IN LISTS TinyTC_FIND_COMPONENTS)
  if(_component STREQUAL "Libraries")
    set(TinyTC_Libraries_FOUND TRUE)
  elseif(TinyTC_FIND_REQUIRED_${_component})
    set(TinyTC_FOUND FALSE)
    set(
      TinyTC_NOT_FOUND_MESSAGE
      "expected the component Libraries, which the Python package has, got ${_component}"
    )
    return()
  endif()
endforeach()
unset(_component)
include("${CMAKE_CURRENT_LIST_DIR}/TinyTCLibraries.cmake")
