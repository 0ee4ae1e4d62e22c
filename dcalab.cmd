@rem Runs this clone's dcalab on the data of the folder it is called in, by the Node that `npm ci` brought.
@if not exist "%~dp0dist\main.js" (echo error: dcalab is not installed yet: run npm ci in %~dp0>&2 & exit /b 2)
@if exist "%~dp0node_modules\.bin\node.cmd" ("%~dp0node_modules\.bin\node.cmd" "%~dp0dist\main.js" %*) else (node "%~dp0dist\main.js" %*)
