let s:rows = []

function! stats#load(path) abort
  let s:rows = readfile(a:path)
endfunction

function! stats#count() abort
  return len(s:rows) - 1
endfunction
