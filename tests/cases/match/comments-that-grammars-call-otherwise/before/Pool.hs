module Pool where

-- | Makes a pool of connections.
makePool :: Settings -- ^ how they are made
         -> Int      -- ^ the most that there may be
         -> IO Pool
makePool settings most = do
    free <- newIORef []
    count <- newIORef 0
    return Pool { poolFree = free, poolCount = count, poolMost = most }
