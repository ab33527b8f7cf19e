class Bell {
    String tone = "low";
}
