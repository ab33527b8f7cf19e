package store

@Throws(IOException::class) fun unpack(path) {
    println(path)
}
