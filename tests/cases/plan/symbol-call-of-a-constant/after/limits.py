LIMITS = {
    "low": 1,
}
