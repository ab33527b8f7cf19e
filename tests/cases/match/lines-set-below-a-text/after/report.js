function report(rows) {
    if (rows.length) {
        for (const row of rows) {
            const text = format(row,
                                { wide: true });
            print(row);
        }
    }
}
