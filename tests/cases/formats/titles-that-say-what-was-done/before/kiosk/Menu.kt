package kiosk

val soup = 4
