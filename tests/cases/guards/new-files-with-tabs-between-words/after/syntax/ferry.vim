" Language:	ferry tables
" Maintainer:	nobody
syntax match	ferryRow	"^row"
