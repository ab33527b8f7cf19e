@echo off
setlocal
set TARGET=out
rmdir /s /q %TARGET%
endlocal
