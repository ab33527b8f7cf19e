package kiosk

val hours = 9..18
