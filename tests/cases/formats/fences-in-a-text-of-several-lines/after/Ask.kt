package shop

/*
How to ask:
```
ask("pears")
```
*/
fun ask(what: String) = """
Answer in a fence:
```
$what
```
""".trim()
