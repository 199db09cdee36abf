# Run as a script at each build: writes OUTPUT with the commit of SOURCE, where that changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=10 --exclude *
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "no checkout")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define STRETTO_COMMIT \"${commit}\"\n")
