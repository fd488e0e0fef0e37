# Installs into a prefix with a space in its name, moves the prefix, and runs the installed dsim from an
# empty directory. The cluster file is renamed in the moved tree only, so that dsim finds it by its new
# name only if it reads the data beside its own binary.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY "${WORK}/elsewhere" "${WORK}/empty")
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix "${WORK}/first"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
set(prefix "${WORK}/elsewhere/any prefix")
file(RENAME "${WORK}/first" "${prefix}")
file(RENAME "${prefix}/share/dsim/topologies/dgx8x64.json" "${prefix}/share/dsim/topologies/only-here.json")

function(run expected)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=DSIM_DATA_DIR "${prefix}/bin/dsim" ${ARGN}
    WORKING_DIRECTORY "${WORK}/empty" RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "dsim ${ARGN}: exit status ${status}\n${out}${err}")
  endif()
  if(NOT out MATCHES "${expected}")
    message(FATAL_ERROR "dsim ${ARGN}: no '${expected}' in\n${out}")
  endif()
endfunction()

run("dsim [0-9]+\\.[0-9]+\\.[0-9]+" --version)
run("512" topo only-here.json)
run("\"format\": *\"dsim.report/1\"" --topology only-here.json --model bert --json)

file(GLOB left "${WORK}/empty/*")
if(left)
  message(FATAL_ERROR "dsim left files in the working directory: ${left}")
endif()
file(REMOVE_RECURSE ${WORK})
