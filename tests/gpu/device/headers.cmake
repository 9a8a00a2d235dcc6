# The libraries of core/{base,tensor,backend,models} on a machine where none is installed. What a decoder
# needs of them is one header and the little of fmt that is kept here.
set(HEADLOOM_EXPECTED "" CACHE PATH "Folder with tl/expected.hpp")
set(HEADLOOM_CUBLAS "" CACHE PATH "Folder with include/cublas_v2.h and lib/, where the toolkit has none")

function(headloom_headers target variable folder header)
    if(NOT EXISTS ${folder}/${header})
        message(FATAL_ERROR "${header} is not in \"${folder}\": name its folder with -D${variable}=")
    endif()
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} INTERFACE ${folder})
endfunction()

headloom_headers(tl::expected HEADLOOM_EXPECTED "${HEADLOOM_EXPECTED}" tl/expected.hpp)
headloom_headers(fmt::fmt HEADLOOM_FMT ${CMAKE_CURRENT_LIST_DIR}/stand_in fmt/format.h)

# Before CMake looks for it itself. Packages for Python have the library under its full name alone.
if(HEADLOOM_CUBLAS)
    find_library(HEADLOOM_CUBLAS_LIBRARY NAMES cublas libcublas.so.13
        PATHS ${HEADLOOM_CUBLAS}/lib ${HEADLOOM_CUBLAS}/lib64 NO_DEFAULT_PATH REQUIRED)
    add_library(CUDA::cublas SHARED IMPORTED GLOBAL)
    set_target_properties(CUDA::cublas PROPERTIES IMPORTED_LOCATION ${HEADLOOM_CUBLAS_LIBRARY})
    target_include_directories(CUDA::cublas INTERFACE ${HEADLOOM_CUBLAS}/include)
endif()
