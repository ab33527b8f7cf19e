foreach line [split $text \n] {
    puts $line
}
