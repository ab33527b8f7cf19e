const label = 'Search';
