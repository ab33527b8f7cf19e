package kiosk

val open = 9
