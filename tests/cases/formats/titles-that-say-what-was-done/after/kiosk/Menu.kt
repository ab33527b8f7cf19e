package kiosk

val soup = 5
