module Main where

report :: FilePath -> IO ()
report path = do
    text <- readFile path
    let rows = lines text
    if null rows
        then putStrLn "empty"
        else do
            putStrLn "rows"
            mapM_ putStrLn rows
