# Runs the layering check on the folders right/ and wrong/ beside this file. None of the files there
# is compiled; wrong/expected lists every fault planted in them.
execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${HERE}/right -P ${SCRIPT}
                RESULT_VARIABLE result ERROR_VARIABLE said OUTPUT_QUIET)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "rejected what is right:\n${said}")
endif()

execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${HERE}/wrong -P ${SCRIPT}
                RESULT_VARIABLE result ERROR_VARIABLE said OUTPUT_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "accepted what is wrong")
endif()
file(READ ${HERE}/wrong/expected expected)
string(FIND "${said}" "${expected}CMake Error" place)
if(NOT place EQUAL 0)
  message(FATAL_ERROR "expected these faults and no others:\n${expected}\nbut it said:\n${said}")
endif()

execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${HERE}/none -P ${SCRIPT}
                RESULT_VARIABLE result ERROR_QUIET OUTPUT_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "accepted a folder without sources")
endif()
