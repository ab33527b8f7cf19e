GONE = {
404: "absent",
405: "barred",
}
