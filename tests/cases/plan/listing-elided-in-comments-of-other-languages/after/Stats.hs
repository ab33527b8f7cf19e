module Stats where

mean :: [Double] -> Double
mean xs = sum xs / fromIntegral (length xs)

count :: [a] -> Int
count = length

total :: [Double] -> Double
total = foldr (+) 0
