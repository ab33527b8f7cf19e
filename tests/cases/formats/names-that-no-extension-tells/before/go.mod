module kiosk

go 1.21
