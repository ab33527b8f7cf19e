package kiosk
