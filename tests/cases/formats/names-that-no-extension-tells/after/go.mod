module kiosk

go 1.22
