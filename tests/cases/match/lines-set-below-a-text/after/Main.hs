module Main where

report :: FilePath -> IO ()
report path = do
    text <- readFile path
    let rows = lines text
        size = length rows
        wide = maximum (map length rows)
    print (size, wide)
    if null rows
        then putStrLn "empty"
        else do
            putStrLn "rows"
            mapM_ putStrLn rows
