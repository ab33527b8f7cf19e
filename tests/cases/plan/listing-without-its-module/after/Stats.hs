module Stats (mean, spread) where

import Data.List (foldl')

mean :: [Double] -> Double
mean xs = foldl' (+) 0 xs / fromIntegral (length xs)

spread :: [Double] -> Double
spread [] = 0
spread xs = maximum xs - minimum xs
