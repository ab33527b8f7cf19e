const tone = 'low';
ring(tone);
