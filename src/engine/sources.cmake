# Writes to OUTPUT a line for each file in the folder ENGINE: its sha256, its name, and what it
# includes. The fingerprints of results need it (experiments/verifying/fingerprint.py).
file(GLOB_RECURSE FILES RELATIVE ${ENGINE} ${ENGINE}/*.cpp ${ENGINE}/*.hpp ${ENGINE}/*.h)
list(FILTER FILES EXCLUDE REGEX "^testing/")
list(SORT FILES)
set(CONTENT "")
foreach(FILE IN LISTS FILES)
  file(SHA256 ${ENGINE}/${FILE} DIGEST)
  file(STRINGS ${ENGINE}/${FILE} INCLUDES REGEX "^[ \t]*#[ \t]*include[ \t]*\"")
  list(TRANSFORM INCLUDES REPLACE "^[^\"]*\"([^\"]*)\".*$" "\\1")
  list(JOIN INCLUDES " " NAMES)
  string(APPEND CONTENT "${DIGEST} ${FILE} ${NAMES}\n")
endforeach()
file(WRITE ${OUTPUT} "${CONTENT}")
