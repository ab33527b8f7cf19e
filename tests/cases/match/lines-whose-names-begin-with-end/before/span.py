def span(a, b):
    end_date = a
    end_time = b
    return end_date, end_time
