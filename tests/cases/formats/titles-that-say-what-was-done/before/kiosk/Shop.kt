package kiosk

val open = 8
