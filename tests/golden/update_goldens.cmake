# Rewrites what every golden test expects: -D DSIM=program -D DATA=folder of the data -D WORK=scratch.
file(GLOB commands "${CMAKE_CURRENT_LIST_DIR}/*/cmd" "${DATA}/examples/*/cmd" "${DATA}/examples/*/*/cmd")
foreach(command IN LISTS commands)
  cmake_path(GET command PARENT_PATH folder)
  execute_process(COMMAND ${CMAKE_COMMAND} -D "DSIM=${DSIM}" -D "DATA=${DATA}" -D "WORK=${WORK}"
    -D "GOLDEN=${folder}" -D UPDATE=ON -P "${CMAKE_CURRENT_LIST_DIR}/run_golden.cmake" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
