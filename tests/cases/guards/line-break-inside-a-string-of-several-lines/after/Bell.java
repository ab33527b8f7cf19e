class Bell {
    String tone = """
        low
        high""";
}
