function report(rows) {
    if (rows.length) {
        for (const row of rows) {
            print(row);
        }
    }
}
