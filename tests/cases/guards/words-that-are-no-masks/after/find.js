const label = 'Search...';
