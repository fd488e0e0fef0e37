# The arrows between the folders, and what keeps them readable:
#   - an include path starts at the root and names its layer; each folder includes only what its row
#     allows, so that left never includes right;
#   - large libraries stay inside the .cpp files of the folders that own them;
#   - nothing is called Helper, Util, Manager, Impl or Common.
# Usage: cmake -D ROOT=<folder with sim, model, ...> -P layering.cmake

# A row: folder (or start of a file's path) = what it may include, by the start of the path. The first
# row that matches a file holds, so the special stand before the general.
set(rows
  "sim/base=sim/base"
  "sim/engine=sim/base|sim/engine"
  "sim/network=sim/base|sim/engine|sim/network"
  "sim/trace=sim/base|sim/trace"
  # Plain data with their units: what is calibrated, and what runs.
  "model/calibration=sim/base|model/calibration"
  "model/workload=sim/base|model/calibration|model/workload"
  # Kernel times know nothing of networks; only the memory of a rank asks its strategy.
  "model/compute/memory=sim/base|model/calibration|model/workload|model/compute|model/strategy"
  "model/compute=sim/base|model/calibration|model/workload|model/compute"
  # The faces of a sweep over sizes share the text layout of the other reports.
  "model/collective/report=sim/base|sim/network|model/calibration|model/workload|model/compute|model/collective|model/simulate/text_layout"
  # Collectives know the machine and the engine, but no strategies.
  "model/collective=sim/base|sim/engine|sim/network|sim/trace|model/calibration|model/workload|model/compute|model/collective"
  # Strategies are pure functions from layers to programs: no engine, no network.
  "model/strategy=sim/base|model/calibration|model/workload|model/compute|model/collective|model/strategy"
  "model/simulate=sim|model/calibration|model/workload|model/compute|model/collective|model/strategy|model/simulate"
  # Figures of what was simulated.
  "model/plot=sim/base|model/collective|model/simulate|model/plot"
  "model/cli=sim|model|calibrate"
  # Samples and measurements are taken without knowing how they are fitted.
  "calibrate/sample=sim/base|calibrate/sample"
  "calibrate/measure=sim/base|calibrate/sample|calibrate/measure"
  "calibrate=sim|model/plot|model/calibration|model/workload|model/compute|model/collective|model/strategy|model/simulate|calibrate"
  "gui/core=sim|model/plot|model/calibration|model/workload|model/compute|model/collective|model/strategy|model/simulate|calibrate|gui/core"
  "gui=sim|model/plot|model/calibration|model/workload|model/compute|model/collective|model/strategy|model/simulate|calibrate|gui")

# A library's headers = the folders that may include it, in .cpp or .cu files only (Qt: in headers too).
set(libraries
  "boost/graph=sim/network"
  "boost/=sim|model|calibrate|gui"
  "simdjson=sim/base"
  "rapidjson/=sim|model/simulate|model/collective/report|model/cli|calibrate|gui/core"
  "expat=model/collective/msccl"
  "CLI/=model/cli|calibrate/measure"
  "Eigen/=calibrate"
  "Q[A-Z]=gui")

set(empty_names "Helpers?|Util|Utils|Utility|Utilities|Manager|Impl|Common")
string(TOLOWER "${empty_names}" empty_file_names)

# The right side of the first row of `table` whose left side `text` starts with, or "".
function(look_up table text result)
  set(${result} "" PARENT_SCOPE)
  foreach(row IN LISTS ${table})
    string(REGEX MATCH "^(.+)=(.+)$" unused "${row}")
    set(left "${CMAKE_MATCH_1}")
    set(right "${CMAKE_MATCH_2}")
    if(text MATCHES "^(${left})")
      set(${result} "${right}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

set(faults "")
set(checked 0)
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/sim/* ${ROOT}/model/* ${ROOT}/calibrate/* ${ROOT}/gui/*)
foreach(file IN LISTS files)
  if(NOT file MATCHES "\\.(h|hpp|cpp|cc|cu|cuh)$")
    continue()
  endif()
  math(EXPR checked "${checked} + 1")
  get_filename_component(name ${file} NAME_WE)
  if("_${name}_" MATCHES "_(${empty_file_names})_")
    string(APPEND faults "${file}: '${name}' says nothing; name what the file holds\n")
  endif()
  look_up(rows ${file} allowed)
  if(allowed STREQUAL "")
    string(APPEND faults "${file}: in no layer\n")
    continue()
  endif()

  file(STRINGS ${ROOT}/${file} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS includes)
    if(line MATCHES "\"(.*)\"")
      set(included ${CMAKE_MATCH_1})
      if(NOT EXISTS ${ROOT}/${included})
        string(APPEND faults "${file}: includes \"${included}\", which is no path from the root\n")
      elseif(NOT included MATCHES "^(${allowed})[/.]")
        string(APPEND faults "${file}: includes \"${included}\", which its layer may not\n")
      endif()
    elseif(line MATCHES "<(.*)>")
      set(included ${CMAKE_MATCH_1})
      look_up(libraries ${included} owners)
      if(owners STREQUAL "")
        continue()
      endif()
      if(NOT file MATCHES "^(${owners})/")
        string(APPEND faults "${file}: includes <${included}>, which belongs in ${owners}\n")
      elseif(file MATCHES "\\.(h|hpp|cuh)$" AND NOT included MATCHES "^Q[A-Z]")
        string(APPEND faults "${file}: a header with <${included}>; keep that library in a .cpp\n")
      endif()
    endif()
  endforeach()

  file(STRINGS ${ROOT}/${file} types
    REGEX "(class|struct|enum|union|concept|namespace|using)[ ]+[A-Za-z0-9_:]*(${empty_names})([^A-Za-z0-9]|[A-Z]|$)|namespace[ ].*(${empty_file_names})([^a-z]|$)")
  foreach(line IN LISTS types)
    string(STRIP "${line}" line)
    string(APPEND faults "${file}: '${line}': the name says nothing\n")
  endforeach()
endforeach()

if(checked EQUAL 0)
  message(FATAL_ERROR "no source file under ${ROOT}")
endif()
if(NOT faults STREQUAL "")
  message(NOTICE "${faults}")
  message(FATAL_ERROR "an include or a name goes against the layers")
endif()
message(STATUS "${checked} files keep to their layers")
