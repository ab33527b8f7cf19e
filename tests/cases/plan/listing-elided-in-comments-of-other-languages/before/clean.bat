@echo off
setlocal
set TARGET=build
rmdir /s /q %TARGET%
endlocal
