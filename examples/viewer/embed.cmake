# SPDX-License-Identifier: MIT
# Turns text files into one C file: cmake -D OUT=file.c -D "FILES=a.glsl|b.glsl" -P embed.cmake
# Each becomes `const char embedded_<name>[]`, ending with a zero byte; dots in names become underscores.
string(REPLACE "|" ";" files "${FILES}")
set(text "/* Made by embed.cmake. */\n#include \"embedded.h\"\n")
foreach(path ${files})
  get_filename_component(name ${path} NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${path} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND text "const char embedded_${name}[] = {\n${hex}0};\n")
endforeach()
file(WRITE ${OUT} "${text}")
